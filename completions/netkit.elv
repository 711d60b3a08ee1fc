
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
            cand fields 'Document the messages, fields, settings and notes of the protocols'
            cand completions 'Print the completions for a shell'
            cand man 'Print the man page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'netkit;decode'= {
            cand -p 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
            cand --proto 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
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
            cand -p 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
            cand --proto 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
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
            cand -p 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
            cand --proto 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
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
            cand -p 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
            cand --proto 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
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
            cand -p 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
            cand --proto 'The protocol [possible values: riptide, dnp, nano, gne, acknex]; default: recognise it'
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
            cand --fail-on 'Exit with status 1 when there is a difference like that; may be given several times'
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
