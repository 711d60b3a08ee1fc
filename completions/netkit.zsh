#compdef netkit

autoload -U is-at-least

_netkit() {
    typeset -A opt_args
    typeset -a _arguments_options
    local ret=1

    if is-at-least 5.2; then
        _arguments_options=(-s -S -C)
    else
        _arguments_options=(-s -C)
    fi

    local context curcontext="$curcontext" state line
    _arguments "${_arguments_options[@]}" : \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_netkit_commands" \
"*::: :->netkit" \
&& ret=0
    case $state in
    (netkit)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:netkit-command-$line[1]:"
        case $line[1] in
            (decode)
_arguments "${_arguments_options[@]}" : \
'()*-r+[A capture, as tshark and tcpdump have it]:FILE:_files' \
'()-i+[Read what an interface sends and receives, until Ctrl-C; tcpdump or dumpcap captures it]:IFACE:_default' \
'()--interface=[Read what an interface sends and receives, until Ctrl-C; tcpdump or dumpcap captures it]:IFACE:_default' \
'--capture-filter=[-i\: only such packets, in tcpdump'\''s words\: '\''udp port 7777'\''; default\: the ports of --port and -p]:EXPR:_default' \
'--buffer=[-i\: MiB of frames that may wait for netkit, before frames are lost (tcpdump'\''s -B)]:MIB:_default' \
'-p+[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML); may be given several times]:FILE:_files' \
'*--schema=[The layouts of your game'\''s payloads (TOML); may be given several times]:FILE:_files' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Who sent the bytes, or the first packet of a conversation, where nothing else tells]:client|server:_default' \
'*--port=[Which protocol a port carries, as 7000=riptide]:PORT=P:_default' \
'--server=[The server'\''s address, where ports cannot tell]:ADDR[:PORT]:_default' \
'--flow=[Only the conversation of that number]:N:_default' \
'--leg=[Of a proxy'\''s recording, the client'\''s or the server'\''s leg; decode\: both, other commands\: client]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed is there twice"))' \
'-F+[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Only messages from then on\: 10s, 1m30s after the first frame, or 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Only messages before then\: as --since]:TIME:_default' \
'*--limit=[Another bound for memory\: \`netkit fields\` lists them; N may end in K, M, G]:NAME=N:_default' \
'--threads=[Dissect a file with N threads; default\: as many as there are processors]:N:_default' \
'-f+[Form of the output]:F:((tree\:"Annotated trees\: each field with its bytes"
summary\:"A line a message"
table\:"A table, for a few messages"
ndjson\:"A JSON object a line\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Two columns, who says what\: for one conversation, see --flow"
pcapng\:"The capture itself, with the messages as packet comments\: for Wireshark, see \`netkit help wireshark\`"))' \
'--format=[Form of the output]:F:((tree\:"Annotated trees\: each field with its bytes"
summary\:"A line a message"
table\:"A table, for a few messages"
ndjson\:"A JSON object a line\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Two columns, who says what\: for one conversation, see --flow"
pcapng\:"The capture itself, with the messages as packet comments\: for Wireshark, see \`netkit help wireshark\`"))' \
'*--columns=[csv, tsv and summary\: these columns, with commas between them\: time,src,message,message_id. Keys of ndjson, names of the envelope, fields; fields.NAME for a field with such a name]:A,B.C:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-c+[Stop after N messages]:N:_default' \
'--count=[Stop after N messages]:N:_default' \
'*--fail-on=[Exit with status 1 when a message has a fault, or a warning; when conversations are of no known protocol; when a limit was reached]:fault|warning|unclaimed|limit:((warning\:"A warning, an error or a fault"
fault\:"A fault"
unclaimed\:"A conversation with payload that no protocol has"
limit\:"A limit that was reached"))' \
'*--expect=[Exit with status 1 unless a message fits; may be given several times]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*--reject=[Exit with status 1 when a message fits, and name the first three; may be given several times]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-w+[Instead of printing\: write the frames of the messages that fit, unchanged; a name that ends in .pcapng is pcapng, others pcap. With -i\: print, and keep all frames that were captured]:FILE:_files' \
'--write=[Instead of printing\: write the frames of the messages that fit, unchanged; a name that ends in .pcapng is pcapng, others pcap. With -i\: print, and keep all frames that were captured]:FILE:_files' \
'--time=[How times are shown; default\: relative in trees and on narrow terminals, else utc; epoch in csv and tsv]:relative|delta|utc|local|epoch:((relative\:"Since the capture'\''s first frame"
delta\:"Since the one before"
utc\:"The day and the time of day, UTC"
local\:"The day and the time of day where the program runs, with its offset from UTC"
epoch\:"Seconds since 1970"))' \
'-o+[pcapng\: the file, instead of stdout; parquet\: the folder of its files, which is new or empty]:PATH:_files' \
'--output=[pcapng\: the file, instead of stdout; parquet\: the folder of its files, which is new or empty]:PATH:_files' \
'--comments=[pcapng\: what comments have\: lines for people, and the tree that Wireshark'\''s script draws, or the lines alone]:tree|plain:((tree\:"Lines for people, and the tree for the script"
plain\:"Lines for people"))' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'(-i --interface)-D[List the interfaces]' \
'(-i --interface)--list-interfaces[List the interfaces]' \
'--redact[Show and write other addresses, words and bytes of the application instead of those of the capture, one to one; lengths, numbers and times stay\: to be sent to somebody]' \
'(--follow --check -i --interface)--link[Read twice, and tell with each message what later ones say of it\: answered_by, acked_by, that nobody answers; of a pipe as much as --limit link_bytes holds]' \
'--bytes[ndjson and json\: add the whole message as hex, \`"bytes"\:".."\`]' \
'--allow-empty[No message at all is well, too\: else --check, --fail-on, --expect and --reject do not hold]' \
'(--check -w --write)--account[ndjson and json\: a last line with what was read and what was left out\: {"account"\:{..}}]' \
'(--follow --check -i --interface)--join[Read the files as one capture, in the order of their first frames\: rotated files]' \
'(-i --interface)--whole[-w\: all frames between the ends of these messages]' \
'(-i --interface)--follow[Go on when the end is reached\: a file that grows, a named pipe; until Ctrl-C]' \
'--force[-w, -o\: replace the output file where there is one; parquet\: the files of the folder]' \
'(-f --format --bytes)--check[Instead of printing\: write every message again from its JSON line, and compare the bytes]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- Captures or hex text; `-` is stdin:_files' \
&& ret=0
;;
(dump)
_arguments "${_arguments_options[@]}" : \
'-p+[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML); may be given several times]:FILE:_files' \
'*--schema=[The layouts of your game'\''s payloads (TOML); may be given several times]:FILE:_files' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Who sent the bytes, or the first packet of a conversation, where nothing else tells]:client|server:_default' \
'*--port=[Packets\: which protocol a port carries, as 7000=riptide]:PORT=P:_default' \
'--server=[Packets\: the server'\''s address, where ports cannot tell]:ADDR[:PORT]:_default' \
'-f+[Form of the output]:F:((tree\:"Annotated trees\: each field with its bytes"
summary\:"A line a message"
table\:"A table, for a few messages"
ndjson\:"A JSON object a line\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Two columns, who says what\: for one conversation, see --flow"
pcapng\:"The capture itself, with the messages as packet comments\: for Wireshark, see \`netkit help wireshark\`"))' \
'--format=[Form of the output]:F:((tree\:"Annotated trees\: each field with its bytes"
summary\:"A line a message"
table\:"A table, for a few messages"
ndjson\:"A JSON object a line\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Two columns, who says what\: for one conversation, see --flow"
pcapng\:"The capture itself, with the messages as packet comments\: for Wireshark, see \`netkit help wireshark\`"))' \
'*--columns=[csv, tsv and summary\: these columns, with commas between them\: time,src,message,message_id. Keys of ndjson, names of the envelope, fields; fields.NAME for a field with such a name]:A,B.C:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-c+[Stop after N messages]:N:_default' \
'--count=[Stop after N messages]:N:_default' \
'*--fail-on=[Exit with status 1 when a message has a fault, or a warning; when conversations are of no known protocol; when a limit was reached]:fault|warning|unclaimed|limit:((warning\:"A warning, an error or a fault"
fault\:"A fault"
unclaimed\:"A conversation with payload that no protocol has"
limit\:"A limit that was reached"))' \
'*--expect=[Exit with status 1 unless a message fits; may be given several times]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*--reject=[Exit with status 1 when a message fits, and name the first three; may be given several times]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--lines[Each line of plain hex is a message of its own (default\: up to a blank line)]' \
'(--packet)--payload[The bytes are messages, also where they look like an IP packet]' \
'--packet[The bytes are packets (Ethernet, IP, loopback, Linux cooked), whatever their lengths say]' \
'--bytes[ndjson and json\: add the whole message as hex, \`"bytes"\:".."\`]' \
'--allow-empty[No message at all is well, too\: else --check, --fail-on, --expect and --reject do not hold]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::input -- Hex text; `-` or nothing is stdin; where there is no such file, the hex digits themselves:_files' \
&& ret=0
;;
(encode)
_arguments "${_arguments_options[@]}" : \
'--json=[Messages as JSON objects\: lines of decode -f ndjson, the array of -f json, or written by hand; \`-\` is stdin]:FILE:_files' \
'-p+[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML); may be given several times]:FILE:_files' \
'*--schema=[The layouts of your game'\''s payloads (TOML); may be given several times]:FILE:_files' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Who sent the bytes, or the first packet of a conversation, where nothing else tells]:client|server:_default' \
'--to=[Form of the bytes \[default\: hex; pcap where the output'\''s name ends so\]]:FORM:((hex\:"A line a message"
raw\:"The bytes and nothing else"
pcap\:"A capture file\: Ethernet, IP, UDP or TCP around each message"))' \
'-o+[Where to write; default\: stdout]:FILE:_files' \
'--output=[Where to write; default\: stdout]:FILE:_files' \
'--transport=[Add what stands around each message in a stream\: a length, a header, a WebSocket frame \[default\: none; for pcap as the line says\]]:udp|tcp|ws:((udp\:"UDP\: nothing around them"
tcp\:"TCP\: the protocol'\''s own framing"
ws\:"WebSocket\: a binary message each"))' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--force[Replace the output file where there is one]' \
'--keep-going[Report messages that cannot be written, and go on with the next]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::message -- The message\: PROTO.MESSAGE, or MESSAGE with -p:(acknex.create acknex.effect acknex.entsound acknex.fill acknex.info acknex.join acknex.level acknex.local acknex.ping acknex.remove acknex.skill acknex.skill3 acknex.string acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.var dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.link_down dnp.link_state dnp.link_up dnp.link_update dnp.long_link_state dnp.long_message dnp.reliable_acknowledge dnp.reliable_message dnp.unknown dnp.unreliable_message gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.frame gne.packets nano.binary nano.close nano.data nano.frame nano.handshake nano.handshake_ack nano.heartbeat nano.kick nano.notify nano.ping nano.pong nano.push nano.request nano.response nano.text nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.client_connected riptide.client_disconnected riptide.connect riptide.disconnect riptide.heartbeat riptide.notify riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*::fields -- Its fields, as `netkit fields PROTO.MESSAGE` names them:_default' \
&& ret=0
;;
(stats)
_arguments "${_arguments_options[@]}" : \
'()-i+[Read what an interface sends and receives, until Ctrl-C; tcpdump or dumpcap captures it]:IFACE:_default' \
'()--interface=[Read what an interface sends and receives, until Ctrl-C; tcpdump or dumpcap captures it]:IFACE:_default' \
'--capture-filter=[-i\: only such packets, in tcpdump'\''s words\: '\''udp port 7777'\''; default\: the ports of --port and -p]:EXPR:_default' \
'--buffer=[-i\: MiB of frames that may wait for netkit, before frames are lost (tcpdump'\''s -B)]:MIB:_default' \
'-p+[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML); may be given several times]:FILE:_files' \
'*--schema=[The layouts of your game'\''s payloads (TOML); may be given several times]:FILE:_files' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Who sent the bytes, or the first packet of a conversation, where nothing else tells]:client|server:_default' \
'*--port=[Which protocol a port carries, as 7000=riptide]:PORT=P:_default' \
'--server=[The server'\''s address, where ports cannot tell]:ADDR[:PORT]:_default' \
'--flow=[Only the conversation of that number]:N:_default' \
'--leg=[Of a proxy'\''s recording, the client'\''s or the server'\''s leg; decode\: both, other commands\: client]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed is there twice"))' \
'-F+[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Only messages from then on\: 10s, 1m30s after the first frame, or 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Only messages before then\: as --since]:TIME:_default' \
'*--limit=[Another bound for memory\: \`netkit fields\` lists them; N may end in K, M, G]:NAME=N:_default' \
'--by=[One table\: by message, flow, peer or second; or by any fields, with commas between them, as message_id,second; with --track\: the field that tells series apart]:message|flow|peer|second|FIELD,..:(message flow peer second)' \
'(--delivery --track)--every=[By steps of time instead of seconds\: 500ms, 1m; with --by also by its fields]:TIME:_default' \
'(--delivery --track)--sort=[--by FIELD\: in order of this column; default\: of time or of bytes]:COLUMN:_default' \
'(--delivery --track)--top=[--by FIELD\: only the first N groups]:N:_default' \
'(--by --every --delivery --track)--slow=[List the messages that were answered or acknowledged after this time or later\: 200ms]:TIME:_default' \
'--time=[--unanswered, --never-acked, --slow\: how times are shown; default\: relative on narrow terminals, else utc; epoch in csv and tsv]:relative|delta|utc|local|epoch:((relative\:"Since the capture'\''s first frame"
delta\:"Since the one before"
utc\:"The day and the time of day, UTC"
local\:"The day and the time of day where the program runs, with its offset from UTC"
epoch\:"Seconds since 1970"))' \
'(--by --every --delivery --track --unanswered --never-acked --slow --latency)--plot=[Draw bytes a second over time, as wide as the terminal, stacked by message or direction]::message|direction:((message\:"The message'\''s name"
direction\:"The sender"))' \
'(--delivery)--track=[Follow a field\: a line each time it occurs; in text a sparkline]:FIELD:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*--fail-on=[Exit with status 1 when a message has a fault, or a warning; when conversations are of no known protocol; when a limit was reached]:fault|warning|unclaimed|limit:((warning\:"A warning, an error or a fault"
fault\:"A fault"
unclaimed\:"A conversation with payload that no protocol has"
limit\:"A limit that was reached"))' \
'*--expect=[Exit with status 1 unless a message fits; may be given several times]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*--reject=[Exit with status 1 when a message fits, and name the first three; may be given several times]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-f+[Form of the output]:F:((text\:"For people"
ndjson\:"A JSON object a row"
json\:"One JSON object"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"))' \
'--format=[Form of the output]:F:((text\:"For people"
ndjson\:"A JSON object a row"
json\:"One JSON object"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"))' \
'(--track)*--columns=[csv, tsv and --by FIELD\: these columns of the table, with commas between them]:A,B:_default' \
'(--by --every --track --unanswered --never-acked --slow --latency --plot)-o+[parquet\: the folder of its files, which is new or empty]:DIR:_files -/' \
'(--by --every --track --unanswered --never-acked --slow --latency --plot)--output=[parquet\: the folder of its files, which is new or empty]:DIR:_files -/' \
'-w+[-i\: keep the frames; a name that ends in .pcapng is pcapng, others pcap]:FILE:_files' \
'--write=[-i\: keep the frames; a name that ends in .pcapng is pcapng, others pcap]:FILE:_files' \
'(--track)--threads=[Read a file with N threads; default\: as many as there are processors]:N:_default' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--join[Read several files as one capture, in the order of their first frames\: rotated files]' \
'(-i --interface)-D[List the interfaces]' \
'(-i --interface)--list-interfaces[List the interfaces]' \
'--redact[Show and write other addresses, words and bytes of the application instead of those of the capture, one to one; lengths, numbers and times stay\: to be sent to somebody]' \
'(--by --every --delivery --track)--unanswered[List the messages that nothing in the capture answers]' \
'(--by --every --delivery --track)--never-acked[List the messages that nothing in the capture acknowledges]' \
'(--by --every --delivery --track)--latency[How long messages waited for answers and acknowledgements, by message and route]' \
'(--by)--delivery[What became of numbered messages, requests and links]' \
'--allow-empty[No message at all is well, too\: else --check, --fail-on, --expect and --reject do not hold]' \
'--force[-w, -o\: replace files that are there]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- A capture; `-` is stdin. Several are told each, and then together as one capture:_files' \
&& ret=0
;;
(top)
_arguments "${_arguments_options[@]}" : \
'()-i+[Read what an interface sends and receives, until Ctrl-C; tcpdump or dumpcap captures it]:IFACE:_default' \
'()--interface=[Read what an interface sends and receives, until Ctrl-C; tcpdump or dumpcap captures it]:IFACE:_default' \
'--capture-filter=[-i\: only such packets, in tcpdump'\''s words\: '\''udp port 7777'\''; default\: the ports of --port and -p]:EXPR:_default' \
'--buffer=[-i\: MiB of frames that may wait for netkit, before frames are lost (tcpdump'\''s -B)]:MIB:_default' \
'-p+[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML); may be given several times]:FILE:_files' \
'*--schema=[The layouts of your game'\''s payloads (TOML); may be given several times]:FILE:_files' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Who sent the bytes, or the first packet of a conversation, where nothing else tells]:client|server:_default' \
'*--port=[Which protocol a port carries, as 7000=riptide]:PORT=P:_default' \
'--server=[The server'\''s address, where ports cannot tell]:ADDR[:PORT]:_default' \
'--flow=[Only the conversation of that number]:N:_default' \
'--leg=[Of a proxy'\''s recording, the client'\''s or the server'\''s leg; decode\: both, other commands\: client]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed is there twice"))' \
'-F+[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Only messages from then on\: 10s, 1m30s after the first frame, or 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Only messages before then\: as --since]:TIME:_default' \
'*--limit=[Another bound for memory\: \`netkit fields\` lists them; N may end in K, M, G]:NAME=N:_default' \
'--sort=[In order of this column, the largest first; default\: byte_rate on a terminal, by name in a pipe]:COLUMN:(byte_rate message_rate messages bytes faults client_rtt_p50 server_rtt_p50 resent_share lost_share idle)' \
'--every=[From one look to the next]:TIME:_default' \
'-f+[Form of the output]:F:((text\:"Tables that are drawn again on a terminal; lines of NAME=VALUE in a pipe"
ndjson\:"A JSON object a look"))' \
'--format=[Form of the output]:F:((text\:"Tables that are drawn again on a terminal; lines of NAME=VALUE in a pipe"
ndjson\:"A JSON object a look"))' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'(-i --interface)-D[List the interfaces]' \
'(-i --interface)--list-interfaces[List the interfaces]' \
'(-i --interface)--follow[Go on when the end is reached\: a file that grows; until q or Ctrl-C]' \
'--redact[Show and write other addresses, words and bytes of the application instead of those of the capture, one to one; lengths, numbers and times stay\: to be sent to somebody]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::files -- A capture that goes on; `-` is stdin:_files' \
&& ret=0
;;
(diff)
_arguments "${_arguments_options[@]}" : \
'-p+[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML); may be given several times]:FILE:_files' \
'*--schema=[The layouts of your game'\''s payloads (TOML); may be given several times]:FILE:_files' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Who sent the bytes, or the first packet of a conversation, where nothing else tells]:client|server:_default' \
'*--port=[Which protocol a port carries, as 7000=riptide]:PORT=P:_default' \
'--server=[The server'\''s address, where ports cannot tell]:ADDR[:PORT]:_default' \
'--flow=[Only the conversation of that number]:N:_default' \
'--leg=[Of a proxy'\''s recording, the client'\''s or the server'\''s leg; decode\: both, other commands\: client]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed is there twice"))' \
'-F+[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Only messages from then on\: 10s, 1m30s after the first frame, or 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Only messages before then\: as --since]:TIME:_default' \
'*--limit=[Another bound for memory\: \`netkit fields\` lists them; N may end in K, M, G]:NAME=N:_default' \
'*--fail-on=[Exit with status 1 when there is such a difference\: \[PROTO.\[MESSAGE.\]\]FIGURE > AMOUNT, appeared, vanished, fields; may be given several times]:LIMIT:_default' \
'*--ignore=[Leave out messages that fit, of both captures; may be given several times]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-f+[Form of the output]:F:((text\:"For people"
json\:"One JSON object"
markdown\:"Tables for a comment or a build'\''s summary"
junit\:"JUnit'\''s XML, for build servers\: a case for each limit"))' \
'--format=[Form of the output]:F:((text\:"For people"
json\:"One JSON object"
markdown\:"Tables for a comment or a build'\''s summary"
junit\:"JUnit'\''s XML, for build servers\: a case for each limit"))' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--join[Read the files of a pattern, as '\''before_*.pcap'\'', as one capture\: rotated files]' \
'--redact[Show and write other addresses, words and bytes of the application instead of those of the capture, one to one; lengths, numbers and times stay\: to be sent to somebody]' \
'--allow-empty[Nothing to compare is well, too\: else --fail-on does not hold]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':a -- The first capture:_files' \
':b -- The second capture:_files' \
&& ret=0
;;
(report)
_arguments "${_arguments_options[@]}" : \
'()-i+[Read what an interface sends and receives, until Ctrl-C; tcpdump or dumpcap captures it]:IFACE:_default' \
'()--interface=[Read what an interface sends and receives, until Ctrl-C; tcpdump or dumpcap captures it]:IFACE:_default' \
'--capture-filter=[-i\: only such packets, in tcpdump'\''s words\: '\''udp port 7777'\''; default\: the ports of --port and -p]:EXPR:_default' \
'--buffer=[-i\: MiB of frames that may wait for netkit, before frames are lost (tcpdump'\''s -B)]:MIB:_default' \
'-o+[The page that is written]:PAGE:_files' \
'--output=[The page that is written]:PAGE:_files' \
'--messages=[How many messages the page holds, with their fields and bytes; of more, those near warnings come first. Charts and tables are of all]:N:_default' \
'-p+[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML); may be given several times]:FILE:_files' \
'*--schema=[The layouts of your game'\''s payloads (TOML); may be given several times]:FILE:_files' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Who sent the bytes, or the first packet of a conversation, where nothing else tells]:client|server:_default' \
'*--port=[Which protocol a port carries, as 7000=riptide]:PORT=P:_default' \
'--server=[The server'\''s address, where ports cannot tell]:ADDR[:PORT]:_default' \
'--flow=[Only the conversation of that number]:N:_default' \
'--leg=[Of a proxy'\''s recording, the client'\''s or the server'\''s leg; decode\: both, other commands\: client]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed is there twice"))' \
'-F+[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Only messages that fit\: "riptide.message_id == 7 and not has fault"]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Only messages from then on\: 10s, 1m30s after the first frame, or 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Only messages before then\: as --since]:TIME:_default' \
'*--limit=[Another bound for memory\: \`netkit fields\` lists them; N may end in K, M, G]:NAME=N:_default' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--force[-o\: replace an existing file]' \
'--join[Read several files as one capture, in the order of their first frames\: rotated files]' \
'--redact[Show and write other addresses, words and bytes of the application instead of those of the capture, one to one; lengths, numbers and times stay\: to be sent to somebody]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- A capture; `-` is stdin. Two are compared\: before and after:_files' \
&& ret=0
;;
(probe)
_arguments "${_arguments_options[@]}" : \
'--targets=[More servers, one a line\: \[LABEL=VALUE..\] HOST\:PORT \[PROTOCOL\]; \`#\` begins a comment; \`-\` is stdin]:FILE:_files' \
'-p+[The protocol; default\: try all of them, in an order that harms none]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol; default\: try all of them, in an order that harms none]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML), whose \[probe\] says what is asked; without -p only those of such files are asked]:FILE:_files' \
'--transport=[Only over this transport; default\: what the protocol has, one after the other]:T:((udp\:"UDP"
tcp\:"TCP"
ws\:"WebSocket"))' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them\: riptide.version=2.0]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them\: riptide.version=2.0]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'-n+[How many round trips to measure]:N:_default' \
'--samples=[How many round trips to measure]:N:_default' \
'-i+[From one to the next]:TIME:_default' \
'--interval=[From one to the next]:TIME:_default' \
'-W+[How long to wait for an answer, as 500ms, 5s or 1m30s; default\: the protocol'\''s own]:TIME:_default' \
'--timeout=[How long to wait for an answer, as 500ms, 5s or 1m30s; default\: the protocol'\''s own]:TIME:_default' \
'--max-time=[How long a server may take in all, whatever it sends; default\: 30s, and what -n, -i and -W ask for]:TIME:_default' \
'--create=[acknex\: create an entity of this model for exact round trips, and remove it. Changes the running game]:MODEL:_default' \
'--name=[acknex\: the player'\''s name to join with]:NAME:_default' \
'--connect-data=[riptide, nano\: what the server'\''s application expects of those who connect, a password or a token\: hex, text\:WORDS, or a JSON object (nano'\''s "user"; riptide'\''s by the schema of connect)]:DATA:_default' \
'*--schema=[The layouts of your game'\''s payloads (TOML), connect, welcome and reject among them; may be given several times]:FILE:_files' \
'-f+[Form of the output]:F:((text\:"For people"
ndjson\:"A JSON object a line\: each round trip, then a summary for each server"
json\:"One JSON array with an object a server"
prometheus\:"Prometheus'\'' text format"
influx\:"InfluxDB'\''s line protocol\: a line a server"
nagios\:"A Nagios plugin'\''s line; exit status 0 OK, 1 WARNING (answers were lost), 2 CRITICAL (a server does not answer), 3 UNKNOWN (one could not be asked)"))' \
'--format=[Form of the output]:F:((text\:"For people"
ndjson\:"A JSON object a line\: each round trip, then a summary for each server"
json\:"One JSON array with an object a server"
prometheus\:"Prometheus'\'' text format"
influx\:"InfluxDB'\''s line protocol\: a line a server"
nagios\:"A Nagios plugin'\''s line; exit status 0 OK, 1 WARNING (answers were lost), 2 CRITICAL (a server does not answer), 3 UNKNOWN (one could not be asked)"))' \
'--every=[Ask again and again\: from the beginning of one round to that of the next; until Ctrl-C]:TIME:_default' \
'--textfile=[Write -f prometheus into this file, beside it and then renamed\: for node_exporter'\''s textfile collector, NAME.prom]:FILE:_files' \
'--pcap=[Record the exchange as a capture\: pcap. A name in .pcapng\: pcapng, with its messages as comments]:FILE:_files' \
'--parallel=[How many servers are asked at once]:N:_default' \
'*--limit=[Another bound for memory\: \`netkit fields\` lists them; N may end in K, M, G]:NAME=N:_default' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--connect[dnp, gne\: complete the handshake, which makes a player for a moment]' \
'--force[Replace the output file where there is one]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::target -- Servers\: HOST\:PORT, \[IPV6\]\:PORT, ws\://HOST\:PORT/PATH; HOST alone with --proto:_default' \
&& ret=0
;;
(replay)
_arguments "${_arguments_options[@]}" : \
'(--listen)--to=[Go to this peer\: HOST\:PORT, \[IPV6\]\:PORT, ws\://HOST\:PORT/PATH]:HOST:PORT:_default' \
'--listen=[Wait for a peer here; port 0\: any]:ADDR:PORT:_default' \
'--flow=[Play the conversation of that number; default\: the only one]:N:_default' \
'--leg=[Of a proxy'\''s recording, this leg \[default\: client\]]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed is there twice"))' \
'--from=[Which side is played \[default\: client with --to, server with --listen\]]:client|server:_default' \
'(--asap)--speed=[How many times as fast as captured]:X:_default' \
'--max-gap=[No pause is longer, as 1s or 200ms]:TIME:_default' \
'--loop=[How many sessions, one after the other]:N:_default' \
'(--list --dry-run --expect --pcap --loop --from)--clients=[Play so many sessions at once, each with ids of its own, and tell how the server bears it\: how many connect, are refused and dropped, and how long it takes to answer]:N:_default' \
'--ramp=[With --clients\: so many begin each second, as 50/s]:RATE:_default' \
'(--ramp --for)--stages=[With --clients, which is then the most at once\: sessions begin at rates that are reached one after the other, as 10/s\:30s,100/s\:1m,0\:10s]:RATE:TIME,..:_default' \
'--for=[With --clients\: sessions that end are followed by new ones, for so long \[default\: one each\]]:TIME:_default' \
'*--fail-on=[With --clients\: exit with status 1 when a figure is beyond that, as '\''p99>200ms'\'', '\''dropped>1%'\'', '\''connected<1000'\''; may be given several times]:FIGURE>AMOUNT:_default' \
'--until=[Leave out everything behind this frame]:FRAME:_default' \
'-W+[How long the peer may take where the protocol needs its answer]:TIME:_default' \
'--timeout=[How long the peer may take where the protocol needs its answer]:TIME:_default' \
'--max-time=[How long a session may take in all, whatever the peer sends; default\: as long as the recording at this speed, and 30s (with --asap 30s), or -W where that is longer]:TIME:_default' \
'*--edit=[Change messages that fit; may be given several times]:EXPR: [after N] [once] ACTION, ..:_default' \
'*--drop=[Leave out messages that fit; may be given several times]:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--seed=[Which messages \`drop P%\` leaves out\: another number, others]:N:_default' \
'(--clients)-F+[Compare only the peer'\''s messages that match, as '\''message != push'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'(--clients)--filter=[Compare only the peer'\''s messages that match, as '\''message != push'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-f+[Form of the report]:F:((text\:"For people"
ndjson\:"A JSON object a line\: each refusal and divergence, then the session; with --clients one each second, then one for all"))' \
'--format=[Form of the report]:F:((text\:"For people"
ndjson\:"A JSON object a line\: each refusal and divergence, then the session; with --clients one each second, then one for all"))' \
'--pcap=[Record the exchange as a capture\: pcap. A name in .pcapng\: pcapng, with its messages as comments]:FILE:_files' \
'-p+[The protocol; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--schema=[The layouts of your game'\''s payloads (TOML), for --edit]:FILE:_files' \
'*--port=[Which protocol a port carries, as 7000=riptide]:PORT=P:_default' \
'--server=[The captured server'\''s address, where ports cannot tell]:ADDR[:PORT]:_default' \
'*--limit=[Another bound for memory\: \`netkit fields\` lists them; N may end in K, M, G]:NAME=N:_default' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--join[Read several files as one capture, in the order of their first frames\: rotated files]' \
'(--to --listen)--list[List the conversations that can be played, and do nothing else]' \
'--asap[As fast as the peer allows]' \
'--allow-public[The peer may be in a network that is not private]' \
'--dry-run[Print what would be sent, and send nothing]' \
'--allow-dangerous[Say also what may harm the peer\: broken and empty messages]' \
'--expect[Exit with status 1 when the peer diverges from the capture]' \
'--force[Replace the output file where there is one]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- A capture; `-` is stdin:_files' \
&& ret=0
;;
(proxy)
_arguments "${_arguments_options[@]}" : \
'--transport=[Datagrams or streams alone; default\: both, or what the other options are for]:T:((udp\:"UDP"
tcp\:"TCP, and what it carries"))' \
'*--delay=[Delay everything by this time]:TIME:_default' \
'*--jitter=[And by a random time more, exponential with this mean; in order]:TIME:_default' \
'*--jitter-reorder=[As --jitter, but each datagram for itself\: they overtake each other]:TIME:_default' \
'*--loss=[Datagrams are lost\: each for itself, or BURST in a row on average]:P%[/BURST]:_default' \
'*--duplicate=[Datagrams come twice]:P%:_default' \
'*--reorder=[Datagrams come after the one that follows]:P%:_default' \
'*--corrupt=[Flip one bit of this share of datagrams, or of a stream'\''s pieces]:P%:_default' \
'*--outage=[Nothing passes for 2s in every 30s, as 2s/30s; a stream waits]:TIME/EVERY:_default' \
'*--rate=[At most 64kbit, 1.5mbit, 1gbit a second on the wire, headers included]:RATE:_default' \
'*--rate-payload=[As --rate, but without the IP, UDP and TCP headers]:RATE:_default' \
'*--stall=[Streams\: delay this share of all pieces, and what follows meanwhile, as after a loss]:P%/TIME:_default' \
'*--reset=[Streams\: this share of all pieces resets the connection]:P%:_default' \
'*--network=[As on wifi, lte, 3g, satellite, bad\: \`netkit help impairments\` has their figures]:NAME:_default' \
'--profile=[Impairments by a timetable\: lines as '\''from 10s to 20s\: loss 5%/4, up delay 80ms'\'']:FILE:_files' \
'--like=[Delay above the minimum, losses and their rows, order\: as this capture had them]:CAPTURE:_files' \
'*--on=[Do something to messages that fit; may be given several times]:EXPR: [after N] [once] ACTION, ..:_default' \
'--rules=[Rules as those of --on, one a line, \`#\` before what is none; read again when the file changes, and on SIGHUP]:FILE:_files' \
'*--fail-on=[Exit with status 1 when rules did so often, or so rarely, what they should\: '\''not_applied > 0'\'']:FIGURE>N:_default' \
'--seed=[Which packets are lost, late, changed\: the same number, the same ones]:N:_default' \
'-f+[Form of the output]:F:((summary\:"A line a message"
tree\:"Annotated trees\: each field with its bytes"
table\:"A table, at the end, for a few messages"
ndjson\:"A JSON object a line\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Two columns, who says what"
none\:"Nothing but the counts at the end"))' \
'--format=[Form of the output]:F:((summary\:"A line a message"
tree\:"Annotated trees\: each field with its bytes"
table\:"A table, at the end, for a few messages"
ndjson\:"A JSON object a line\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Two columns, who says what"
none\:"Nothing but the counts at the end"))' \
'*--columns=[csv, tsv and summary\: these columns, as for decode]:A,B.C:_default' \
'--pcap=[Record both legs, with what was done to each packet as its comment (pcapng). A name in .pcapng\: its messages, too, as decode -f pcapng has them]:FILE:_files' \
'--clients=[The most clients at once]:N:_default' \
'--idle=[A client that is silent for so long has gone (datagrams)]:TIME:_default' \
'-p+[The protocol; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML); may be given several times]:FILE:_files' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--schema=[The layouts of your game'\''s payloads (TOML)]:FILE:_files' \
'*--port=[Which protocol a port carries, as 7000=riptide]:PORT=P:_default' \
'*--limit=[Another bound for memory\: \`netkit fields\` lists them; N may end in K, M, G]:NAME=N:_default' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'*--up[The impairments that follow are for what clients send]' \
'*--down[The impairments that follow are for what the server sends]' \
'*--both[The impairments that follow are for both directions, as those in front are]' \
'--force[Replace the output file where there is one]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':listen -- Where clients come\: \:PORT is on this machine alone, ADDR\:PORT where that address is:_default' \
':target -- Where they are brought\: HOST\:PORT:_default' \
&& ret=0
;;
(wireshark)
_arguments "${_arguments_options[@]}" : \
'*--protocol-file=[A protocol that a file describes (TOML), whose fields Wireshark shall know]:FILE:_files' \
'*--schema=[The layouts of your game'\''s payloads (TOML), whose fields Wireshark shall know]:FILE:_files' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':what -- What to do:((install\:"Write script and extcap entry into Wireshark'\''s personal folders"
remove\:"Remove what \`install\` wrote"
print\:"Print the script, and tell on stderr where it would go"))' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'-p+[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'--proto=[The protocol, or a file that describes one; default\: recognise it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[A protocol that a file describes (TOML); may be given several times]:FILE:_files' \
'*--schema=[The layouts of your game'\''s payloads (TOML); may be given several times]:FILE:_files' \
'*-s+[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[A setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=0.5 dnp.timeout=3 nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Who sent the bytes, or the first packet of a conversation, where nothing else tells]:client|server:_default' \
'*--port=[Which protocol a port carries, as 7000=mygame]:PORT=P:_default' \
'--server=[The server'\''s address, where ports cannot tell]:ADDR[:PORT]:_default' \
'--first=[Show so many packets that do not fit, and so many of each other finding]:N:_default' \
'-f+[Form of the output]:F:((text\:"For people"
json\:"One JSON object"))' \
'--format=[Form of the output]:F:((text\:"For people"
json\:"One JSON object"))' \
'*--limit=[Another bound for memory\: \`netkit fields\` lists them; N may end in K, M, G]:NAME=N:_default' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--allow-empty[No packet of the protocol is well, too]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':file -- The file that describes a protocol (TOML)\: `netkit help protocol-files`:_files' \
'*::captures -- Captures or hex text with its packets; `-` is stdin:_files' \
&& ret=0
;;
(fields)
_arguments "${_arguments_options[@]}" : \
'*--schema=[Document the messages of these schemas too (TOML)]:FILE:_files' \
'*--protocol-file=[Document this protocol, which a file describes (TOML)]:FILE:_files' \
'-f+[Form of the output]:F:((text\:"For people"
json\:"For tools"))' \
'--format=[Form of the output]:F:((text\:"For people"
json\:"For tools"))' \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'(-f --format)--examples[List the protocol files that are built in; with a name (fields --examples enet)\: its text]' \
'(-f --format --schema)--as-toml[Write the protocol'\''s tables as a protocol file (TOML), to begin one of your own]' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::what -- A protocol, or one of its messages; nothing\: all protocols:(riptide dnp nano gne acknex acknex.create acknex.effect acknex.entsound acknex.fill acknex.info acknex.join acknex.level acknex.local acknex.ping acknex.remove acknex.skill acknex.skill3 acknex.string acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.var dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.link_down dnp.link_state dnp.link_up dnp.link_update dnp.long_link_state dnp.long_message dnp.reliable_acknowledge dnp.reliable_message dnp.unknown dnp.unreliable_message gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.frame gne.packets nano.binary nano.close nano.data nano.frame nano.handshake nano.handshake_ack nano.heartbeat nano.kick nano.notify nano.ping nano.pong nano.push nano.request nano.response nano.text nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.client_connected riptide.client_disconnected riptide.connect riptide.disconnect riptide.heartbeat riptide.notify riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
&& ret=0
;;
(completions)
_arguments "${_arguments_options[@]}" : \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':shell -- The shell:(bash elvish fish powershell zsh)' \
&& ret=0
;;
(man)
_arguments "${_arguments_options[@]}" : \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
'--color=[Colours and highlights]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[No progress, no summaries on stderr]' \
'--quiet[No progress, no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what the other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::topic -- A command, or a topic as `netkit help` lists them:(decode dump encode stats top diff report probe replay proxy wireshark check fields completions man help riptide dnp nano gne acknex hawknl websocket output figures filters rules impairments schemas protocol-files your-protocol recognition live performance columns reports wireshark builds platforms contributing)' \
&& ret=0
;;
        esac
    ;;
esac
}

(( $+functions[_netkit_commands] )) ||
_netkit_commands() {
    local commands; commands=(
'decode:Dissect captures (pcap, pcapng, .gz or .zst of them) or hex text into annotated field trees' \
'dump:Dissect hex text\: plain, 0x lists, C arrays, xxd, hexdump -C, tcpdump -x, Wireshark' \
'encode:Write messages\: from FIELD=VALUE, or from the JSON lines that decode prints' \
'stats:Count a capture'\''s messages\: conversations, bandwidth, delivery, round trips, series of a field' \
'top:Watch input that goes on\: messages and conversations with their rates, drawn each second' \
'diff:Compare two captures\: messages that appeared or vanished, rates, sizes, fields, delivery' \
'report:Make one HTML page of a capture\: charts, sequence diagrams, messages; or compare two' \
'probe:Ask live servers\: is it there, what is it, how far away, and if not, why not' \
'replay:Play one side of a captured conversation to a live peer' \
'proxy:Relay conversations with a server\: show, delay, lose and edit what is said' \
'wireshark:Show netkit'\''s analysis in Wireshark\: its script, and live capture' \
'check:Check a file that describes a protocol\: its mistakes, and how well it explains captures' \
'fields:Document the messages, fields, settings and notes of the protocols' \
'completions:Print the completions for a shell' \
'man:Print the man page' \
'help:Explain a command, a protocol or a topic\: riptide, output, filters, schemas, ...' \
    )
    _describe -t commands 'netkit commands' commands "$@"
}
(( $+functions[_netkit__subcmd__check_commands] )) ||
_netkit__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'netkit check commands' commands "$@"
}
(( $+functions[_netkit__subcmd__completions_commands] )) ||
_netkit__subcmd__completions_commands() {
    local commands; commands=()
    _describe -t commands 'netkit completions commands' commands "$@"
}
(( $+functions[_netkit__subcmd__decode_commands] )) ||
_netkit__subcmd__decode_commands() {
    local commands; commands=()
    _describe -t commands 'netkit decode commands' commands "$@"
}
(( $+functions[_netkit__subcmd__diff_commands] )) ||
_netkit__subcmd__diff_commands() {
    local commands; commands=()
    _describe -t commands 'netkit diff commands' commands "$@"
}
(( $+functions[_netkit__subcmd__dump_commands] )) ||
_netkit__subcmd__dump_commands() {
    local commands; commands=()
    _describe -t commands 'netkit dump commands' commands "$@"
}
(( $+functions[_netkit__subcmd__encode_commands] )) ||
_netkit__subcmd__encode_commands() {
    local commands; commands=()
    _describe -t commands 'netkit encode commands' commands "$@"
}
(( $+functions[_netkit__subcmd__fields_commands] )) ||
_netkit__subcmd__fields_commands() {
    local commands; commands=()
    _describe -t commands 'netkit fields commands' commands "$@"
}
(( $+functions[_netkit__subcmd__help_commands] )) ||
_netkit__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'netkit help commands' commands "$@"
}
(( $+functions[_netkit__subcmd__man_commands] )) ||
_netkit__subcmd__man_commands() {
    local commands; commands=()
    _describe -t commands 'netkit man commands' commands "$@"
}
(( $+functions[_netkit__subcmd__probe_commands] )) ||
_netkit__subcmd__probe_commands() {
    local commands; commands=()
    _describe -t commands 'netkit probe commands' commands "$@"
}
(( $+functions[_netkit__subcmd__proxy_commands] )) ||
_netkit__subcmd__proxy_commands() {
    local commands; commands=()
    _describe -t commands 'netkit proxy commands' commands "$@"
}
(( $+functions[_netkit__subcmd__replay_commands] )) ||
_netkit__subcmd__replay_commands() {
    local commands; commands=()
    _describe -t commands 'netkit replay commands' commands "$@"
}
(( $+functions[_netkit__subcmd__report_commands] )) ||
_netkit__subcmd__report_commands() {
    local commands; commands=()
    _describe -t commands 'netkit report commands' commands "$@"
}
(( $+functions[_netkit__subcmd__stats_commands] )) ||
_netkit__subcmd__stats_commands() {
    local commands; commands=()
    _describe -t commands 'netkit stats commands' commands "$@"
}
(( $+functions[_netkit__subcmd__top_commands] )) ||
_netkit__subcmd__top_commands() {
    local commands; commands=()
    _describe -t commands 'netkit top commands' commands "$@"
}
(( $+functions[_netkit__subcmd__wireshark_commands] )) ||
_netkit__subcmd__wireshark_commands() {
    local commands; commands=()
    _describe -t commands 'netkit wireshark commands' commands "$@"
}

if [ "$funcstack[1]" = "_netkit" ]; then
    _netkit "$@"
else
    compdef _netkit netkit
fi
