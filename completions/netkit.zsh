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
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
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
'(-i --interface -D --list-interfaces)*-r+[A capture, as tshark and tcpdump have it]:FILE:_files' \
'()-i+[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'()--interface=[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'--capture-filter=[Capture only packets that this tcpdump filter selects, as '\''udp port 7777'\'']:EXPR:_default' \
'--buffer=[Buffer up to this many MiB of captured frames (tcpdump'\''s -B is in KiB)]:MIB:_default' \
'(--until)-a+[Set --until as tshark does\: duration\:10]:duration:TIME:_default' \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Set which side sent the bytes, if nothing else shows it]:client|server:_default' \
'--conversations=[Select part K of N of the conversations, as 3/8; each is in one part]:K/N:_default' \
'*--port=[Name the protocol of a port, as 7000=riptide]:PORT=P:_default' \
'--server=[Name the server'\''s address, if ports do not show it]:ADDR[:PORT]:_default' \
'--flow=[Select the conversation of this number]:N:_default' \
'--leg=[Select one leg of a proxy'\''s recording]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed appears twice"))' \
'-F+[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Select messages from this time on\: 10s, 1m30s, 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Select messages before this time, written as for --since]:TIME:_default' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'-B+[Print also the N messages before each that matches -F]:N:_default' \
'--before-context=[Print also the N messages before each that matches -F]:N:_default' \
'-A+[Print also the N messages after each that matches -F]:N:_default' \
'--after-context=[Print also the N messages after each that matches -F]:N:_default' \
'(-B --before-context -A --after-context)--context=[Print also the N messages before and after each that matches -F]:N:_default' \
'--threads=[Read a file with N threads; default\: the number of processors, at most 8]:N:_default' \
'-f+[Choose the form of the output]:F:((tree\:"Annotated trees\: each field with its bytes"
summary\:"One line for each message"
table\:"A table, for a few messages"
ndjson\:"One JSON object for each message\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Client at the left, server at the right\: for one conversation, see --flow"
hexdump\:"Bytes with offsets\: for netkit dump and Wireshark'\''s text2pcap"
pcapng\:"The capture itself, with packet comments\: decode only, for Wireshark, see \`netkit help wireshark\`"))' \
'--format=[Choose the form of the output]:F:((tree\:"Annotated trees\: each field with its bytes"
summary\:"One line for each message"
table\:"A table, for a few messages"
ndjson\:"One JSON object for each message\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Client at the left, server at the right\: for one conversation, see --flow"
hexdump\:"Bytes with offsets\: for netkit dump and Wireshark'\''s text2pcap"
pcapng\:"The capture itself, with packet comments\: decode only, for Wireshark, see \`netkit help wireshark\`"))' \
'*--columns=[Choose the columns of csv, tsv and summary\: time,src,message,message_id]:A,B.C:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-c+[Stop after N messages]:N:_default' \
'--count=[Stop after N messages]:N:_default' \
'*--fail-on=[Exit with status 1 on faults, warnings, unclaimed traffic or reached limits]:fault|warning|unclaimed|limit:((warning\:"A warning, an error or a fault"
fault\:"A fault"
unclaimed\:"A conversation with payload that no protocol has"
limit\:"A limit that was reached"))' \
'*--expect=[Exit with status 1 unless a message matches; may be repeated]:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*--reject=[Exit with status 1 if a message matches; may be repeated]:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-w+[Write the frames of matching messages, unchanged, instead of printing]:FILE:_files' \
'--write=[Write the frames of matching messages, unchanged, instead of printing]:FILE:_files' \
'-C+[Begin another file of -i -w before this one exceeds SIZE]:SIZE:_default' \
'--file-size=[Begin another file of -i -w before this one exceeds SIZE]:SIZE:_default' \
'-G+[Begin another file of -i -w after this time]:TIME:_default' \
'--file-time=[Begin another file of -i -w after this time]:TIME:_default' \
'-W+[Keep the last N files of -C and -G and remove older ones]:N:_default' \
'--file-count=[Keep the last N files of -C and -G and remove older ones]:N:_default' \
'--time=[Choose the form of times]:relative|delta|utc|local|epoch:((relative\:"Since the capture'\''s first frame"
delta\:"Since the one before"
utc\:"The day and the time of day, UTC"
local\:"The day and the time of day where the program runs, with its offset from UTC"
epoch\:"Seconds since 1970"))' \
'-o+[Write pcapng into this file, or parquet into this folder]:PATH:_files' \
'--output=[Write pcapng into this file, or parquet into this folder]:PATH:_files' \
'--comments=[Choose what the comments of pcapng hold]:tree|plain:((tree\:"Lines for people, and the tree for the script"
plain\:"Lines for people"))' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'(-i --interface)-D[List the network interfaces]' \
'(-i --interface)--list-interfaces[List the network interfaces]' \
'--redact[Replace addresses and application data with consistent pseudonyms]' \
'(--follow --check -i --interface)--link[Read twice, to add to each message its relations to later ones]' \
'--bytes[Add the whole message as hex to ndjson and json\: \`"bytes"\:".."\`]' \
'--allow-empty[Accept that there are no messages to check]' \
'(--check -w --write)--account[End ndjson and json with what was read and what was left out]' \
'(--follow --check -i --interface)--join[Read rotated files as one capture, in the order of their first frames]' \
'(-i --interface)--whole[Write all frames between the endpoints of matching messages, with -w]' \
'(-i --interface --follow --join)--redact-unknown[Keep unclaimed packets, with other bytes as payload, with --redact -w]' \
'(-i --interface)--follow[Wait for more at the end of a growing file or named pipe, until Ctrl-C]' \
'--force[Replace existing output files]' \
'--no-pager[Print without a pager]' \
'(-f --format --bytes)--check[Encode every message again and compare the bytes, instead of printing]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- Captures or hex text; `-` is stdin:_files' \
&& ret=0
;;
(view)
_arguments "${_arguments_options[@]}" : \
'()-i+[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'()--interface=[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'--capture-filter=[Capture only packets that this tcpdump filter selects, as '\''udp port 7777'\'']:EXPR:_default' \
'--buffer=[Buffer up to this many MiB of captured frames (tcpdump'\''s -B is in KiB)]:MIB:_default' \
'(--until)-a+[Set --until as tshark does\: duration\:10]:duration:TIME:_default' \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Set which side sent the bytes, if nothing else shows it]:client|server:_default' \
'*--port=[Name the protocol of a port, as 7000=riptide]:PORT=P:_default' \
'--server=[Name the server'\''s address, if ports do not show it]:ADDR[:PORT]:_default' \
'--flow=[Select the conversation of this number]:N:_default' \
'--leg=[Select one leg of a proxy'\''s recording]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed appears twice"))' \
'-F+[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Select messages from this time on\: 10s, 1m30s, 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Select messages before this time, written as for --since]:TIME:_default' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'--threads=[Read a file with N threads; default\: the number of processors, at most 8]:N:_default' \
'--time=[Choose the form of times; default\: relative on narrow terminals, else utc]:relative|delta|utc|local|epoch:((relative\:"Since the capture'\''s first frame"
delta\:"Since the one before"
utc\:"The day and the time of day, UTC"
local\:"The day and the time of day where the program runs, with its offset from UTC"
epoch\:"Seconds since 1970"))' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'(-i --interface)-D[List the network interfaces]' \
'(-i --interface)--list-interfaces[List the network interfaces]' \
'(-i --interface)--follow[Wait for more at the end of a growing file, until q or Ctrl-C]' \
'--redact[Replace addresses and application data with consistent pseudonyms]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- Captures or hex text, read as one; `-` is stdin:_files' \
&& ret=0
;;
(dump)
_arguments "${_arguments_options[@]}" : \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Set which side sent the bytes, if nothing else shows it]:client|server:_default' \
'*--port=[Name the protocol of a port of packets, as 7000=riptide]:PORT=P:_default' \
'--server=[Name the server'\''s address in packets, if ports do not show it]:ADDR[:PORT]:_default' \
'-f+[Choose the form of the output]:F:((tree\:"Annotated trees\: each field with its bytes"
summary\:"One line for each message"
table\:"A table, for a few messages"
ndjson\:"One JSON object for each message\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Client at the left, server at the right\: for one conversation, see --flow"
hexdump\:"Bytes with offsets\: for netkit dump and Wireshark'\''s text2pcap"
pcapng\:"The capture itself, with packet comments\: decode only, for Wireshark, see \`netkit help wireshark\`"))' \
'--format=[Choose the form of the output]:F:((tree\:"Annotated trees\: each field with its bytes"
summary\:"One line for each message"
table\:"A table, for a few messages"
ndjson\:"One JSON object for each message\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Client at the left, server at the right\: for one conversation, see --flow"
hexdump\:"Bytes with offsets\: for netkit dump and Wireshark'\''s text2pcap"
pcapng\:"The capture itself, with packet comments\: decode only, for Wireshark, see \`netkit help wireshark\`"))' \
'*--columns=[Choose the columns of csv, tsv and summary\: time,src,message,message_id]:A,B.C:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-c+[Stop after N messages]:N:_default' \
'--count=[Stop after N messages]:N:_default' \
'*--fail-on=[Exit with status 1 on faults, warnings, unclaimed traffic or reached limits]:fault|warning|unclaimed|limit:((warning\:"A warning, an error or a fault"
fault\:"A fault"
unclaimed\:"A conversation with payload that no protocol has"
limit\:"A limit that was reached"))' \
'*--expect=[Exit with status 1 unless a message matches; may be repeated]:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*--reject=[Exit with status 1 if a message matches; may be repeated]:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--lines[Read each line of plain hex as a message of its own]' \
'(--packet)--payload[Read the bytes as messages, even if they look like an IP packet]' \
'--packet[Read the bytes as packets, even if their lengths or checksums are wrong]' \
'--bytes[Add the whole message as hex to ndjson and json\: \`"bytes"\:".."\`]' \
'--allow-empty[Accept that there are no messages to check]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::input -- A file of hex text, `-` for stdin (the default), or the hex digits themselves:_files' \
&& ret=0
;;
(encode)
_arguments "${_arguments_options[@]}" : \
'--json=[Read messages as JSON\: an object on each line, or an array; \`-\` is stdin]:FILE:_files' \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Set which side sent the bytes, if nothing else shows it]:client|server:_default' \
'--as=[Choose the form of the bytes]:FORM:((hex\:"One line for each message"
raw\:"The bytes and nothing else"
pcap\:"A capture file\: Ethernet, IP, UDP or TCP around each message"
c\:"A constant in C, with a comment for each field"
rust\:"The same in Rust"
python\:"The same in Python"))' \
'-o+[Write to this file instead of stdout]:FILE:_files' \
'--output=[Write to this file instead of stdout]:FILE:_files' \
'--transport=[Use the framing of this transport\: a length, a header or a WebSocket frame]:T:((udp\:"UDP\: the message alone"
tcp\:"TCP\: the protocol'\''s length or header before it"
ws\:"WebSocket\: a frame of type binary"))' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--force[Replace an existing output file]' \
'--keep-going[Report messages that cannot be written, and continue with the next]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::message -- The message\: PROTO.MESSAGE, or MESSAGE with -p:(acknex.create acknex.effect acknex.entsound acknex.fill acknex.info acknex.join acknex.level acknex.local acknex.ping acknex.remove acknex.skill acknex.skill3 acknex.string acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.var dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.link_down dnp.link_state dnp.link_up dnp.link_update dnp.long_link_state dnp.long_message dnp.reliable_acknowledge dnp.reliable_message dnp.unknown dnp.unreliable_message gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.frame gne.packets nano.binary nano.close nano.data nano.frame nano.handshake nano.handshake_ack nano.heartbeat nano.kick nano.notify nano.ping nano.pong nano.push nano.request nano.response nano.text nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.client_connected riptide.client_disconnected riptide.connect riptide.disconnect riptide.heartbeat riptide.notify riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*::fields -- Its fields, as `netkit fields PROTO.MESSAGE` names them:_default' \
&& ret=0
;;
(stats)
_arguments "${_arguments_options[@]}" : \
'()-i+[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'()--interface=[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'--capture-filter=[Capture only packets that this tcpdump filter selects, as '\''udp port 7777'\'']:EXPR:_default' \
'--buffer=[Buffer up to this many MiB of captured frames (tcpdump'\''s -B is in KiB)]:MIB:_default' \
'(--until)-a+[Set --until as tshark does\: duration\:10]:duration:TIME:_default' \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Set which side sent the bytes, if nothing else shows it]:client|server:_default' \
'--conversations=[Select part K of N of the conversations, as 3/8; each is in one part]:K/N:_default' \
'*--port=[Name the protocol of a port, as 7000=riptide]:PORT=P:_default' \
'--server=[Name the server'\''s address, if ports do not show it]:ADDR[:PORT]:_default' \
'--flow=[Select the conversation of this number]:N:_default' \
'--leg=[Select one leg of a proxy'\''s recording]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed appears twice"))' \
'-F+[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Select messages from this time on\: 10s, 1m30s, 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Select messages before this time, written as for --since]:TIME:_default' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'--by=[Print one table\: by message, flow, peer, second or any fields]:message|flow|peer|second|FIELD,..:(message flow peer second)' \
'(--delivery --track)--step=[Count in steps of this time instead of seconds\: 500ms, 1m]:TIME:_default' \
'(--delivery --track)--sort=[Sort the table of --by by this column; default of groups\: time or bytes]:COLUMN:(messages message_share message_rate bytes byte_share byte_rate size_mean size_max faults warnings resent duplicates missing late answered answered_p50 answered_p90 answered_max)' \
'(--delivery --track)--top=[Print only the first N rows of --by]:N:_default' \
'(--by --step --delivery --track)--slow=[List messages answered or acknowledged after this time or later\: 200ms]:TIME:_default' \
'--time=[Choose the form of times of --unanswered, --never-acked and --slow]:relative|delta|utc|local|epoch:((relative\:"Since the capture'\''s first frame"
delta\:"Since the one before"
utc\:"The day and the time of day, UTC"
local\:"The day and the time of day where the program runs, with its offset from UTC"
epoch\:"Seconds since 1970"))' \
'(--by --step --delivery --track --unanswered --never-acked --slow --latency)--plot=[Draw the bytes per second over time, stacked by message or direction]::message|direction:_default' \
'(--delivery)--track=[Follow a field\: print each of its values; in text, a sparkline]:FIELD:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*--fail-on=[Exit with status 1 on faults, warnings, unclaimed traffic or reached limits]:fault|warning|unclaimed|limit:((warning\:"A warning, an error or a fault"
fault\:"A fault"
unclaimed\:"A conversation with payload that no protocol has"
limit\:"A limit that was reached"))' \
'*--expect=[Exit with status 1 unless a message matches; may be repeated]:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'*--reject=[Exit with status 1 if a message matches; may be repeated]:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-f+[Choose the form of the output]:F:((text\:"For people"
ndjson\:"One JSON object for each row"
json\:"One JSON object"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"))' \
'--format=[Choose the form of the output]:F:((text\:"For people"
ndjson\:"One JSON object for each row"
json\:"One JSON object"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"))' \
'(--track)*--columns=[Choose the columns of csv, tsv and --by FIELD]:A,B:_default' \
'(--by --step --track --unanswered --never-acked --slow --latency --plot)-o+[Write parquet into this folder, which is new or empty]:DIR:_files -/' \
'(--by --step --track --unanswered --never-acked --slow --latency --plot)--output=[Write parquet into this folder, which is new or empty]:DIR:_files -/' \
'-w+[Write the frames captured with -i\: pcapng if FILE ends in .pcapng, else pcap]:FILE:_files' \
'--write=[Write the frames captured with -i\: pcapng if FILE ends in .pcapng, else pcap]:FILE:_files' \
'-C+[Begin another file of -i -w before this one exceeds SIZE]:SIZE:_default' \
'--file-size=[Begin another file of -i -w before this one exceeds SIZE]:SIZE:_default' \
'-G+[Begin another file of -i -w after this time]:TIME:_default' \
'--file-time=[Begin another file of -i -w after this time]:TIME:_default' \
'-W+[Keep the last N files of -C and -G and remove older ones]:N:_default' \
'--file-count=[Keep the last N files of -C and -G and remove older ones]:N:_default' \
'(--track)--threads=[Read a file with N threads; default\: the number of processors, at most 8]:N:_default' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--join[Read rotated files as one capture, in the order of their first frames]' \
'(-i --interface)-D[List the network interfaces]' \
'(-i --interface)--list-interfaces[List the network interfaces]' \
'--redact[Replace addresses and application data with consistent pseudonyms]' \
'(--by --step --delivery --track)--unanswered[List the messages that nothing in the capture answers]' \
'(--by --step --delivery --track)--never-acked[List the messages that nothing in the capture acknowledges]' \
'(--by --step --delivery --track)--latency[Show how long messages waited for responses and acknowledgements]' \
'(--by)--delivery[Show which numbered messages, requests and links arrived, and when]' \
'--allow-empty[Accept that there are no messages to check]' \
'--force[Replace existing output files]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- Captures; `-` is stdin. Several are reported one by one, then together:_files' \
&& ret=0
;;
(top)
_arguments "${_arguments_options[@]}" : \
'()-i+[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'()--interface=[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'--capture-filter=[Capture only packets that this tcpdump filter selects, as '\''udp port 7777'\'']:EXPR:_default' \
'--buffer=[Buffer up to this many MiB of captured frames (tcpdump'\''s -B is in KiB)]:MIB:_default' \
'(--until)-a+[Set --until as tshark does\: duration\:10]:duration:TIME:_default' \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Set which side sent the bytes, if nothing else shows it]:client|server:_default' \
'*--port=[Name the protocol of a port, as 7000=riptide]:PORT=P:_default' \
'--server=[Name the server'\''s address, if ports do not show it]:ADDR[:PORT]:_default' \
'--flow=[Select the conversation of this number]:N:_default' \
'--leg=[Select one leg of a proxy'\''s recording]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed appears twice"))' \
'-F+[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Select messages from this time on\: 10s, 1m30s, 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Select messages before this time, written as for --since]:TIME:_default' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'--sort=[Sort by this column, the largest first]:COLUMN:(byte_rate message_rate messages bytes faults client_rtt_p50 server_rtt_p50 resent_share lost_share idle)' \
'--redraw=[Update the tables at this interval]:TIME:_default' \
'-f+[Choose the form of the output]:F:((text\:"Tables that are redrawn on a terminal; lines of NAME=VALUE in a pipe"
ndjson\:"One JSON object for each update"))' \
'--format=[Choose the form of the output]:F:((text\:"Tables that are redrawn on a terminal; lines of NAME=VALUE in a pipe"
ndjson\:"One JSON object for each update"))' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'(-i --interface)-D[List the network interfaces]' \
'(-i --interface)--list-interfaces[List the network interfaces]' \
'(-i --interface)--follow[Wait for more at the end of a growing file, until q or Ctrl-C]' \
'--redact[Replace addresses and application data with consistent pseudonyms]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::files -- A growing capture; `-` is stdin:_files' \
&& ret=0
;;
(diff)
_arguments "${_arguments_options[@]}" : \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Set which side sent the bytes, if nothing else shows it]:client|server:_default' \
'*--port=[Name the protocol of a port, as 7000=riptide]:PORT=P:_default' \
'--server=[Name the server'\''s address, if ports do not show it]:ADDR[:PORT]:_default' \
'--flow=[Select the conversation of this number]:N:_default' \
'--leg=[Select one leg of a proxy'\''s recording]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed appears twice"))' \
'-F+[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Select messages from this time on\: 10s, 1m30s, 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Select messages before this time, written as for --since]:TIME:_default' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'*--fail-on=[Exit with status 1 on such a difference, as '\''message_rate > 10%'\'']:LIMIT:_default' \
'*--ignore=[Leave out matching messages of both captures; may be repeated]:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-f+[Choose the form of the output]:F:((text\:"For people"
json\:"One JSON object"
markdown\:"Tables for a comment or a build'\''s summary"
junit\:"JUnit'\''s XML, for build servers\: a case for each limit"))' \
'--format=[Choose the form of the output]:F:((text\:"For people"
json\:"One JSON object"
markdown\:"Tables for a comment or a build'\''s summary"
junit\:"JUnit'\''s XML, for build servers\: a case for each limit"))' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--join[Read the files of a pattern, as '\''before_*.pcap'\'', as one capture]' \
'--redact[Replace addresses and application data with consistent pseudonyms]' \
'--allow-empty[Accept that there is nothing to compare]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':a -- The first capture:_files' \
':b -- The second capture:_files' \
&& ret=0
;;
(report)
_arguments "${_arguments_options[@]}" : \
'()-i+[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'()--interface=[Capture from a network interface, with tcpdump or dumpcap, until Ctrl-C]:IFACE:_default' \
'--capture-filter=[Capture only packets that this tcpdump filter selects, as '\''udp port 7777'\'']:EXPR:_default' \
'--buffer=[Buffer up to this many MiB of captured frames (tcpdump'\''s -B is in KiB)]:MIB:_default' \
'(--until)-a+[Set --until as tshark does\: duration\:10]:duration:TIME:_default' \
'-o+[Write the page to this file]:PAGE:_files' \
'--output=[Write the page to this file]:PAGE:_files' \
'--messages=[Include up to N messages with fields and bytes, those near warnings first]:N:_default' \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Set which side sent the bytes, if nothing else shows it]:client|server:_default' \
'*--port=[Name the protocol of a port, as 7000=riptide]:PORT=P:_default' \
'--server=[Name the server'\''s address, if ports do not show it]:ADDR[:PORT]:_default' \
'--flow=[Select the conversation of this number]:N:_default' \
'--leg=[Select one leg of a proxy'\''s recording]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed appears twice"))' \
'-F+[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--filter=[Select messages\: '\''riptide.message_id == 7 and not has fault'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--since=[Select messages from this time on\: 10s, 1m30s, 2026-11-21T12\:00\:00Z]:TIME:_default' \
'--until=[Select messages before this time, written as for --since]:TIME:_default' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--force[Replace an existing page]' \
'--join[Read rotated files as one capture, in the order of their first frames]' \
'--redact[Replace addresses and application data with consistent pseudonyms]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- A capture; `-` is stdin. Two are compared\: before and after; more are listed:_files' \
&& ret=0
;;
(probe)
_arguments "${_arguments_options[@]}" : \
'--targets=[Read more servers from a file, one on each line; \`-\` is stdin]:FILE:_files' \
'-p+[Set the protocol; default\: try all of them, in an order that harms none]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol; default\: try all of them, in an order that harms none]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol whose file (TOML) has a \[probe\]; may be repeated]:FILE:_files' \
'--transport=[Use only this transport; default\: each that the protocol has, in turn]:T:((udp\:"UDP"
tcp\:"TCP"
ws\:"WebSocket"))' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'-n+[Measure N round trips]:N:_default' \
'--samples=[Measure N round trips]:N:_default' \
'--interval=[Wait this long between round trips]:TIME:_default' \
'-W+[Wait this long for an answer; default\: the protocol'\''s own]:TIME:_default' \
'--timeout=[Wait this long for an answer; default\: the protocol'\''s own]:TIME:_default' \
'--max-time=[End the probe of a server after this long, whatever it sends]:TIME:_default' \
'--create=[Create an acknex entity of this model for exact round trips, and remove it]:MODEL:_default' \
'--name=[Join acknex with this player'\''s name]:NAME:_default' \
'--connect-data=[Send this to connect\: hex, text\:WORDS or a JSON object]:DATA:_default' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'-f+[Choose the form of the output]:F:((text\:"For people"
ndjson\:"One JSON object for each round trip, then one for each server"
json\:"One JSON array with an object for each server"
prometheus\:"Prometheus'\'' text format"
influx\:"InfluxDB'\''s line protocol\: one line for each server"
nagios\:"A Nagios plugin'\''s line; exit status 0 OK, 1 WARNING (answers were lost), 2 CRITICAL (a server does not answer), 3 UNKNOWN (one could not be asked)"))' \
'--format=[Choose the form of the output]:F:((text\:"For people"
ndjson\:"One JSON object for each round trip, then one for each server"
json\:"One JSON array with an object for each server"
prometheus\:"Prometheus'\'' text format"
influx\:"InfluxDB'\''s line protocol\: one line for each server"
nagios\:"A Nagios plugin'\''s line; exit status 0 OK, 1 WARNING (answers were lost), 2 CRITICAL (a server does not answer), 3 UNKNOWN (one could not be asked)"))' \
'--every=[Repeat the probe at this interval, until Ctrl-C]:TIME:_default' \
'--textfile=[Write -f prometheus to a file, for node_exporter'\''s textfile collector]:FILE:_files' \
'--pcap=[Record the exchange\: pcap, or pcapng with its messages if FILE ends in .pcapng]:FILE:_files' \
'--parallel=[Ask at most N servers at once]:N:_default' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--connect[Complete the handshake of dnp and gne, which makes a player for a moment]' \
'--force[Replace an existing output file]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::target -- Servers\: HOST\:PORT, \[IPV6\]\:PORT, ws\://HOST\:PORT/PATH; HOST alone with --proto:_default' \
&& ret=0
;;
(replay)
_arguments "${_arguments_options[@]}" : \
'(--listen)--to=[Send to this peer\: HOST\:PORT, \[IPV6\]\:PORT, ws\://HOST\:PORT/PATH]:HOST:PORT:_default' \
'--listen=[Wait for a peer at this address; with port 0 the system chooses one]:ADDR:PORT:_default' \
'--flow=[Select the conversation of this number; default\: the only one]:N:_default' \
'--leg=[Select one leg of a proxy'\''s recording; default\: client]:LEG:((client\:"Between the client and the proxy"
server\:"Between the proxy and the server"
both\:"Both\: each message that passed appears twice"))' \
'--from=[Set which side is played; default\: client with --to, server with --listen]:client|server:_default' \
'(--asap)--speed=[Play this many times as fast as captured]:X:_default' \
'--max-gap=[Shorten pauses longer than this to this time, as 1s or 200ms]:TIME:_default' \
'--loop=[Play N sessions, one after the other]:N:_default' \
'(--list --dry-run --expect --pcap --loop --from)--clients=[Play N sessions at once, and report how the server handles them]:N:_default' \
'--ramp=[Begin this many sessions each second, with --clients]:RATE:_default' \
'(--ramp --for)--stages=[Change the rate of new sessions evenly to each of these\: 10/s\:30s,100/s\:1m,0\:10s]:RATE:TIME,..:_default' \
'--for=[Replace sessions that end, for this long; default\: each is played once]:TIME:_default' \
'*--fail-on=[Exit with status 1 when a figure of --clients is out of bounds\: '\''p99>200ms'\'']:LIMIT:_default' \
'--last-frame=[Leave out everything after this frame]:FRAME:_default' \
'-W+[Wait this long for an answer that the protocol needs]:TIME:_default' \
'--timeout=[Wait this long for an answer that the protocol needs]:TIME:_default' \
'--max-time=[End a session after this long, whatever the peer sends]:TIME:_default' \
'*--on=[Act on matching messages; may be repeated]:EXPR: [after N] [once] ACTION, ..:_default' \
'*--drop=[The older form of --on '\''EXPR\: drop'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'--seed=[Choose which messages \`drop P%\` drops\: the same number drops the same ones]:N:_default' \
'(--clients)-F+[Select the peer'\''s messages that are compared, as '\''message != push'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'(--clients)--filter=[Select the peer'\''s messages that are compared, as '\''message != push'\'']:EXPR:(frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
'-f+[Choose the form of the output]:F:((text\:"For people"
ndjson\:"One JSON object for each refusal, unsent message and divergence, then one for the session; with --clients one each second, then one for all"))' \
'--format=[Choose the form of the output]:F:((text\:"For people"
ndjson\:"One JSON object for each refusal, unsent message and divergence, then one for the session; with --clients one each second, then one for all"))' \
'--pcap=[Record the exchange\: pcap, or pcapng with its messages if FILE ends in .pcapng]:FILE:_files' \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML), for --on]:FILE:_files' \
'*--port=[Name the protocol of a port, as 7000=riptide]:PORT=P:_default' \
'--server=[Name the captured server'\''s address, if ports do not show it]:ADDR[:PORT]:_default' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'--join[Read rotated files as one capture, in the order of their first frames]' \
'(--to --listen)--list[List the conversations that can be played, and do nothing else]' \
'--asap[Play as fast as the peer allows]' \
'--allow-public[Allow a peer in a network that is not private]' \
'--dry-run[Print what would be sent, and send nothing]' \
'--allow-dangerous[Send messages that may harm the peer, too\: broken and empty ones]' \
'--expect[Exit with status 1 when the peer diverges from the capture]' \
'--force[Replace an existing output file]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- A capture; `-` is stdin:_files' \
&& ret=0
;;
(proxy)
_arguments "${_arguments_options[@]}" : \
'--transport=[Use only this transport\: relay datagrams or streams]:T:((udp\:"UDP"
tcp\:"TCP, and what it carries"))' \
'*--delay=[Delay everything by this time]:TIME:_default' \
'*--jitter=[Add a random delay, exponential with this mean, and keep the order]:TIME:_default' \
'*--jitter-reorder=[Add such a delay to each datagram alone, so that they overtake each other]:TIME:_default' \
'*--loss=[Lose this share of datagrams\: each alone, or BURST in a row on average]:P%[/BURST]:_default' \
'*--duplicate=[Duplicate this share of datagrams]:P%:_default' \
'*--reorder=[Swap this share of datagrams with the next one]:P%:_default' \
'*--corrupt=[Flip one bit of this share of datagrams, or of a stream'\''s chunks]:P%:_default' \
'*--outage=[Let nothing pass for a part of each period, as 2s/30s; a stream waits]:TIME/EVERY:_default' \
'*--rate=[Limit the bits per second, headers included\: 64kbit, 1.5mbit, 1gbit]:RATE:_default' \
'*--rate-payload=[Limit as --rate does, without the IP, UDP and TCP headers]:RATE:_default' \
'*--stall=[Delay this share of a stream'\''s chunks, and what follows, as after a loss]:P%/TIME:_default' \
'*--reset=[Reset the connection at this share of a stream'\''s chunks]:P%:_default' \
'*--network=[Impair as wifi, lte, 3g, satellite or bad (\`netkit help impairments\`)]:NAME:(wifi lte 3g satellite bad)' \
'--profile=[Read a timetable of impairments from a file]:FILE:_files' \
'--like=[Impair packets as in this capture\: delay, bursts of losses, reordering]:CAPTURE:_files' \
'*--on=[Act on matching messages; may be repeated]:EXPR: [after N] [once] ACTION, ..:_default' \
'--rules=[Read rules like those of --on from a file, one on each line]:FILE:_files' \
'*--fail-on=[Exit with status 1 when rules acted too often or too rarely\: '\''not_applied > 0'\'']:LIMIT:_default' \
'--seed=[Choose which packets are impaired\: the same number impairs the same ones]:N:_default' \
'--hold=[Hold matching messages until you pass, edit or drop them]:EXPR:_default' \
'--hold-for=[Pass a held message after this time]:TIME:_default' \
'--most-held=[Hold at most N messages at once, and pass further ones]:N:_default' \
'-f+[Choose the form of the output]:F:((summary\:"One line for each message"
tree\:"Annotated trees\: each field with its bytes"
table\:"A table, at the end, for a few messages"
ndjson\:"One JSON object for each message\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Client at the left, server at the right"
hexdump\:"Bytes with offsets\: for netkit dump and Wireshark'\''s text2pcap"
none\:"Nothing but the counts at the end"))' \
'--format=[Choose the form of the output]:F:((summary\:"One line for each message"
tree\:"Annotated trees\: each field with its bytes"
table\:"A table, at the end, for a few messages"
ndjson\:"One JSON object for each message\: values"
json\:"One JSON array of annotated trees"
csv\:"Comma-separated values after a line of names; see --columns"
tsv\:"The same with tabs"
dialogue\:"Client at the left, server at the right"
hexdump\:"Bytes with offsets\: for netkit dump and Wireshark'\''s text2pcap"
none\:"Nothing but the counts at the end"))' \
'*--columns=[Choose the columns of csv, tsv and summary\: time,src,message,message_id]:A,B.C:_default' \
'--pcap=[Record both legs as pcapng, with each packet'\''s outcome as its comment]:FILE:_files' \
'--pcap-size=[Begin another recording file before this one exceeds SIZE]:SIZE:_default' \
'--pcap-files=[Keep the last N files of --pcap-size and remove older ones]:N:_default' \
'--status=[Print the counts so far on stderr at this interval; SIGUSR1 prints them once]:TIME:_default' \
'--most-clients=[Accept at most N clients at once]:N:_default' \
'--idle=[Forget a UDP client that was silent for this long]:TIME:_default' \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*--port=[Name the protocol of a port, as 7000=riptide]:PORT=P:_default' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'*--up[Apply the impairments that follow to what clients send]' \
'*--down[Apply the impairments that follow to what the server sends]' \
'*--both[Apply the impairments that follow to both directions (the default)]' \
'(-f --format --columns --status)--view[Show the messages on the terminal, as netkit view; hold, edit and drop them]' \
'--force[Replace an existing output file]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':listen -- Listen for clients here\: \:PORT on this machine alone, ADDR\:PORT on that address:_default' \
':target -- Forward to this server\: HOST\:PORT:_default' \
&& ret=0
;;
(wireshark)
_arguments "${_arguments_options[@]}" : \
'*--protocol-file=[Load a protocol that a file describes (TOML), to add its fields]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML), to add their fields]:FILE:_files' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':what -- Install, remove or print the script:((install\:"Write script and extcap entry into Wireshark'\''s personal folders"
remove\:"Remove what \`install\` wrote"
print\:"Print the script, and its place on stderr"))' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'-p+[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'--proto=[Set the protocol, or the file that describes it, instead of recognising it]:P:(riptide dnp nano gne acknex)' \
'*--protocol-file=[Load a protocol that a file describes (TOML); may be repeated]:FILE:_files' \
'*--schema=[Load the layouts of your game'\''s payloads (TOML); may be repeated]:FILE:_files' \
'*-s+[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'*--set=[Change a setting of a protocol, as \`netkit fields PROTO\` lists them]:KEY=VALUE:(riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0)' \
'--from=[Set which side sent the bytes, if nothing else shows it]:client|server:_default' \
'*--port=[Name the protocol of a port, as 7000=mygame]:PORT=P:_default' \
'--server=[Name the server'\''s address, if ports do not show it]:ADDR[:PORT]:_default' \
'--first=[Show at most N packets that do not fit, and N places of any other finding]:N:_default' \
'-f+[Choose the form of the output]:F:((text\:"For people"
json\:"One JSON object"))' \
'--format=[Choose the form of the output]:F:((text\:"For people"
json\:"One JSON object"))' \
'*--limit=[Change a limit of memory; \`netkit fields\` lists them, N may end in K, M, G]:NAME=N:_default' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'(-f --format --first --allow-empty -p --proto -s --set --from --port)--suggest[Print a first file for an unknown protocol, from what the bytes show]' \
'--allow-empty[Accept captures without packets of the protocol]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':file -- The file that describes a protocol (TOML)\: `netkit help protocol-files`:_files' \
'*::captures -- Captures or hex text with its packets; `-` is stdin:_files' \
&& ret=0
;;
(fields)
_arguments "${_arguments_options[@]}" : \
'*--schema=[Load the layouts of your game'\''s payloads (TOML), to document them]:FILE:_files' \
'*--protocol-file=[Load a protocol that a file describes (TOML), to document it]:FILE:_files' \
'(-f --format --examples --as-toml)--from=[Convert a description in another language (.proto, .ksy) into a protocol file]:FILE:_files' \
'-f+[Choose the form of the output]:F:((text\:"For people"
json\:"For tools"))' \
'--format=[Choose the form of the output]:F:((text\:"For people"
json\:"For tools"))' \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'(-f --format)--examples[List built-in protocol files, print the one named, or write all into DIR/]' \
'(-f --format)--as-toml[Print the protocol'\''s tables as a protocol file (TOML), to begin your own]' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::what -- A protocol, or one of its messages; nothing\: all protocols:(riptide dnp nano gne acknex acknex.create acknex.effect acknex.entsound acknex.fill acknex.info acknex.join acknex.level acknex.local acknex.ping acknex.remove acknex.skill acknex.skill3 acknex.string acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.var dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.link_down dnp.link_state dnp.link_up dnp.link_update dnp.long_link_state dnp.long_message dnp.reliable_acknowledge dnp.reliable_message dnp.unknown dnp.unreliable_message gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.frame gne.packets nano.binary nano.close nano.data nano.frame nano.handshake nano.handshake_ack nano.heartbeat nano.kick nano.notify nano.ping nano.pong nano.push nano.request nano.response nano.text nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.client_connected riptide.client_disconnected riptide.connect riptide.disconnect riptide.heartbeat riptide.notify riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome)' \
&& ret=0
;;
(completions)
_arguments "${_arguments_options[@]}" : \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':shell -- The shell:(bash elvish fish powershell zsh)' \
&& ret=0
;;
(man)
_arguments "${_arguments_options[@]}" : \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
'--color=[Choose when to print in colour]:WHEN:((auto\:"On a terminal, unless NO_COLOR is set"
always\:"Always"
never\:"Never"))' \
'-q[Print no progress and no summaries on stderr]' \
'--quiet[Print no progress and no summaries on stderr]' \
'*-v[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'*--verbose[Print more\: whole hex, why a protocol was recognised, what other frames were]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::topic -- A command, or a topic as `netkit help` lists them:(decode view dump encode stats top diff report probe replay proxy wireshark check fields completions man help riptide dnp nano gne acknex hawknl websocket output figures filters rules impairments schemas protocol-files your-protocol recognition inspector live performance columns reports wireshark builds platforms glossary contributing)' \
&& ret=0
;;
        esac
    ;;
esac
}

(( $+functions[_netkit_commands] )) ||
_netkit_commands() {
    local commands; commands=(
'decode:Print the messages of captures or hex text, each field with its bytes' \
'view:Show messages, fields and bytes on the terminal\: find, filter, follow links' \
'dump:Print the messages of hex text\: plain, 0x lists, C arrays, xxd, tcpdump -x' \
'encode:Write messages from FIELD=VALUE, or from the JSON lines that decode prints' \
'stats:Count messages, bytes, losses, delays and round trips of a capture' \
'top:Watch live messages and conversations with their rates' \
'diff:Compare two captures\: messages, rates, sizes, fields and delivery' \
'report:Make an HTML page of a capture, or compare two\: charts, sequences, messages' \
'probe:Ask servers what they are, measure round trips, and report why one fails' \
'replay:Play one side of a captured conversation to a live peer' \
'proxy:Relay live traffic to a server\: show, delay, lose and edit messages' \
'wireshark:Show netkit'\''s analysis in Wireshark\: its script, and live capture' \
'check:Check a file that describes a protocol, and how well it explains captures' \
'fields:Document the messages, fields, settings and notes of protocols' \
'completions:Print the completions for a shell' \
'man:Print the man page' \
'help:Explain a command, a protocol or a topic' \
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
(( $+functions[_netkit__subcmd__view_commands] )) ||
_netkit__subcmd__view_commands() {
    local commands; commands=()
    _describe -t commands 'netkit view commands' commands "$@"
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
