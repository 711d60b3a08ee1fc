-- Draws what netkit wrote into a capture (netkit decode CAPTURE -f pcapng): fields with their bytes,
-- notes as expert information, relations as links to frames. It knows no protocol: all that it shows
-- stands in the packet comments. Names and types of the fields are listed below.
--
-- Lua 5.1 to 5.4; no modules, no network, no file but tshark's own command line on Linux.

-- How the line of the tree begins; a later form is left alone.
local TREE = "\nnetkit:1 "
-- Deeper groups are shown in the one of this depth: Wireshark ends at 500.
local DEPTH = 60
-- The most bytes of a value in a label.
local LABEL = 160

-- Values of enumerations, by number.
local ENUMS = {}
-- Name below "netkit.", type, unit, what it is, enumeration.
local FIELDS = {}
-- Messages, as PROTO.MESSAGE, and what each is.
local MESSAGES = {}
-- Kinds of relations, and what each says.
local RELATIONS = {}
--@LISTS@

-- The arguments of tshark, where they can be read (Linux), whole; nothing in other programs. tshark reads the same of
-- all packets of a pass; others may read something else of each.
local function arguments()
    local file, most = io and io.open("/proc/self/cmdline", "rb"), 65536
    local line = file and file:read(most)
    if file then file:close() end
    if line and #line == most then return nil end
    local list = {}
    for argument in (line or ""):gmatch("[^%z]+") do list[#list + 1] = argument end
    return list[1] and list[1]:match("[^/]*$") == "tshark" and list or nil
end
local TSHARK = arguments()

-- Whether tshark prints nothing at all: `tshark -q -r FILE`. It dissects no packet then, but would for this script.
local function silent()
    local quiet, own = false, "lua_script:" .. (debug and debug.getinfo(1, "S").source:sub(2) or "")
    for k = 2, TSHARK and #TSHARK or 0 do
        local argument, before = TSHARK[k], TSHARK[k - 1]
        quiet = quiet or argument == "-q"
        local harmless = argument == "-q" or argument == "-n" or argument == "-r" or before == "-r" or argument == "-X"
            or (before == "-X" and argument or argument:match("^%-X(.*)")) == own
        if not harmless then return false end
    end
    return quiet
end
if silent() then return end

local netkit = Proto("netkit", "netkit")

local MAKE = {
    u32 = function(abbr, name, enum, doc) return ProtoField.uint32(abbr, name, base.DEC, enum, nil, doc) end,
    u64 = function(abbr, name, enum, doc) return ProtoField.uint64(abbr, name, base.DEC, enum, nil, doc) end,
    i32 = function(abbr, name, enum, doc) return ProtoField.int32(abbr, name, base.DEC, enum, nil, doc) end,
    i64 = function(abbr, name, enum, doc) return ProtoField.int64(abbr, name, base.DEC, enum, nil, doc) end,
    f = function(abbr, name, _, doc) return ProtoField.double(abbr, name, nil, doc) end,
    b = function(abbr, name, _, doc) return ProtoField.bool(abbr, name, nil, nil, nil, doc) end,
    s = function(abbr, name, _, doc) return ProtoField.string(abbr, name, base.NONE, doc) end,
    x = function(abbr, name, _, doc) return ProtoField.bytes(abbr, name, base.NONE, doc) end,
    n = function(abbr, name, _, doc) return ProtoField.none(abbr, name, doc) end,
}

local all = {}
-- By name below "netkit.": the field, its type, its unit, and its label where Wireshark's own is the same as ours.
local known = {}

local function field(name, kind, unit, doc, enum)
    if known[name] then return end
    local last = name:match("[^.]+$")
    local made = MAKE[kind]("netkit." .. name, last, enum, doc ~= "" and doc or nil)
    local number = kind == "u32" or kind == "u64" or kind == "i32" or kind == "i64"
    known[name] = { field = made, kind = kind, unit = unit, label = number and unit == "" and not enum and last or nil }
    all[#all + 1] = made
end

for _, one in ipairs {
    { "proto", "s", "", "the protocol" },
    { "version", "s", "", "the protocol's version" },
    { "message", "s", "", "the message's name" },
    { "from", "s", "", "client, server or unknown" },
    { "flow", "u64", "", "the conversation's number" },
    { "frame", "u64", "", "the frame that completed the message" },
    { "length", "u64", " bytes", "the message's length on the wire" },
    { "part", "u32", "", "its place among the messages of its packet" },
    { "parts", "u32", "", "how many messages the packet has" },
    { "note", "s", "", "the code of a note" },
    { "note.level", "s", "", "its severity: note, warning, error" },
    { "note.text", "s", "", "its text" },
    { "fault", "s", "", "what is broken, and where" },
    { "unanswered", "b", "", "nothing in the capture answers it (--link)" },
    { "never_acked", "b", "", "nothing in the capture acknowledges it (--link)" },
    { "member", "s", "", "PATH=VALUE of a field whose name the traffic has, or that is not in the script's list" },
    { "raw", "x", "", "bits that have no plain value" },
    { "flag", "s", "", "a flag that is set" },
    { "summary", "s", "", "the message in one line" },
} do
    field(one[1], one[2], one[3], one[4])
end
for _, one in ipairs(MESSAGES) do field(one[1], "n", "", one[2]) end
for _, one in ipairs(FIELDS) do field(one[1], one[2], one[3], one[4], one[5] and ENUMS[one[5]]) end

local related_fields = {}
for _, one in ipairs(RELATIONS) do
    related_fields[one[1]] = ProtoField.framenum("netkit.related." .. one[1], one[1], base.NONE, frametype[one[3]], nil, one[2])
    all[#all + 1] = related_fields[one[1]]
end
netkit.fields = all

local EXPERTS = {
    note = ProtoExpert.new("netkit.expert.note", "netkit: note", expert.group.PROTOCOL, expert.severity.NOTE),
    warning = ProtoExpert.new("netkit.expert.warning", "netkit: warning", expert.group.PROTOCOL, expert.severity.WARN),
    error = ProtoExpert.new("netkit.expert.error", "netkit: error", expert.group.PROTOCOL, expert.severity.ERROR),
    fault = ProtoExpert.new("netkit.expert.fault", "netkit: fault", expert.group.MALFORMED, expert.severity.ERROR),
    script = ProtoExpert.new("netkit.expert.script", "netkit: comment", expert.group.UNDECODED, expert.severity.WARN),
}
local NOTES = { note = true, warning = true, error = true }
netkit.experts = { EXPERTS.note, EXPERTS.warning, EXPERTS.error, EXPERTS.fault, EXPERTS.script }

local frame_comment = Field.new("frame.comment")
-- The texts of columns in a run without them: `tshark -q`, `-V`, `-T fields`.
local NO_INFO, NO_PROTOCOL = "(info)", "(protocol)"
local floor, char = math.floor, string.char
local NONE = {}
local find, match, sub, byte, tostring = string.find, string.match, string.sub, string.byte, tostring

-- The packet's tree, whether it is shown, and what else this run reads. If the tree is not shown, only fields are added
-- that a filter, a column or an export reads.
local root, visible, reading
-- The packet's whole tree.
local packet
local function needed(made)
    if visible then return true end
    local yes = reading.needs[made]
    if yes == nil then
        yes = root:referenced(made)
        reading.needs[made] = yes
    end
    return yes
end

-- %XX to bytes.
local function plain(text)
    if not text:find("%", 1, true) then return text end
    return (text:gsub("%%(%x%x)", function(digits) return char(tonumber(digits, 16)) end))
end

-- Text for people: Wireshark writes labels as they are, on a terminal, too. Control characters, and what
-- turns the direction of text, are written out.
local ESCAPES = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
local function clean(text)
    local _, printable = find(text, "^%C*")
    if printable == #text and not find(text, "\194", 1, true) then
        -- The ellipsis is common, and begins as those do that turn the direction.
        local at = find(text, "\226", 1, true)
        while at and sub(text, at, at + 2) == "…" do at = find(text, "\226", at + 3, true) end
        if not at then return text end
    end
    text = text:gsub("[%z\1-\31\127]", function(c) return ESCAPES[c] or string.format("\\x%02x", c:byte()) end)
    text = text:gsub("\194([\128-\159])", function(c) return string.format("\\u{%x}", c:byte()) end)
    text = text:gsub("\226\128([\139-\143\168-\174])", function(c) return string.format("\\u{20%02x}", c:byte() - 128) end)
    return (text:gsub("\226\129([\160-\175])", function(c) return string.format("\\u{20%02x}", c:byte() - 64) end))
end

-- Text for a label: Wireshark would cut it in a way of its own.
local function brief(text)
    text = clean(text)
    if #text <= LABEL then return text end
    local at = LABEL
    -- Between two characters.
    while at > 0 and text:byte(at + 1) >= 128 and text:byte(at + 1) < 192 do at = at - 1 end
    return text:sub(1, at) .. "…"
end

-- A string that Wireshark takes whole: it would end at a zero.
local function shown(text)
    if not find(text, "%z") then return text end
    return (text:gsub("%z", "\\u0000"))
end

-- So many bits of a source from this bit on, as bytes; those of the last byte are filled with zeros.
local function bits_of(source, bit, bits)
    local left = source.length * 8 - bit
    if bits > left then bits = left end
    if bits <= 0 then return "" end
    local first, shift = floor(bit / 8), bit % 8
    local last = floor((bit + bits - 1) / 8)
    local raw = source.tvb:range(source.at + first, last - first + 1):raw()
    if shift == 0 and bits % 8 == 0 then return raw end
    local count = floor((bits + 7) / 8)
    local low, high = 2 ^ shift, 2 ^ (8 - shift)
    local parts = {}
    for k = 1, count do
        local byte = floor(raw:byte(k) / low) + (raw:byte(k + 1) or 0) * high % 256
        if k == count and bits % 8 ~= 0 then byte = byte % 2 ^ (bits % 8) end
        parts[k] = char(byte)
    end
    return table.concat(parts)
end

local function hex(bytes)
    return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

-- Latin-1 as UTF-8.
local function utf8_of(bytes)
    return (bytes:gsub("[\128-\255]", function(c)
        local code = c:byte()
        return char(192 + floor(code / 64), 128 + code % 64)
    end))
end

-- The bytes that a node stands in; nothing for those that are in no bytes.
local function range_of(source, bit, bits)
    if not source or not bit then return nil end
    local first = floor(bit / 8)
    local last = floor((bit + bits + 7) / 8)
    if first > source.length then first = source.length end
    if last > source.length then last = source.length end
    if bits == 0 or last < first then last = first end
    return first, last - first
end

-- Adds bytes. Wireshark takes as many of them as the item has, and an item can only grow: it begins as
-- long as they are. Those of which the item's own place has less are shown where they are from.
local function add_bytes(tree, made, source, first, length, bytes, from)
    if #bytes == 0 then
        if source and first then return tree:add(made, source.tvb:range(source.at + first, 0), bytes):set_len(length) end
        return tree:add(made, bytes)
    end
    if source and first and length >= #bytes then
        local item = tree:add(made, source.tvb:range(source.at + first, #bytes), bytes)
        item:set_len(length)
        return item
    end
    local place = source and floor((from or 0) / 8)
    if place and place + #bytes <= source.length then
        return tree:add(made, source.tvb:range(source.at + place, #bytes), bytes)
    end
    return tree:add(made, ByteArray.new(hex(bytes)):tvb("netkit: value"):range(0, #bytes), bytes)
end

local function add(tree, made, source, first, length, value)
    if source and first then
        local range = source.tvb:range(source.at + first, length)
        if value == nil then return tree:add(made, range) end
        return tree:add(made, range, value)
    end
    if value == nil then return tree:add(made) end
    return tree:add(made, value)
end

-- A number as the type of a field takes it; nothing if it does not fit.
local function number_for(kind, text)
    if kind == "u64" then
        if find(text, "^%d+$") then return UInt64.new(text) end
    elseif kind == "i64" then
        if text:find("^%-?%d+$") then return Int64.new(text) end
    elseif kind == "u32" then
        local n = tonumber(text)
        if n and n >= 0 and n <= 4294967295 and n % 1 == 0 then return n end
    elseif kind == "i32" then
        local n = tonumber(text)
        if n and n >= -2147483648 and n <= 2147483647 and n % 1 == 0 then return n end
    elseif kind == "f" then
        return tonumber(text)
    end
    return nil
end

-- What a leaf is shown as, and its value: by the letter before it.
local function leaf(source, letter, rest, bit, bits)
    if letter == "u" or letter == "i" or letter == "f" or letter == "m" then
        return rest, rest
    elseif letter == "e" then
        local number, name = rest:match("^(%-?%d+):(.*)$")
        name = plain(name)
        return name .. " (" .. number .. ")", number, name
    elseif letter == "w" then
        local number, names = rest:match("^(%-?%d+)(.*)$")
        local list = {}
        for name in names:gmatch(":([^:]+)") do list[#list + 1] = plain(name) end
        return "[" .. table.concat(list, ", ") .. "] (" .. number .. ")", number, nil, list
    elseif letter == "b" then
        return rest == "1" and "true" or "false", rest
    elseif letter == "z" then
        return "null", "null"
    elseif letter == "s" then
        local text = shown(plain(rest))
        return text, text
    end
    local from, count, about = rest:match("^(%d+):(%d+):?(.*)$")
    from, count = tonumber(from) or bit, tonumber(count) or bits
    local bytes = bits_of(source, from, count)
    if letter == "t" then
        local text = shown(bytes)
        return text, text
    elseif letter == "c" then
        local text = shown(utf8_of(bytes))
        return text, text
    elseif letter == "x" then
        return hex(bytes), bytes, nil, nil, from
    end
    local text = "raw " .. brief(hex(bytes)) .. " (" .. count .. " bits)"
    if about and about ~= "" then text = text .. " " .. plain(about) end
    return text, bytes, nil, nil, from
end

-- What a field's token says besides its value is the same in many comments, and is looked up once. More than this many
-- of them are forgotten: their names may come from the traffic.
local ENTRIES = 20000
local entries = 0

-- A group, a list or a section: its path, its short path, whether it is a list, and its fields by their tokens' heads.
local function place_of(path, short, list)
    return { path = path, short = short, list = list, entries = {} }
end

-- What the head of a token says in this place: NAME,BIT,BITS,LETTER.
local function entry_of(here, head)
    local name, bit, bits, letter = match(head, "^([^,]*),(%d*),(%d*),(%a)$")
    local path, short, label = here.path, here.short, nil
    if not here.list then
        label = plain(byte(name) == 126 and sub(name, 2) or name)
        path, short = path .. "." .. label, short .. "." .. label
    end
    local entry = {
        label = label, path = path, bit = tonumber(bit), bits = tonumber(bits) or 0, letter = letter,
        one = known[path], short = short ~= path and known[short] or nil,
    }
    if entry.bit then
        entry.first, entry.last = floor(entry.bit / 8), floor((entry.bit + entry.bits + 7) / 8)
    end
    if letter == "g" or letter == "l" then entry.inside = place_of(path, short, letter == "l") end
    here.entries[head] = entry
    entries = entries + 1
    return entry
end

-- The item of one of the fields that a leaf has, if its type takes the value.
local function item_of(one, tree, letter, source, first, length, range, value, text, named, from)
    local kind = one.kind
    if letter == "x" then
        if kind == "x" then return add_bytes(tree, one.field, source, first, length or 0, value, from) end
        if kind == "s" then value = text else return nil end
    elseif kind == "s" then
        value = named or text
    elseif kind == "b" then
        if letter ~= "b" then return nil end
        value = value == "1"
    elseif letter == "u" or letter == "i" or letter == "e" or letter == "w" or letter == "f" or letter == "m" then
        value = number_for(kind, value)
        if value == nil then return nil end
    else
        return nil
    end
    if range then return tree:add(one.field, range, value) end
    return tree:add(one.field, value)
end

-- Adds a leaf as the fields of its path and of its short path, or in general form if there is none of its type.
local function put(tree, entry, label, source, rest)
    local letter, one, short = entry.letter, entry.one, entry.short
    local full = visible or reading.general
    if not full then
        full = one and needed(one.field)
        if not (short and needed(short.field)) then
            if not full then return end
            short = nil
        end
    end
    local first, length, range
    if source and entry.first then
        first, length = entry.first, entry.last
        if first > source.length then first = source.length end
        if length > source.length then length = source.length end
        length = (entry.bits == 0 or length < first) and 0 or length - first
    end
    local text, value, named, flags, from
    if letter == "u" then
        text, value = rest, rest
    else
        text, value, named, flags, from = leaf(source, letter, rest, entry.bit, entry.bits)
    end
    if first and visible then range = source.tvb:range(source.at + first, length) end
    if full then
        local item
        if letter == "r" then
            item = add_bytes(tree, known.raw.field, source, first, length or 0, value, from)
        else
            item = one and item_of(one, tree, letter, source, first, length, range, value, text, named, from)
            if not item then
                item = add(tree, known.member.field, source, first, length, entry.path .. "=" .. (named or text))
            elseif letter == "u" and label == one.label then
                text = nil
            elseif one.unit ~= "" and find(letter, "[uifme]") then
                text = text .. " " .. one.unit
            end
        end
        if visible then
            if text then item:set_text(brief(label) .. ": " .. (letter == "r" and clean(text) or brief(text))) end
            if not entry.bit then item:set_generated() end
        end
        if flags then
            for _, flag in ipairs(flags) do
                add(item, known.flag.field, source, first, length, flag):set_text("set: " .. clean(flag))
            end
        end
    end
    if short and letter ~= "r" then
        local item = item_of(short, tree, letter, source, first, length, range, value, text or rest, named, from)
        if item then item:set_hidden() end
    end
end

-- The source of a field's bytes, and its value: from the part of its token behind the head.
local function source_of(rest, sources, main)
    local comma = find(rest, ",", 1, true)
    if not comma then return main, rest end
    local number = match(rest, "^,(%d*)$", comma)
    if not number then error("no field: " .. sub(rest, 1, 40)) end
    -- One without bytes is not written.
    if number ~= "" then main = sources[tonumber(number)] or { tvb = main.tvb, at = 0, length = 0 } end
    return main, sub(rest, 1, comma - 1)
end

-- The fields of one section, from the byte `at` on: where it ends.
local function nodes(text, at, tree, sources, main, here)
    -- The open group's item, and how many elements it has; those around it.
    local item, count, stack = tree, 0, {}
    while true do
        local _, last, head, rest = find(text, "^([^, ]*,%d*,%d*,%a)([^ ]*) *", at)
        if head then
            at = last + 1
            local source, value = source_of(rest, sources, main)
            local entry = here.entries[head] or entry_of(here, head)
            local label = entry.label
            if here.list then
                label = "[" .. count .. "]"
                count = count + 1
            end
            local inside = entry.inside
            if inside then
                local inner, one = item, entry.one
                if #stack < DEPTH and (visible or one and one.kind == "n" and needed(one.field)) then
                    local first, length = range_of(source, entry.bit, entry.bits)
                    if one and one.kind == "n" and entry.letter == "g" then
                        inner = add(item, one.field, source, first, length)
                        inner:set_text(clean(label))
                    elseif first then
                        inner = item:add(source.tvb:range(source.at + first, length), clean(label))
                    else
                        inner = item:add(clean(label))
                    end
                    if not entry.bit then inner:set_generated() end
                end
                stack[#stack + 1] = { here, item, count }
                here, item, count = inside, inner, 0
            else
                put(item, entry, label, source, value)
            end
        elseif byte(text, at) == 46 and find(text, "^%. *", at) then
            local open = table.remove(stack)
            if not open then error("a group ends that has not begun") end
            here, item, count = open[1], open[2], open[3]
            local _, behind = find(text, "^%. *", at)
            at = behind + 1
        elseif at > #text or byte(text, at) == 58 then
            break
        else
            error("no field: " .. sub(text, at, at + 39))
        end
    end
    if #stack > 0 then error("a group does not end") end
    return at
end

-- By protocol and message: the places of their sections, the message's field.
local messages = {}
local function message_of(proto, message)
    local of = messages[proto] and messages[proto][message]
    if of then return of end
    local place, name = plain(proto or ""), proto and message and plain(proto) .. "." .. plain(message)
    of = { one = name and known[name], proto = place, name = name or place }
    of[":f"] = place_of(name or place, place, false)
    of[":d"] = place_of(place .. ".derived", place .. ".derived", false)
    of[":p"] = place_of(place .. ".packet", place .. ".packet", false)
    if proto and message then
        messages[proto] = messages[proto] or {}
        messages[proto][message] = of
        entries = entries + 1
    end
    return of
end

-- The labels of the fields of such a message that are read: none where it has none of them, nil where only reading all
-- of its fields finds them.
local function labels_of(of)
    if not reading.names then return nil end
    local labels = reading.labels[of]
    if labels then return not labels.all and labels or nil end
    labels = {}
    for _, name in ipairs(reading.names) do
        local own = sub(name, 1, #of.proto + 1) == of.proto .. "." and sub(name, #of.proto + 2)
        local full = sub(name, 1, #of.name + 1) == of.name .. "." and sub(name, #of.name + 2)
        local label = full or own and (match(own, "^derived%.(.*)") or match(own, "^packet%.(.*)") or own)
        local token = label and " " .. label .. ","
        if token and not labels[token] then labels[#labels + 1], labels[token] = token, true end
        if name == of.name or label and find(label, ".", 1, true) then labels.all = true end
    end
    reading.labels[of] = labels
    return not labels.all and labels or nil
end

-- The parts of a message's envelope: letters, and fields.
local ABOUT = {
    { "p", "proto" }, { "v", "version" }, { "m", "message" }, { "f", "from" }, { "c", "flow" }, { "l", "length" },
    { "n", "frame" },
}
for _, one in ipairs(ABOUT) do one.field, one.kind = known[one[2]].field, known[one[2]].kind end

-- Adds a part: as it is shown, or from its text.
local function about(top, made, kind, shown, text)
    if (shown or text or "") ~= "" and needed(made) then
        local item = top:add(made, shown or kind == "s" and clean(plain(text)) or number_for(kind, text))
        if visible then item:set_generated() end
    end
end

-- The envelope of a comment without a tree.
local NO_ENVELOPE = { shown = {} }

-- The first parts of an envelope are the same in many comments, and are read once.
local heads = {}
local function head_of(text)
    if find(text, ":", 1, true) then return nil end
    local head = { shown = {} }
    for key, value in text:gmatch("(%w+)=([^ ]*)") do
        head[key], head.shown[key] = value, clean(plain(value))
    end
    heads[text] = head
    entries = entries + 1
    return head
end

-- Adds expert information, which needs an item: the protocol's where there is none yet.
local function report(item, expert, text)
    if rawequal(item, packet) then item = packet:add(netkit) end
    item:add_proto_expert_info(expert, text)
end

-- Adds a field of a note, and its text where one is given.
local function generated(top, name, value, text)
    local one = known[name].field
    if not needed(one) then return top end
    local item = top:add(one, value)
    if text then item:set_text(text) end
    item:set_generated()
    return item
end

-- Adds the notes and faults: the lines between the first and the byte `last`.
local function findings(text, last, top)
    local at = (find(text, "\n", 9, true) or last) + 1
    while at < last do
        local behind = find(text, "\n", at, true) or last
        local blank = find(text, " ", at, true) or behind
        local level = sub(text, at, blank - 1)
        local _, colon, code = find(text, "^([%w_.%-]+): ", blank + 1)
        if level == "fault:" then
            local what = clean(sub(text, blank + 1, behind - 1))
            report(generated(top, "fault", what), EXPERTS.fault, what)
        elseif NOTES[level] and code then
            local what = clean(sub(text, colon + 1, behind - 1))
            local item = generated(top, "note", code, visible and level .. ": " .. what .. " (" .. code .. ")")
            generated(item, "note.level", level)
            generated(item, "note.text", what)
            report(item, EXPERTS[level], what)
        end
        at = behind + 1
    end
end

-- The parts of an envelope from the byte `at` on, into `state`: where the fields begin, the places of the bytes, the
-- relations.
local function envelope(text, at, state)
    local places, related = {}, nil
    while true do
        local _, last, key, value = find(text, "^(%w+)=([^ ]*) *", at)
        if not key then break end
        at = last + 1
        local letter = byte(key)
        if key == "r" then
            related = related or {}
            related[#related + 1] = value
        elseif (letter == 98 or letter == 104) and find(key, "^.%d*$") then
            places[#places + 1] = key
            places[#places + 1] = value
        else
            state[key] = value
        end
    end
    if at <= #text and byte(text, at) ~= 58 then error("no key: " .. sub(text, at, at + 39)) end
    return at, places, related
end

-- Where the bytes of a message are: in the frame, or beside it.
local function sources_of(places, state, tvb)
    local sources = {}
    for k = 1, #places, 2 do
        local key, value = places[k], places[k + 1]
        local number = tonumber(sub(key, 2)) or 0
        if byte(key) == 98 then
            local offset, length = match(value, "^(%d+)%+(%d+)$")
            sources[number] = { tvb = tvb, at = tonumber(offset), length = tonumber(length) }
        elseif value ~= "" then
            local name = "netkit: " .. (state.m and plain(state.m) or "message")
            local own = ByteArray.new(value):tvb(name .. (key ~= "h" and " " .. sub(key, 2) or ""))
            sources[number] = { tvb = own, at = 0, length = #value / 2 }
        end
    end
    return sources, sources[0] or { tvb = tvb, at = 0, length = 0 }
end

-- Adds the fields with these labels of a message without groups, whose envelope is read from the byte `at` on: false
-- if it has groups. Other fields are passed over.
local function pick(text, at, labels, of, state, tvb, tree)
    if find(text, " .", at, true) or find(text, " ~", at, true) then return false end
    -- The envelope says where the bytes are: it is read for a field whose value they are.
    local sources, main = NONE, nil
    for k = 1, #labels do
        local found = find(text, labels[k], at, true)
        while found do
            local _, last, head, rest = find(text, "^([^, ]*,%d*,%d*,%a)([^ ]*)", found + 1)
            local place = head and of[match(sub(text, at, found), ".* (:%a) ")]
            if not place then error("no field: " .. sub(text, found, found + 39)) end
            local entry = place.entries[head] or entry_of(place, head)
            if not main and find(entry.letter, "[xtcr]") then
                local _, places = envelope(text, at, {})
                sources, main = sources_of(places, state, tvb)
            end
            local source, value = source_of(rest, sources, main or NONE)
            put(tree, entry, entry.label, main and source, value)
            found = find(text, labels[k], last + 1, true)
        end
    end
    return true
end

-- Draws the last line of a comment, which is the message's tree, from the byte `at` on. Its top, and its envelope.
local function fields(text, at, summary, tvb, tree)
    local behind = find(text, " c=", at, true)
    local start = behind and sub(text, at, behind - 1)
    local head = start and (heads[start] or head_of(start))
    at = head and behind + 1 or at
    local of = head and reading.fields and message_of(head.p, head.m)
    local labels = of and labels_of(of)
    if head and not reading.rest
        and (not reading.fields or labels and (not labels[1] or pick(text, at, labels, of, head, tvb, tree))) then
        return tree, head, nil
    end
    local state = head and { p = head.p, m = head.m, shown = head.shown } or { shown = {} }
    local places, related
    at, places, related = envelope(text, at, state)
    if not reading.fields or labels and not labels[1] then return tree, state, related end
    local sources, main = sources_of(places, state, tvb)
    of = of or message_of(state.p, state.m)
    local one, top = of.one, tree
    if one and one.kind == "n" and needed(one.field) then
        top = tree:add(one.field, main.tvb:range(main.at, main.length))
    elseif visible then
        top = tree:add(main.tvb:range(main.at, main.length), "")
    end
    if visible then
        local late = state.n and "frame " .. state.n .. ": " or ""
        top:set_text(late .. summary)
    end
    while at <= #text do
        local _, last, section = find(text, "^(:%a) *", at)
        local place = section and of[section]
        if not place then error("no section: " .. sub(text, at, at + 39)) end
        local group = top
        if visible and section ~= ":f" then
            group = top:add(section == ":d" and "derived" or "packet")
            if section == ":d" then group:set_generated() end
        end
        at = nodes(text, last + 1, group, sources, main, place)
    end
    return top, state, related
end

-- The first line of a comment, which is the message in one line.
local function summary_of(text)
    return clean(sub(text, 9, (find(text, "\n", 9, true) or 0) - 1))
end

-- Adds the relations of an envelope.
local function relations(related, top)
    for _, value in ipairs(related or {}) do
        local kind, frame, index, millis = value:match("^([%w_]+),(%d+),(%d*),([%d.%-]*)$")
        local made = kind and related_fields[kind]
        if made and needed(made) then
            local item = top:add(made, tonumber(frame))
            local more = index ~= "" and " (message " .. index .. ")" or ""
            if millis ~= "" then more = more .. ", " .. millis .. " ms" end
            item:set_text(kind .. ": frame " .. frame .. more)
            item:set_generated()
        end
    end
end

-- Draws one comment: whole, as its parts were joined.
local function draw(text, tvb, tree)
    local summary = reading.summary and summary_of(text) or ""
    -- The tree is the last line.
    local line = find(text, TREE, 9, true)
    local at = line and not find(text, "\n", line + 1, true) and line + #TREE
    local top, state, related = tree, NO_ENVELOPE, nil
    if reading.read and at then
        top, state, related = fields(text, at, summary, tvb, tree)
    elseif visible then
        top = tree:add(tvb:range(0, 0), "")
        top:set_text(summary)
    end
    if reading.findings then findings(text, at and line or #text + 1, top) end
    if not reading.read then return summary end
    local rest = reading.rest
    if rest then relations(related, top) end
    for _, one in ipairs(reading.about) do
        local key = one[1]
        about(top, one.field, one.kind, state.shown[key], state[key])
    end
    if rest and state.i then
        local part, parts = match(state.i, "^(%d+)/(%d+)$")
        about(top, known.part.field, "u32", nil, part)
        about(top, known.parts.field, "u32", nil, parts)
    end
    if rest and state.q then
        for word in state.q:gmatch("[^,]+") do
            local one = known[word]
            if one and one.kind == "b" and needed(one.field) then top:add(one.field, true):set_generated() end
        end
    end
    if summary ~= "" and needed(known.summary.field) then
        local item = top:add(known.summary.field, summary)
        item:set_text("summary: " .. summary)
        item:set_generated()
    end
    return summary
end

local handle

-- The fields that any message can have, whatever its own fields are.
local OF_ANY = {}
for _, one in ipairs(ABOUT) do OF_ANY[one[2]] = true end
for _, name in ipairs {
    "part", "parts", "unanswered", "never_acked", "summary", "note", "note.level", "note.text", "fault",
} do
    OF_ANY[name] = true
end

-- Whether an argument of tshark has one of these patterns.
local function argued(...)
    for _, argument in ipairs(TSHARK or {}) do
        for _, pattern in ipairs { ... } do
            if find(argument, pattern) then return true end
        end
    end
    return false
end

-- How many scripts the arguments name: others may read what nothing else does.
local SCRIPTS = 0
for _, argument in ipairs(TSHARK or {}) do
    if find(argument, "lua_script:", 1, true) then SCRIPTS = SCRIPTS + 1 end
end

-- With `-T fields` tshark asks for the whole tree, and prints what `-e` names: the names below "netkit." among the
-- arguments; nothing if more may be read.
local function named()
    local fields, names, before = false, {}, nil
    for _, argument in ipairs(TSHARK or {}) do
        fields = fields or argument == "-Tfields" or before == "-T" and argument == "fields"
        for name in argument:gmatch("netkit%.([%w_.]+)") do names[name] = true end
        before = argument
    end
    return fields and SCRIPTS < 2 and not argued("^%-%a*[VO]", "%$", "_ws%.col", "^%-%-color") and names or nil
end
local NAMED = named()

-- The packet's columns: a line of each message.
local function write_columns(pinfo, lines)
    if not lines[1] then return end
    local cols = pinfo.cols
    cols.protocol = match(lines[1], "^%S+") or "netkit"
    cols.info = lines[2] and table.concat(lines, " | ") or lines[1]
end

-- The display filter of tshark's command line; nothing where there is none, several, or one in another form.
local function display_filter()
    local filter, before = nil, nil
    for _, argument in ipairs(TSHARK or {}) do
        local text = before == "-Y" and argument or match(argument, "^%-Y(.+)")
        if filter and text or not text and find(argument, "^%-%a+Y") then return nil end
        filter, before = text or filter, argument
    end
    return filter
end

-- tshark prints the packets alone that the filter of its command line shows: only theirs need columns, and those of
-- `drawn`, the comments of the packet at hand, are written when the filter has been applied. Filters know the fields
-- of a script only once all are loaded.
local listener, drawn = nil, {}
function netkit.init()
    local filter = not listener and SCRIPTS < 2 and not argued("_ws%.col", "^%-%a*z") and display_filter()
    local made, tap = false, nil
    if filter then made, tap = pcall(Listener.new, nil, filter) end
    if not made then return end
    function tap.packet(pinfo)
        local lines = {}
        for k = 1, #drawn do lines[k] = summary_of(drawn[k]) end
        write_columns(pinfo, lines)
    end
    listener = tap
end

-- What is read of packets: `visible`, whether the tree is shown; `read`, whether any field is; `columns`, `findings`,
-- `summary`, `root`, whether these are; `about`, the parts of the envelope that may be; `rest`, whether more of the
-- envelope is than its head has; `fields`, whether one of a message's own fields is; `names`, which of them, where
-- these are known, and `labels`, by message, their labels in a comment; `general`, whether one is that any value may
-- become; `needs`, by field, whether it is read, where that has been asked.
local function reading_of(pinfo, tree)
    local now = { needs = {}, labels = setmetatable({}, { __mode = "k" }), about = ABOUT }
    now.visible = tree.visible and not NAMED
    now.read = tree.visible or tree:referenced(handle)
    now.columns = now.visible or not NAMED and (argued("_ws%.col") or tostring(pinfo.cols.info) ~= NO_INFO
        or tostring(pinfo.cols.protocol) ~= NO_PROTOCOL)
    now.fields, now.rest, now.findings, now.summary, now.root = now.read, now.read, true, true, true
    if now.visible or not TSHARK then return now end
    local names, about = {}, {}
    now.rest, now.names, now.about = false, names, about
    local function ask(name, made)
        local yes = now.read and tree:referenced(made)
        if NAMED then yes = NAMED[name] or false end
        now.needs[made] = yes
        return yes
    end
    for name, one in pairs(known) do
        if ask(name, one.field) and not OF_ANY[name] then names[#names + 1] = name end
    end
    for _, one in ipairs(ABOUT) do
        if now.needs[one.field] then about[#about + 1] = one end
    end
    local function any(...)
        for _, name in ipairs { ... } do
            if now.needs[known[name].field] then return true end
        end
        return false
    end
    for name, made in pairs(related_fields) do now.rest = ask("related." .. name, made) or now.rest end
    now.general = any("member", "raw", "flag")
    if now.general then now.names = nil end
    now.fields = #names > 0
    now.rest = now.rest or any("flow", "length", "frame", "part", "parts", "unanswered", "never_acked")
    now.findings = now.columns or any("note", "note.level", "note.text", "fault")
        or argued("expert", "%$", "^%-%-color", "_ws%.malformed") or not NAMED and argued("lua_script:")
    now.summary = now.columns and not listener or any("summary")
    now.root = argued("netkit$", "netkit[^.]")
    return now
end

-- tshark's second pass (`-2`) reads something else than its first.
local TWICE, passes = argued("^%-%a*2"), {}

-- The comments of netkit of the packet at hand, and the lines of its columns: the tables are used again.
local texts, lines = {}, {}

local function clear(list)
    for k = #list, 1, -1 do list[k] = nil end
end

-- Adds a comment, if it is one of netkit's.
local function take(comment)
    local text = comment()
    if sub(text, 1, 8) == "netkit: " then
        texts[#texts + 1] = text
    elseif sub(text, 1, 9) == "netkit:+ " and #texts > 0 then
        local parts = texts[#texts]
        if type(parts) == "string" then parts = { parts } end
        parts[#parts + 1] = sub(text, 10)
        texts[#texts] = parts
    end
end

function netkit.dissector(tvb, pinfo, tree)
    clear(texts)
    clear(lines)
    clear(drawn)
    local first, second = frame_comment()
    if not first then return end
    take(first)
    if second then
        local comments = { frame_comment() }
        for k = 2, #comments do take(comments[k]) end
    end
    if #texts == 0 then return end
    local pass = TWICE and pinfo.visited or false
    if not (TSHARK and passes[pass]) then passes[pass] = reading_of(pinfo, tree) end
    reading = passes[pass]
    visible = reading.visible
    local columns = reading.columns
    if not columns and not reading.read and not reading.findings then return end
    packet, root = tree, visible and tree:add(netkit, tvb:range(0, 0)) or reading.root and tree:add(netkit) or tree
    if entries > ENTRIES then messages, heads, entries = {}, {}, 0 end
    for k = 1, #texts do
        local text = texts[k]
        if type(text) == "table" then text = table.concat(text) end
        local whole, summary = pcall(draw, text, tvb, root)
        if not whole then
            report(root, EXPERTS.script, "this comment cannot be drawn: " .. tostring(summary))
        elseif columns then
            local list = listener and drawn or lines
            list[#list + 1] = listener and text or summary
        end
    end
    if lines[1] then write_columns(pinfo, lines) end
end

register_postdissector(netkit)
handle = Dissector.get("netkit")
