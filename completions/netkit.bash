_netkit() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="netkit"
                ;;
            netkit,check)
                cmd="netkit__subcmd__check"
                ;;
            netkit,completions)
                cmd="netkit__subcmd__completions"
                ;;
            netkit,decode)
                cmd="netkit__subcmd__decode"
                ;;
            netkit,diff)
                cmd="netkit__subcmd__diff"
                ;;
            netkit,dump)
                cmd="netkit__subcmd__dump"
                ;;
            netkit,encode)
                cmd="netkit__subcmd__encode"
                ;;
            netkit,fields)
                cmd="netkit__subcmd__fields"
                ;;
            netkit,help)
                cmd="netkit__subcmd__help"
                ;;
            netkit,man)
                cmd="netkit__subcmd__man"
                ;;
            netkit,probe)
                cmd="netkit__subcmd__probe"
                ;;
            netkit,proxy)
                cmd="netkit__subcmd__proxy"
                ;;
            netkit,replay)
                cmd="netkit__subcmd__replay"
                ;;
            netkit,report)
                cmd="netkit__subcmd__report"
                ;;
            netkit,stats)
                cmd="netkit__subcmd__stats"
                ;;
            netkit,top)
                cmd="netkit__subcmd__top"
                ;;
            netkit,view)
                cmd="netkit__subcmd__view"
                ;;
            netkit,wireshark)
                cmd="netkit__subcmd__wireshark"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        netkit)
            opts="-q -v -h -V --color --quiet --verbose --help --version decode view dump encode stats top diff report probe replay proxy wireshark check fields completions man help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__check)
            opts="-p -s -f -q -v -h --suggest --proto --protocol-file --schema --set --from --port --server --first --format --allow-empty --limit --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --first)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__completions)
            opts="-q -v -h --color --quiet --verbose --help bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__decode)
            opts="-r -i -a -D -p -s -F -B -A -f -c -w -C -G -W -o -q -v -h --interface --capture-filter --buffer --list-interfaces --proto --protocol-file --schema --set --from --conversations --port --server --flow --leg --filter --since --until --redact --limit --before-context --after-context --context --threads --link --format --columns --bytes --count --fail-on --expect --reject --allow-empty --account --join --write --file-size --file-time --file-count --whole --redact-unknown --follow --time --output --comments --force --no-pager --check --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                -r)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --interface)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -i)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --capture-filter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --buffer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --conversations)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --leg)
                    COMPREPLY=($(compgen -W "client server both" -- "${cur}"))
                    return 0
                    ;;
                --filter)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                -F)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --before-context)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -B)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --after-context)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -A)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --context)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "tree summary table ndjson json csv tsv dialogue hexdump pcapng" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "tree summary table ndjson json csv tsv dialogue hexdump pcapng" -- "${cur}"))
                    return 0
                    ;;
                --columns)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --count)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -c)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "warning fault unclaimed limit" -- "${cur}"))
                    return 0
                    ;;
                --expect)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --reject)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --write)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                -w)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --file-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -C)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --file-time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -G)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --file-count)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -W)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --time)
                    COMPREPLY=($(compgen -W "relative delta utc local epoch" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --comments)
                    COMPREPLY=($(compgen -W "tree plain" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__diff)
            opts="-p -s -F -f -q -v -h --join --proto --protocol-file --schema --set --from --port --server --flow --leg --filter --since --until --redact --limit --fail-on --ignore --allow-empty --format --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --leg)
                    COMPREPLY=($(compgen -W "client server both" -- "${cur}"))
                    return 0
                    ;;
                --filter)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                -F)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json markdown junit" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "text json markdown junit" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__dump)
            opts="-p -s -f -c -q -v -h --proto --protocol-file --schema --set --from --lines --payload --packet --port --server --format --columns --bytes --count --fail-on --expect --reject --allow-empty --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "tree summary table ndjson json csv tsv dialogue hexdump pcapng" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "tree summary table ndjson json csv tsv dialogue hexdump pcapng" -- "${cur}"))
                    return 0
                    ;;
                --columns)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --count)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -c)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "warning fault unclaimed limit" -- "${cur}"))
                    return 0
                    ;;
                --expect)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --reject)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__encode)
            opts="-p -s -o -q -v -h --json --proto --protocol-file --schema --set --from --as --output --force --transport --keep-going --color --quiet --verbose --help acknex.create acknex.effect acknex.entsound acknex.fill acknex.info acknex.join acknex.level acknex.local acknex.ping acknex.remove acknex.skill acknex.skill3 acknex.string acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.var dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.link_down dnp.link_state dnp.link_up dnp.link_update dnp.long_link_state dnp.long_message dnp.reliable_acknowledge dnp.reliable_message dnp.unknown dnp.unreliable_message gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.frame gne.packets nano.binary nano.close nano.data nano.frame nano.handshake nano.handshake_ack nano.heartbeat nano.kick nano.notify nano.ping nano.pong nano.push nano.request nano.response nano.text nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.client_connected riptide.client_disconnected riptide.connect riptide.disconnect riptide.heartbeat riptide.notify riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --json)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -W "hex raw pcap c rust python" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                -o)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --transport)
                    COMPREPLY=($(compgen -W "udp tcp ws" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__fields)
            opts="-f -q -v -h --schema --protocol-file --examples --from --format --as-toml --color --quiet --verbose --help riptide dnp nano gne acknex acknex.create acknex.effect acknex.entsound acknex.fill acknex.info acknex.join acknex.level acknex.local acknex.ping acknex.remove acknex.skill acknex.skill3 acknex.string acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.var dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.link_down dnp.link_state dnp.link_up dnp.link_update dnp.long_link_state dnp.long_message dnp.reliable_acknowledge dnp.reliable_message dnp.unknown dnp.unreliable_message gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.frame gne.packets nano.binary nano.close nano.data nano.frame nano.handshake nano.handshake_ack nano.heartbeat nano.kick nano.notify nano.ping nano.pong nano.push nano.request nano.response nano.text nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.client_connected riptide.client_disconnected riptide.connect riptide.disconnect riptide.heartbeat riptide.notify riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --from)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__help)
            opts="-q -v -h --color --quiet --verbose --help decode view dump encode stats top diff report probe replay proxy wireshark check fields completions man help riptide dnp nano gne acknex hawknl websocket output figures filters rules impairments schemas protocol-files your-protocol recognition inspector live performance columns reports wireshark builds platforms glossary contributing"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__man)
            opts="-q -v -h --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__probe)
            opts="-p -s -n -W -f -q -v -h --targets --proto --protocol-file --transport --set --samples --interval --timeout --max-time --connect --create --name --connect-data --schema --format --every --textfile --pcap --force --parallel --limit --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --targets)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --transport)
                    COMPREPLY=($(compgen -W "udp tcp ws" -- "${cur}"))
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --samples)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --interval)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -W)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --create)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --connect-data)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text ndjson json prometheus influx nagios" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "text ndjson json prometheus influx nagios" -- "${cur}"))
                    return 0
                    ;;
                --every)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --textfile)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --pcap)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --parallel)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__proxy)
            opts="-f -p -s -q -v -h --transport --up --down --both --delay --jitter --jitter-reorder --loss --duplicate --reorder --corrupt --outage --rate --rate-payload --stall --reset --network --profile --like --on --rules --fail-on --seed --view --hold --hold-for --most-held --format --columns --pcap --pcap-size --pcap-files --status --force --most-clients --idle --proto --protocol-file --set --schema --port --limit --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --transport)
                    COMPREPLY=($(compgen -W "udp tcp" -- "${cur}"))
                    return 0
                    ;;
                --delay)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --jitter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --jitter-reorder)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --loss)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --duplicate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reorder)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --corrupt)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --outage)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rate-payload)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stall)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reset)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --network)
                    COMPREPLY=($(compgen -W "wifi lte 3g satellite bad" -- "${cur}"))
                    return 0
                    ;;
                --profile)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --like)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --on)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rules)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hold)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hold-for)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --most-held)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "summary tree table ndjson json csv tsv dialogue hexdump none" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "summary tree table ndjson json csv tsv dialogue hexdump none" -- "${cur}"))
                    return 0
                    ;;
                --columns)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pcap)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --pcap-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pcap-files)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --status)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --most-clients)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --idle)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__replay)
            opts="-W -F -f -p -s -q -v -h --join --to --listen --list --flow --leg --from --speed --asap --max-gap --loop --clients --ramp --stages --for --fail-on --allow-public --last-frame --timeout --max-time --on --drop --seed --dry-run --allow-dangerous --expect --filter --format --pcap --force --proto --protocol-file --set --schema --port --server --limit --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --listen)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --leg)
                    COMPREPLY=($(compgen -W "client server both" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --speed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-gap)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --loop)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --clients)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ramp)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stages)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --for)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --last-frame)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -W)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --on)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --drop)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --filter)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                -F)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text ndjson" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "text ndjson" -- "${cur}"))
                    return 0
                    ;;
                --pcap)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__report)
            opts="-i -a -o -p -s -F -q -v -h --interface --capture-filter --buffer --output --force --join --messages --proto --protocol-file --schema --set --from --port --server --flow --leg --filter --since --until --redact --limit --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --interface)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -i)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --capture-filter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --buffer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                -o)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --messages)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --leg)
                    COMPREPLY=($(compgen -W "client server both" -- "${cur}"))
                    return 0
                    ;;
                --filter)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                -F)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__stats)
            opts="-i -a -D -p -s -F -f -o -w -C -G -W -q -v -h --join --interface --capture-filter --buffer --list-interfaces --proto --protocol-file --schema --set --from --conversations --port --server --flow --leg --filter --since --until --redact --limit --by --step --sort --top --unanswered --never-acked --slow --time --plot --latency --delivery --track --fail-on --expect --reject --allow-empty --format --columns --output --write --file-size --file-time --file-count --force --threads --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --interface)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -i)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --capture-filter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --buffer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --conversations)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --leg)
                    COMPREPLY=($(compgen -W "client server both" -- "${cur}"))
                    return 0
                    ;;
                --filter)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                -F)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --by)
                    COMPREPLY=($(compgen -W "message flow peer second" -- "${cur}"))
                    return 0
                    ;;
                --step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "messages message_share message_rate bytes byte_share byte_rate size_mean size_max faults warnings resent duplicates missing late answered answered_p50 answered_p90 answered_max" -- "${cur}"))
                    return 0
                    ;;
                --top)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --slow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --time)
                    COMPREPLY=($(compgen -W "relative delta utc local epoch" -- "${cur}"))
                    return 0
                    ;;
                --plot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --track)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "warning fault unclaimed limit" -- "${cur}"))
                    return 0
                    ;;
                --expect)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --reject)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text ndjson json csv tsv" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "text ndjson json csv tsv" -- "${cur}"))
                    return 0
                    ;;
                --columns)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --write)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                -w)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --file-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -C)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --file-time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -G)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --file-count)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -W)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__top)
            opts="-i -a -D -p -s -F -f -q -v -h --interface --capture-filter --buffer --list-interfaces --follow --proto --protocol-file --schema --set --from --port --server --flow --leg --filter --since --until --redact --limit --sort --redraw --format --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --interface)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -i)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --capture-filter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --buffer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --leg)
                    COMPREPLY=($(compgen -W "client server both" -- "${cur}"))
                    return 0
                    ;;
                --filter)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                -F)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "byte_rate message_rate messages bytes faults client_rtt_p50 server_rtt_p50 resent_share lost_share idle" -- "${cur}"))
                    return 0
                    ;;
                --redraw)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text ndjson" -- "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -W "text ndjson" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__view)
            opts="-i -a -D -p -s -F -q -v -h --interface --capture-filter --buffer --list-interfaces --follow --proto --protocol-file --schema --set --from --port --server --flow --leg --filter --since --until --redact --limit --threads --time --color --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --interface)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -i)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --capture-filter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --buffer)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -a)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --proto)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                -p)
                    COMPREPLY=($(compgen -W "riptide dnp nano gne acknex" -- "${cur}"))
                    return 0
                    ;;
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --set)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                -s)
                    COMPREPLY=($(compgen -W "riptide.version=auto riptide.version=1.0 riptide.version=1.2 riptide.version=2.0 riptide.version=2.1 riptide.version=2.2 riptide.framing=auto riptide.framing=none riptide.framing=u16 riptide.framing=i32 riptide.timeout=5s riptide.attempts=15 riptide.quality=on riptide.quality=off dnp.link_update=wire dnp.link_update=specification dnp.types=none dnp.resend=500ms dnp.timeout=3s nano.dict=none nano.protos=none nano.payload=auto nano.payload=json nano.payload=raw nano.carrier=auto nano.carrier=tcp nano.carrier=websocket gne.endian=auto gne.endian=le gne.endian=be gne.build=auto gne.message=auto gne.message=connection_request gne.message=connection_refused gne.message=connection_accepted gne.message=client_port gne.message=packets acknex.version=auto acknex.version=a5 acknex.version=a6 acknex.angle=auto acknex.angle=be acknex.angle=le acknex.position=auto acknex.position=packed acknex.position=fixed acknex.skin=table acknex.skin=bit acknex.color=auto acknex.color=rgb acknex.color=bgr acknex.no_z=no acknex.no_z=yes acknex.skip=0" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --server)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --leg)
                    COMPREPLY=($(compgen -W "client server both" -- "${cur}"))
                    return 0
                    ;;
                --filter)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                -F)
                    COMPREPLY=($(compgen -W "frame time flow length proto version from transport src dst host ip port message note copy leg related related.kind related.frame related.index related.after_ms acknex.action acknex.albedo acknex.alpha acknex.ambient acknex.color acknex.command acknex.create acknex.effect acknex.entity acknex.entity_dpid acknex.entsound acknex.file_name acknex.fill acknex.flags acknex.flags1 acknex.flags2 acknex.frame acknex.frame_time acknex.function acknex.handle acknex.identifier acknex.index acknex.info acknex.join acknex.level acknex.level_name acknex.lightrange acknex.local acknex.member acknex.nextframe acknex.number acknex.offset acknex.pan acknex.ping acknex.player_dpid acknex.player_name acknex.position acknex.protocol_version acknex.reading acknex.remove acknex.request_frame acknex.roll acknex.round_trip_ms acknex.scale acknex.server_time acknex.skill acknex.skill3 acknex.skills acknex.skin acknex.sound acknex.start acknex.string acknex.sync acknex.text acknex.tilt acknex.type acknex.unknown acknex.update1 acknex.update2 acknex.update3 acknex.uv acknex.values acknex.var acknex.var_length acknex.velocity acknex.volume dnp.command dnp.connection_acknowledge dnp.connection_close dnp.connection_request dnp.data dnp.flags dnp.link_count dnp.link_down dnp.link_id dnp.link_state dnp.link_up dnp.link_update dnp.links dnp.long_link_state dnp.long_message dnp.message dnp.number dnp.parts dnp.protocol dnp.protocol_count dnp.protocols dnp.reliable_acknowledge dnp.reliable_message dnp.result dnp.unknown dnp.unreliable_message dnp.value_count dnp.values gne.accepted gne.build gne.client_port gne.connection_accepted gne.connection_refused gne.connection_request gne.data gne.frame gne.game gne.magic gne.max_rate gne.packets gne.pings gne.port gne.reason gne.sub_version gne.tcp_flow gne.unreliable gne.user_version gne.version nano.binary nano.body nano.close nano.code nano.compressed nano.data nano.extensions nano.flags nano.frame nano.handshake nano.handshake_ack nano.head nano.header nano.heartbeat nano.id nano.inflated nano.json nano.kick nano.length nano.mask nano.message nano.notify nano.opcode nano.payload nano.ping nano.pong nano.push nano.reason nano.request nano.response nano.route nano.route_code nano.status nano.target nano.text nano.type nano.unknown nano.upgrade_request nano.upgrade_response riptide.ack riptide.ack_extra riptide.acked riptide.acks riptide.acks_bitfield riptide.client_connected riptide.client_disconnected riptide.client_id riptide.connect riptide.copy riptide.data riptide.disconnect riptide.for_seq_id riptide.heartbeat riptide.is_extra riptide.last_received_seq_id riptide.message_id riptide.notify riptide.payload riptide.ping_id riptide.reason riptide.reject riptide.reliable riptide.reliable_auto_relay riptide.rtt riptide.sequence_id riptide.trailing riptide.type riptide.unknown riptide.unreliable riptide.unreliable_auto_relay riptide.welcome" -- "${cur}"))
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --time)
                    COMPREPLY=($(compgen -W "relative delta utc local epoch" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        netkit__subcmd__wireshark)
            opts="-q -v -h --protocol-file --schema --color --quiet --verbose --help install remove print"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --protocol-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --schema)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _netkit -o nosort -o bashdefault -o default netkit
else
    complete -F _netkit -o bashdefault -o default netkit
fi
