
set edit:completion:arg-completer[netkit] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) NETKIT_COMPLETE="elvish" netkit -- $@words) | to-lines
}

