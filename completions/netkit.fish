complete --keep-order --exclusive --command netkit --arguments "(NETKIT_COMPLETE=fish netkit -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
