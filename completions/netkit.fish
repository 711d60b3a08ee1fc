# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_netkit_global_optspecs
    string join \n color= q/quiet v/verbose h/help V/version
end

function __fish_netkit_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_netkit_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_netkit_using_subcommand
    set -l cmd (__fish_netkit_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c netkit -n "__fish_netkit_needs_command" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_needs_command" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_needs_command" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_needs_command" -s V -l version -d 'Print version'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "decode" -d 'Dissect captures (pcap, pcapng, either gzipped) or hex text into annotated field trees'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "dump" -d 'Dissect hex text: plain, 0x lists, C arrays, xxd, hexdump -C, tcpdump -x, Wireshark'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "encode" -d 'Write messages: from FIELD=VALUE, or from the JSON lines that decode prints'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "stats" -d 'Count a capture\'s messages: conversations, bandwidth, delivery, round trips, series of a field'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "diff" -d 'Compare two captures: messages that appeared or vanished, rates, sizes, fields, delivery'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "probe" -d 'Ask live servers: is it there, what is it, how far away, and if not, why not'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "replay" -d 'Play one side of a captured conversation to a live peer'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "fields" -d 'Document the messages, fields, settings and notes of the protocols'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "completions" -d 'Print the completions for a shell'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "man" -d 'Print the man page'
complete -c netkit -n "__fish_netkit_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c netkit -n "__fish_netkit_using_subcommand decode" -s p -l proto -d 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l schema -d 'The layouts of your game\'s payloads (TOML); may be given several times' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand decode" -s s -l set -d 'A setting of a protocol, as `netkit fields PROTO` lists them' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l from -d 'Who sent the bytes, or the first packet of a conversation, where nothing else tells' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l port -d 'Which protocol a port carries, as 7000=riptide' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l server -d 'The server\'s address, where ports cannot tell' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l flow -d 'Only the conversation of that number' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -s F -l filter -d 'Only messages that fit: "riptide.message_id == 7 and not has fault"' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l since -d 'Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l until -d 'Only messages before then: as --since' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l threads -d 'Dissect a file with N threads; default: as many as there are processors (ndjson, json, summary)' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -s f -l format -d 'Form of the output' -r -f -a "tree\t'Annotated trees: each field with its bytes'
summary\t'A line a message'
table\t'A table, for a few messages'
ndjson\t'A JSON object a line: values'
json\t'One JSON array of annotated trees'"
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l fail-on -d 'Exit with status 1 when a message has a fault, or a warning' -r -f -a "warning\t'A warning, an error or a fault'
fault\t'A fault'"
complete -c netkit -n "__fish_netkit_using_subcommand decode" -s c -l count -d 'Stop after N messages' -r
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l time -d 'How tree, summary and table show times' -r -f -a "relative\t'Since the first message that is printed'
delta\t'Since the message before'
utc\t'Day and time of day, UTC'
epoch\t'Seconds since 1970'"
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l bytes -d 'ndjson and json: add the whole message as hex, `"bytes":".."`'
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l follow -d 'Go on when the end is reached: a file that grows, a named pipe; until Ctrl-C'
complete -c netkit -n "__fish_netkit_using_subcommand decode" -l check -d 'Instead of printing: write every message again from its JSON line, and compare the bytes'
complete -c netkit -n "__fish_netkit_using_subcommand decode" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand decode" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand decode" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand dump" -s p -l proto -d 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it' -r
complete -c netkit -n "__fish_netkit_using_subcommand dump" -l schema -d 'The layouts of your game\'s payloads (TOML); may be given several times' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand dump" -s s -l set -d 'A setting of a protocol, as `netkit fields PROTO` lists them' -r
complete -c netkit -n "__fish_netkit_using_subcommand dump" -l from -d 'Who sent the bytes, or the first packet of a conversation, where nothing else tells' -r
complete -c netkit -n "__fish_netkit_using_subcommand dump" -s f -l format -d 'Form of the output' -r -f -a "tree\t'Annotated trees: each field with its bytes'
summary\t'A line a message'
table\t'A table, for a few messages'
ndjson\t'A JSON object a line: values'
json\t'One JSON array of annotated trees'"
complete -c netkit -n "__fish_netkit_using_subcommand dump" -l fail-on -d 'Exit with status 1 when a message has a fault, or a warning' -r -f -a "warning\t'A warning, an error or a fault'
fault\t'A fault'"
complete -c netkit -n "__fish_netkit_using_subcommand dump" -s c -l count -d 'Stop after N messages' -r
complete -c netkit -n "__fish_netkit_using_subcommand dump" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand dump" -l lines -d 'Each line of plain hex is a message of its own (default: up to a blank line)'
complete -c netkit -n "__fish_netkit_using_subcommand dump" -l bytes -d 'ndjson and json: add the whole message as hex, `"bytes":".."`'
complete -c netkit -n "__fish_netkit_using_subcommand dump" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand dump" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand dump" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand encode" -l json -d 'Messages as JSON objects: lines of decode -f ndjson, the array of -f json, or written by hand; `-` is stdin' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand encode" -s p -l proto -d 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it' -r
complete -c netkit -n "__fish_netkit_using_subcommand encode" -l schema -d 'The layouts of your game\'s payloads (TOML); may be given several times' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand encode" -s s -l set -d 'A setting of a protocol, as `netkit fields PROTO` lists them' -r
complete -c netkit -n "__fish_netkit_using_subcommand encode" -l from -d 'Who sent the bytes, or the first packet of a conversation, where nothing else tells' -r
complete -c netkit -n "__fish_netkit_using_subcommand encode" -l to -d 'Form of the bytes [default: hex; pcap where the output\'s name ends so]' -r -f -a "hex\t'A line a message'
raw\t'The bytes and nothing else'
pcap\t'A capture file: Ethernet, IP, UDP or TCP around each message'"
complete -c netkit -n "__fish_netkit_using_subcommand encode" -s o -l output -d 'Where to write; default: stdout' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand encode" -l transport -d 'Add what stands around each message in a stream: a length, a header, a WebSocket frame [default: none; for pcap as the line says]' -r -f -a "udp\t'UDP: nothing around them'
tcp\t'TCP: the protocol\'s own framing'
ws\t'WebSocket: a binary message each'"
complete -c netkit -n "__fish_netkit_using_subcommand encode" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand encode" -l keep-going -d 'Report messages that cannot be written, and go on with the next'
complete -c netkit -n "__fish_netkit_using_subcommand encode" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand encode" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand encode" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand stats" -s p -l proto -d 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l schema -d 'The layouts of your game\'s payloads (TOML); may be given several times' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand stats" -s s -l set -d 'A setting of a protocol, as `netkit fields PROTO` lists them' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l from -d 'Who sent the bytes, or the first packet of a conversation, where nothing else tells' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l port -d 'Which protocol a port carries, as 7000=riptide' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l server -d 'The server\'s address, where ports cannot tell' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l flow -d 'Only the conversation of that number' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -s F -l filter -d 'Only messages that fit: "riptide.message_id == 7 and not has fault"' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l since -d 'Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l until -d 'Only messages before then: as --since' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l by -d 'One table: by message, flow, peer or second; with --track: the field that tells series apart' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l track -d 'Follow a field: a line each time it occurs; in text a sparkline' -r
complete -c netkit -n "__fish_netkit_using_subcommand stats" -s f -l format -d 'Form of the output' -r -f -a "text\t'For people'
ndjson\t'A JSON object a row'
json\t'One JSON object'
csv\t'Comma-separated, with a line of names'"
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand stats" -l delivery -d 'What became of numbered messages, requests and links'
complete -c netkit -n "__fish_netkit_using_subcommand stats" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand stats" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand stats" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand diff" -s p -l proto -d 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -l schema -d 'The layouts of your game\'s payloads (TOML); may be given several times' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand diff" -s s -l set -d 'A setting of a protocol, as `netkit fields PROTO` lists them' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -l from -d 'Who sent the bytes, or the first packet of a conversation, where nothing else tells' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -l port -d 'Which protocol a port carries, as 7000=riptide' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -l server -d 'The server\'s address, where ports cannot tell' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -l flow -d 'Only the conversation of that number' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -s F -l filter -d 'Only messages that fit: "riptide.message_id == 7 and not has fault"' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -l since -d 'Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -l until -d 'Only messages before then: as --since' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -l fail-on -d 'Exit with status 1 when there is a difference like that; may be given several times' -r
complete -c netkit -n "__fish_netkit_using_subcommand diff" -s f -l format -d 'Form of the output' -r -f -a "text\t'For people'
json\t'One JSON object'"
complete -c netkit -n "__fish_netkit_using_subcommand diff" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand diff" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand diff" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand probe" -l targets -d 'More servers, one a line; `#` begins a comment; `-` is stdin' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand probe" -s p -l proto -d 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: try all of them, in an order that harms none' -r
complete -c netkit -n "__fish_netkit_using_subcommand probe" -l transport -d 'Only over this transport; default: what the protocol has, one after the other' -r -f -a "udp\t'UDP'
tcp\t'TCP'
ws\t'WebSocket'"
complete -c netkit -n "__fish_netkit_using_subcommand probe" -s s -l set -d 'A setting of a protocol, as `netkit fields PROTO` lists them: riptide.version=2.0' -r
complete -c netkit -n "__fish_netkit_using_subcommand probe" -s n -l samples -d 'How many round trips to measure' -r
complete -c netkit -n "__fish_netkit_using_subcommand probe" -s i -l interval -d 'Seconds from one to the next' -r
complete -c netkit -n "__fish_netkit_using_subcommand probe" -s W -l timeout -d 'Seconds to wait for an answer; default: the protocol\'s own' -r
complete -c netkit -n "__fish_netkit_using_subcommand probe" -l create -d 'acknex: create an entity of this model for exact round trips, and remove it. Changes the running game' -r
complete -c netkit -n "__fish_netkit_using_subcommand probe" -l name -d 'acknex: the player\'s name to join with' -r
complete -c netkit -n "__fish_netkit_using_subcommand probe" -s f -l format -d 'Form of the output' -r -f -a "text\t'For people'
ndjson\t'A JSON object a line: each round trip, then a summary for each server'
json\t'One JSON array with an object a server'"
complete -c netkit -n "__fish_netkit_using_subcommand probe" -l pcap -d 'Record the exchange as a capture' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand probe" -l parallel -d 'So many servers at once' -r
complete -c netkit -n "__fish_netkit_using_subcommand probe" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand probe" -l connect -d 'dnp, gne: complete the handshake, which makes a player for a moment'
complete -c netkit -n "__fish_netkit_using_subcommand probe" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand probe" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand probe" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l to -d 'Go to this peer: HOST:PORT, [IPV6]:PORT, ws://HOST:PORT/PATH' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l listen -d 'Wait for a peer here; port 0: any' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l flow -d 'Play the conversation of that number; default: the only one' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l from -d 'Whose side is played [default: client with --to, server with --listen]' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l speed -d 'So many times as fast as captured' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l max-gap -d 'No pause is longer, as 1s or 200ms' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l loop -d 'So many sessions, one after the other' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l until -d 'Leave out everything behind this frame' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -s W -l timeout -d 'How long the peer may take where the protocol needs its answer' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l edit -d 'Change a message on its way; may be given several times' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l drop -d 'Leave out messages that fit; may be given several times' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -s f -l format -d 'Form of the report' -r -f -a "text\t'For people'
ndjson\t'A JSON object a line: each refusal and divergence, then the session'"
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l pcap -d 'Record the exchange as a capture' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand replay" -s p -l proto -d 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -s s -l set -d 'A setting of a protocol, as `netkit fields PROTO` lists them' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l schema -d 'The layouts of your game\'s payloads (TOML), for --edit' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l port -d 'Which protocol a port carries, as 7000=riptide' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l server -d 'The captured server\'s address, where ports cannot tell' -r
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l list -d 'List the conversations that can be played, and do nothing else'
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l asap -d 'As fast as the peer allows'
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l dry-run -d 'Print what would be said, and say nothing'
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l allow-dangerous -d 'Say also what may harm the peer: broken and empty messages'
complete -c netkit -n "__fish_netkit_using_subcommand replay" -l expect -d 'Exit with status 1 when the peer diverges from the capture'
complete -c netkit -n "__fish_netkit_using_subcommand replay" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand replay" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand fields" -l schema -d 'Document the messages of these schemas too (TOML)' -r -F
complete -c netkit -n "__fish_netkit_using_subcommand fields" -s f -l format -d 'Form of the output' -r -f -a "text\t'For people'
json\t'For tools'"
complete -c netkit -n "__fish_netkit_using_subcommand fields" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand fields" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand fields" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand fields" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand completions" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand completions" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand completions" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand man" -l color -d 'Colours and highlights' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c netkit -n "__fish_netkit_using_subcommand man" -s q -l quiet -d 'No progress, no summaries on stderr'
complete -c netkit -n "__fish_netkit_using_subcommand man" -s v -l verbose -d 'Say more: whole hex, why a protocol was recognised, what the other frames were'
complete -c netkit -n "__fish_netkit_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "decode" -d 'Dissect captures (pcap, pcapng, either gzipped) or hex text into annotated field trees'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "dump" -d 'Dissect hex text: plain, 0x lists, C arrays, xxd, hexdump -C, tcpdump -x, Wireshark'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "encode" -d 'Write messages: from FIELD=VALUE, or from the JSON lines that decode prints'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "stats" -d 'Count a capture\'s messages: conversations, bandwidth, delivery, round trips, series of a field'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "diff" -d 'Compare two captures: messages that appeared or vanished, rates, sizes, fields, delivery'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "probe" -d 'Ask live servers: is it there, what is it, how far away, and if not, why not'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "replay" -d 'Play one side of a captured conversation to a live peer'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "fields" -d 'Document the messages, fields, settings and notes of the protocols'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "completions" -d 'Print the completions for a shell'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "man" -d 'Print the man page'
complete -c netkit -n "__fish_netkit_using_subcommand help; and not __fish_seen_subcommand_from decode dump encode stats diff probe replay fields completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
