
use builtin;
use str;

set edit:completion:arg-completer[netkit] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'netkit'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'netkit'= {
            cand --color 'Colours and highlights'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand decode 'Dissect captures (pcap, pcapng, either gzipped) or hex text into annotated field trees'
            cand dump 'Dissect hex text: plain, 0x lists, C arrays, xxd, hexdump -C, tcpdump -x, Wireshark'
            cand encode 'Write messages: from FIELD=VALUE, or from the JSON lines that decode prints'
            cand stats 'Count a capture''s messages: conversations, bandwidth, delivery, round trips, series of a field'
            cand diff 'Compare two captures: messages that appeared or vanished, rates, sizes, fields, delivery'
            cand probe 'Ask live servers: is it there, what is it, how far away, and if not, why not'
            cand replay 'Play one side of a captured conversation to a live peer'
            cand fields 'Document the messages, fields, settings and notes of the protocols'
            cand completions 'Print the completions for a shell'
            cand man 'Print the man page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'netkit;decode'= {
            cand -p 'The protocol; default: recognise it'
            cand --proto 'The protocol; default: recognise it'
            cand --schema 'The layouts of your game''s payloads (TOML); may be given several times'
            cand -s 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --set 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --from 'Who sent the bytes, or the first packet of a conversation, where nothing else tells'
            cand --port 'Which protocol a port carries, as 7000=riptide'
            cand --server 'The server''s address, where ports cannot tell'
            cand --flow 'Only the conversation of that number'
            cand -F 'Only messages that fit: "riptide.message_id == 7 and not has fault"'
            cand --filter 'Only messages that fit: "riptide.message_id == 7 and not has fault"'
            cand --since 'Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z'
            cand --until 'Only messages before then: as --since'
            cand --limit 'Another bound for memory: `netkit fields` lists them; N may end in K, M, G'
            cand --threads 'Dissect a file with N threads; default: as many as there are processors (ndjson, json, summary, tree)'
            cand -f 'Form of the output'
            cand --format 'Form of the output'
            cand --fail-on 'Exit with status 1 when a message has a fault, or a warning'
            cand -c 'Stop after N messages'
            cand --count 'Stop after N messages'
            cand --time 'How tree, summary and table show times'
            cand --color 'Colours and highlights'
            cand --bytes 'ndjson and json: add the whole message as hex, `"bytes":".."`'
            cand --follow 'Go on when the end is reached: a file that grows, a named pipe; until Ctrl-C'
            cand --check 'Instead of printing: write every message again from its JSON line, and compare the bytes'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;dump'= {
            cand -p 'The protocol; default: recognise it'
            cand --proto 'The protocol; default: recognise it'
            cand --schema 'The layouts of your game''s payloads (TOML); may be given several times'
            cand -s 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --set 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --from 'Who sent the bytes, or the first packet of a conversation, where nothing else tells'
            cand -f 'Form of the output'
            cand --format 'Form of the output'
            cand --fail-on 'Exit with status 1 when a message has a fault, or a warning'
            cand -c 'Stop after N messages'
            cand --count 'Stop after N messages'
            cand --color 'Colours and highlights'
            cand --lines 'Each line of plain hex is a message of its own (default: up to a blank line)'
            cand --bytes 'ndjson and json: add the whole message as hex, `"bytes":".."`'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;encode'= {
            cand --json 'Messages as JSON objects: lines of decode -f ndjson, the array of -f json, or written by hand; `-` is stdin'
            cand -p 'The protocol; default: recognise it'
            cand --proto 'The protocol; default: recognise it'
            cand --schema 'The layouts of your game''s payloads (TOML); may be given several times'
            cand -s 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --set 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --from 'Who sent the bytes, or the first packet of a conversation, where nothing else tells'
            cand --to 'Form of the bytes [default: hex; pcap where the output''s name ends so]'
            cand -o 'Where to write; default: stdout'
            cand --output 'Where to write; default: stdout'
            cand --transport 'Add what stands around each message in a stream: a length, a header, a WebSocket frame [default: none; for pcap as the line says]'
            cand --color 'Colours and highlights'
            cand --keep-going 'Report messages that cannot be written, and go on with the next'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;stats'= {
            cand -p 'The protocol; default: recognise it'
            cand --proto 'The protocol; default: recognise it'
            cand --schema 'The layouts of your game''s payloads (TOML); may be given several times'
            cand -s 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --set 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --from 'Who sent the bytes, or the first packet of a conversation, where nothing else tells'
            cand --port 'Which protocol a port carries, as 7000=riptide'
            cand --server 'The server''s address, where ports cannot tell'
            cand --flow 'Only the conversation of that number'
            cand -F 'Only messages that fit: "riptide.message_id == 7 and not has fault"'
            cand --filter 'Only messages that fit: "riptide.message_id == 7 and not has fault"'
            cand --since 'Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z'
            cand --until 'Only messages before then: as --since'
            cand --limit 'Another bound for memory: `netkit fields` lists them; N may end in K, M, G'
            cand --by 'One table: by message, flow, peer or second; with --track: the field that tells series apart'
            cand --track 'Follow a field: a line each time it occurs; in text a sparkline'
            cand -f 'Form of the output'
            cand --format 'Form of the output'
            cand --color 'Colours and highlights'
            cand --delivery 'What became of numbered messages, requests and links'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;diff'= {
            cand -p 'The protocol; default: recognise it'
            cand --proto 'The protocol; default: recognise it'
            cand --schema 'The layouts of your game''s payloads (TOML); may be given several times'
            cand -s 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --set 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --from 'Who sent the bytes, or the first packet of a conversation, where nothing else tells'
            cand --port 'Which protocol a port carries, as 7000=riptide'
            cand --server 'The server''s address, where ports cannot tell'
            cand --flow 'Only the conversation of that number'
            cand -F 'Only messages that fit: "riptide.message_id == 7 and not has fault"'
            cand --filter 'Only messages that fit: "riptide.message_id == 7 and not has fault"'
            cand --since 'Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z'
            cand --until 'Only messages before then: as --since'
            cand --limit 'Another bound for memory: `netkit fields` lists them; N may end in K, M, G'
            cand --fail-on 'Exit with status 1 when there is such a difference: METRIC>PERCENT, appeared, vanished, fields; may be given several times'
            cand -f 'Form of the output'
            cand --format 'Form of the output'
            cand --color 'Colours and highlights'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;probe'= {
            cand --targets 'More servers, one a line; `#` begins a comment; `-` is stdin'
            cand -p 'The protocol; default: try all of them, in an order that harms none'
            cand --proto 'The protocol; default: try all of them, in an order that harms none'
            cand --transport 'Only over this transport; default: what the protocol has, one after the other'
            cand -s 'A setting of a protocol, as `netkit fields PROTO` lists them: riptide.version=2.0'
            cand --set 'A setting of a protocol, as `netkit fields PROTO` lists them: riptide.version=2.0'
            cand -n 'How many round trips to measure'
            cand --samples 'How many round trips to measure'
            cand -i 'Seconds from one to the next'
            cand --interval 'Seconds from one to the next'
            cand -W 'Seconds to wait for an answer; default: the protocol''s own'
            cand --timeout 'Seconds to wait for an answer; default: the protocol''s own'
            cand --create 'acknex: create an entity of this model for exact round trips, and remove it. Changes the running game'
            cand --name 'acknex: the player''s name to join with'
            cand -f 'Form of the output'
            cand --format 'Form of the output'
            cand --pcap 'Record the exchange as a capture'
            cand --parallel 'So many servers at once'
            cand --color 'Colours and highlights'
            cand --connect 'dnp, gne: complete the handshake, which makes a player for a moment'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;replay'= {
            cand --to 'Go to this peer: HOST:PORT, [IPV6]:PORT, ws://HOST:PORT/PATH'
            cand --listen 'Wait for a peer here; port 0: any'
            cand --flow 'Play the conversation of that number; default: the only one'
            cand --from 'Whose side is played [default: client with --to, server with --listen]'
            cand --speed 'So many times as fast as captured'
            cand --max-gap 'No pause is longer, as 1s or 200ms'
            cand --loop 'So many sessions, one after the other'
            cand --until 'Leave out everything behind this frame'
            cand -W 'How long the peer may take where the protocol needs its answer'
            cand --timeout 'How long the peer may take where the protocol needs its answer'
            cand --edit 'Change a message on its way; may be given several times'
            cand --drop 'Leave out messages that fit; may be given several times'
            cand -f 'Form of the report'
            cand --format 'Form of the report'
            cand --pcap 'Record the exchange as a capture'
            cand -p 'The protocol; default: recognise it'
            cand --proto 'The protocol; default: recognise it'
            cand -s 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --set 'A setting of a protocol, as `netkit fields PROTO` lists them'
            cand --schema 'The layouts of your game''s payloads (TOML), for --edit'
            cand --port 'Which protocol a port carries, as 7000=riptide'
            cand --server 'The captured server''s address, where ports cannot tell'
            cand --color 'Colours and highlights'
            cand --list 'List the conversations that can be played, and do nothing else'
            cand --asap 'As fast as the peer allows'
            cand --dry-run 'Print what would be said, and say nothing'
            cand --allow-dangerous 'Say also what may harm the peer: broken and empty messages'
            cand --expect 'Exit with status 1 when the peer diverges from the capture'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;fields'= {
            cand --schema 'Document the messages of these schemas too (TOML)'
            cand -f 'Form of the output'
            cand --format 'Form of the output'
            cand --color 'Colours and highlights'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;completions'= {
            cand --color 'Colours and highlights'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;man'= {
            cand --color 'Colours and highlights'
            cand -q 'No progress, no summaries on stderr'
            cand --quiet 'No progress, no summaries on stderr'
            cand -v 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand --verbose 'Say more: whole hex, why a protocol was recognised, what the other frames were'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'netkit;help'= {
            cand decode 'Dissect captures (pcap, pcapng, either gzipped) or hex text into annotated field trees'
            cand dump 'Dissect hex text: plain, 0x lists, C arrays, xxd, hexdump -C, tcpdump -x, Wireshark'
            cand encode 'Write messages: from FIELD=VALUE, or from the JSON lines that decode prints'
            cand stats 'Count a capture''s messages: conversations, bandwidth, delivery, round trips, series of a field'
            cand diff 'Compare two captures: messages that appeared or vanished, rates, sizes, fields, delivery'
            cand probe 'Ask live servers: is it there, what is it, how far away, and if not, why not'
            cand replay 'Play one side of a captured conversation to a live peer'
            cand fields 'Document the messages, fields, settings and notes of the protocols'
            cand completions 'Print the completions for a shell'
            cand man 'Print the man page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'netkit;help;decode'= {
        }
        &'netkit;help;dump'= {
        }
        &'netkit;help;encode'= {
        }
        &'netkit;help;stats'= {
        }
        &'netkit;help;diff'= {
        }
        &'netkit;help;probe'= {
        }
        &'netkit;help;replay'= {
        }
        &'netkit;help;fields'= {
        }
        &'netkit;help;completions'= {
        }
        &'netkit;help;man'= {
        }
        &'netkit;help;help'= {
        }
    ]
    $completions[$command]
}
