
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'netkit' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'netkit'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'netkit' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('decode', 'decode', [CompletionResultType]::ParameterValue, 'Dissect captures (pcap, pcapng, either gzipped) or hex text into annotated field trees')
            [CompletionResult]::new('dump', 'dump', [CompletionResultType]::ParameterValue, 'Dissect hex text: plain, 0x lists, C arrays, xxd, hexdump -C, tcpdump -x, Wireshark')
            [CompletionResult]::new('encode', 'encode', [CompletionResultType]::ParameterValue, 'Write messages: from FIELD=VALUE, or from the JSON lines that decode prints')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Count a capture''s messages: conversations, bandwidth, delivery, round trips, series of a field')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Compare two captures: messages that appeared or vanished, rates, sizes, fields, delivery')
            [CompletionResult]::new('probe', 'probe', [CompletionResultType]::ParameterValue, 'Ask live servers: is it there, what is it, how far away, and if not, why not')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Play one side of a captured conversation to a live peer')
            [CompletionResult]::new('fields', 'fields', [CompletionResultType]::ParameterValue, 'Document the messages, fields, settings and notes of the protocols')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the man page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Explain a command, a protocol or a topic: riptide, output, filters, schemas, ...')
            break
        }
        'netkit;decode' {
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'A capture, as tshark and tcpdump have it')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--proto', '--proto', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The layouts of your game''s payloads (TOML); may be given several times')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Who sent the bytes, or the first packet of a conversation, where nothing else tells')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Which protocol a port carries, as 7000=riptide')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The server''s address, where ports cannot tell')
            [CompletionResult]::new('--flow', '--flow', [CompletionResultType]::ParameterName, 'Only the conversation of that number')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Only messages that fit: "riptide.message_id == 7 and not has fault"')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Only messages that fit: "riptide.message_id == 7 and not has fault"')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only messages before then: as --since')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Another bound for memory: `netkit fields` lists them; N may end in K, M, G')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Dissect a file with N threads; default: as many as there are processors (ndjson, json, summary, tree)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with status 1 when a message has a fault, or a warning')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Stop after N messages')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Stop after N messages')
            [CompletionResult]::new('--time', '--time', [CompletionResultType]::ParameterName, 'How tree, summary and table show times; default: relative in trees and on narrow terminals, else utc')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('--bytes', '--bytes', [CompletionResultType]::ParameterName, 'ndjson and json: add the whole message as hex, `"bytes":".."`')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Go on when the end is reached: a file that grows, a named pipe; until Ctrl-C')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Instead of printing: write every message again from its JSON line, and compare the bytes')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;dump' {
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--proto', '--proto', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The layouts of your game''s payloads (TOML); may be given several times')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Who sent the bytes, or the first packet of a conversation, where nothing else tells')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Packets: which protocol a port carries, as 7000=riptide')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'Packets: the server''s address, where ports cannot tell')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with status 1 when a message has a fault, or a warning')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Stop after N messages')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Stop after N messages')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'Each line of plain hex is a message of its own (default: up to a blank line)')
            [CompletionResult]::new('--payload', '--payload', [CompletionResultType]::ParameterName, 'The bytes are messages, also where they look like an IP packet')
            [CompletionResult]::new('--packet', '--packet', [CompletionResultType]::ParameterName, 'The bytes are packets (Ethernet, IP, loopback, Linux cooked), whatever their lengths say')
            [CompletionResult]::new('--bytes', '--bytes', [CompletionResultType]::ParameterName, 'ndjson and json: add the whole message as hex, `"bytes":".."`')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;encode' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Messages as JSON objects: lines of decode -f ndjson, the array of -f json, or written by hand; `-` is stdin')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--proto', '--proto', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The layouts of your game''s payloads (TOML); may be given several times')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Who sent the bytes, or the first packet of a conversation, where nothing else tells')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Form of the bytes [default: hex; pcap where the output''s name ends so]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Where to write; default: stdout')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Where to write; default: stdout')
            [CompletionResult]::new('--transport', '--transport', [CompletionResultType]::ParameterName, 'Add what stands around each message in a stream: a length, a header, a WebSocket frame [default: none; for pcap as the line says]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('--keep-going', '--keep-going', [CompletionResultType]::ParameterName, 'Report messages that cannot be written, and go on with the next')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;stats' {
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--proto', '--proto', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The layouts of your game''s payloads (TOML); may be given several times')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Who sent the bytes, or the first packet of a conversation, where nothing else tells')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Which protocol a port carries, as 7000=riptide')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The server''s address, where ports cannot tell')
            [CompletionResult]::new('--flow', '--flow', [CompletionResultType]::ParameterName, 'Only the conversation of that number')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Only messages that fit: "riptide.message_id == 7 and not has fault"')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Only messages that fit: "riptide.message_id == 7 and not has fault"')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only messages before then: as --since')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Another bound for memory: `netkit fields` lists them; N may end in K, M, G')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'One table: by message, flow, peer or second; with --track: the field that tells series apart')
            [CompletionResult]::new('--track', '--track', [CompletionResultType]::ParameterName, 'Follow a field: a line each time it occurs; in text a sparkline')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('--delivery', '--delivery', [CompletionResultType]::ParameterName, 'What became of numbered messages, requests and links')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;diff' {
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--proto', '--proto', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The layouts of your game''s payloads (TOML); may be given several times')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Who sent the bytes, or the first packet of a conversation, where nothing else tells')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Which protocol a port carries, as 7000=riptide')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The server''s address, where ports cannot tell')
            [CompletionResult]::new('--flow', '--flow', [CompletionResultType]::ParameterName, 'Only the conversation of that number')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Only messages that fit: "riptide.message_id == 7 and not has fault"')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Only messages that fit: "riptide.message_id == 7 and not has fault"')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only messages from then on: 10s, 1m30s after the first frame, or 2026-11-21T12:00:00Z')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only messages before then: as --since')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Another bound for memory: `netkit fields` lists them; N may end in K, M, G')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with status 1 when there is such a difference: METRIC>PERCENT, appeared, vanished, fields; may be given several times')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;probe' {
            [CompletionResult]::new('--targets', '--targets', [CompletionResultType]::ParameterName, 'More servers, one a line; `#` begins a comment; `-` is stdin')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'The protocol; default: try all of them, in an order that harms none')
            [CompletionResult]::new('--proto', '--proto', [CompletionResultType]::ParameterName, 'The protocol; default: try all of them, in an order that harms none')
            [CompletionResult]::new('--transport', '--transport', [CompletionResultType]::ParameterName, 'Only over this transport; default: what the protocol has, one after the other')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them: riptide.version=2.0')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them: riptide.version=2.0')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'How many round trips to measure')
            [CompletionResult]::new('--samples', '--samples', [CompletionResultType]::ParameterName, 'How many round trips to measure')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'From one to the next')
            [CompletionResult]::new('--interval', '--interval', [CompletionResultType]::ParameterName, 'From one to the next')
            [CompletionResult]::new('-W', '-W ', [CompletionResultType]::ParameterName, 'How long to wait for an answer, as 500ms, 5s or 1m30s; default: the protocol''s own')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'How long to wait for an answer, as 500ms, 5s or 1m30s; default: the protocol''s own')
            [CompletionResult]::new('--create', '--create', [CompletionResultType]::ParameterName, 'acknex: create an entity of this model for exact round trips, and remove it. Changes the running game')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'acknex: the player''s name to join with')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--pcap', '--pcap', [CompletionResultType]::ParameterName, 'Record the exchange as a capture')
            [CompletionResult]::new('--parallel', '--parallel', [CompletionResultType]::ParameterName, 'So many servers at once')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('--connect', '--connect', [CompletionResultType]::ParameterName, 'dnp, gne: complete the handshake, which makes a player for a moment')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;replay' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Go to this peer: HOST:PORT, [IPV6]:PORT, ws://HOST:PORT/PATH')
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'Wait for a peer here; port 0: any')
            [CompletionResult]::new('--flow', '--flow', [CompletionResultType]::ParameterName, 'Play the conversation of that number; default: the only one')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Whose side is played [default: client with --to, server with --listen]')
            [CompletionResult]::new('--speed', '--speed', [CompletionResultType]::ParameterName, 'So many times as fast as captured')
            [CompletionResult]::new('--max-gap', '--max-gap', [CompletionResultType]::ParameterName, 'No pause is longer, as 1s or 200ms')
            [CompletionResult]::new('--loop', '--loop', [CompletionResultType]::ParameterName, 'So many sessions, one after the other')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Leave out everything behind this frame')
            [CompletionResult]::new('-W', '-W ', [CompletionResultType]::ParameterName, 'How long the peer may take where the protocol needs its answer')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'How long the peer may take where the protocol needs its answer')
            [CompletionResult]::new('--edit', '--edit', [CompletionResultType]::ParameterName, 'Change a message on its way; may be given several times')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Leave out messages that fit; may be given several times')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Form of the report')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the report')
            [CompletionResult]::new('--pcap', '--pcap', [CompletionResultType]::ParameterName, 'Record the exchange as a capture')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('--proto', '--proto', [CompletionResultType]::ParameterName, 'The protocol; default: recognise it')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'A setting of a protocol, as `netkit fields PROTO` lists them')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The layouts of your game''s payloads (TOML), for --edit')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'Which protocol a port carries, as 7000=riptide')
            [CompletionResult]::new('--server', '--server', [CompletionResultType]::ParameterName, 'The captured server''s address, where ports cannot tell')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List the conversations that can be played, and do nothing else')
            [CompletionResult]::new('--asap', '--asap', [CompletionResultType]::ParameterName, 'As fast as the peer allows')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print what would be said, and say nothing')
            [CompletionResult]::new('--allow-dangerous', '--allow-dangerous', [CompletionResultType]::ParameterName, 'Say also what may harm the peer: broken and empty messages')
            [CompletionResult]::new('--expect', '--expect', [CompletionResultType]::ParameterName, 'Exit with status 1 when the peer diverges from the capture')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;fields' {
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Document the messages of these schemas too (TOML)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;man' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'netkit;help' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colours and highlights')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress, no summaries on stderr')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: whole hex, why a protocol was recognised, what the other frames were')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
