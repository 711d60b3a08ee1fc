-- Draws what netkit wrote into a capture (netkit decode CAPTURE -f pcapng): fields with their bytes,
-- notes as expert information, relations as links to frames. It knows no protocol: all that it shows
-- stands in the packet comments. Names and types of the fields are listed below.
--
-- Lua 5.1 to 5.4; no modules, no network, no file but tshark's own command line on Linux.

-- A later form of the comments is left alone.
local FORM = "1"
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
netkit.experts = { EXPERTS.note, EXPERTS.warning, EXPERTS.error, EXPERTS.fault, EXPERTS.script }

local frame_comment = Field.new("frame.comment")
-- The texts of columns in a run without them: `tshark -q`, `-V`, `-T fields`.
local NO_INFO, NO_PROTOCOL = "(info)", "(protocol)"
local floor, char = math.floor, string.char
local find, match, sub, byte = string.find, string.match, string.sub, string.byte

-- The packet's tree, whether it is shown, and what else this run reads. If the tree is not shown, only fields are added
-- that a filter, a column or an export reads. `general`: one of the fields is read that any value may become.
local root, visible, general, reading
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
    if not text:find("[%z\1-\31\127\194\226]") then return text end
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
    if not text:find("%z") then return text end
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
        if text:find("^%d+$") then return UInt64.new(text) end
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
    local full = visible or general
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
    if first then range = source.tvb:range(source.at + first, length) end
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

-- The fields of one section, from the byte `at` on: where it ends.
local function nodes(text, at, tree, sources, main, here)
    -- The open group's item, and how many elements it has; those around it.
    local item, count, stack = tree, 0, {}
    while true do
        local _, last, head, rest = find(text, "^([^, ]*,%d*,%d*,%a)([^ ]*) *", at)
        if head then
            at = last + 1
            local source = main
            local comma = find(rest, ",", 1, true)
            if comma then
                local number = match(rest, "^,(%d*)$", comma)
                if not number then error("no field: " .. sub(head .. rest, 1, 40)) end
                rest = sub(rest, 1, comma - 1)
                -- One without bytes is not written.
                if number ~= "" then source = sources[tonumber(number)] or { tvb = main.tvb, at = 0, length = 0 } end
            end
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
                put(item, entry, label, source, rest)
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
    of = { one = name and known[name] }
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

-- The parts of a message's envelope: letters, and fields.
local ABOUT = {
    { "p", "proto" }, { "v", "version" }, { "m", "message" }, { "f", "from" }, { "c", "flow" }, { "l", "length" },
    { "n", "frame" },
}
for _, one in ipairs(ABOUT) do one.field, one.kind = known[one[2]].field, known[one[2]].kind end

local function about(top, made, kind, value)
    if value and value ~= "" and needed(made) then
        local item = top:add(made, kind == "s" and clean(plain(value)) or number_for(kind, value))
        if visible then item:set_generated() end
    end
end

-- Adds the notes and faults of a comment's lines.
local function findings(text, top)
    for line in text:gmatch("[^\n]+") do
        local level, code, what = line:match("^(%a+) ([%w_.%-]+): (.*)$")
        if sub(line, 1, 7) == "fault: " then
            what = clean(line:sub(8))
            local item = top
            if needed(known.fault.field) then
                item = top:add(known.fault.field, what)
                item:set_generated()
            end
            item:add_proto_expert_info(EXPERTS.fault, what)
        elseif level and EXPERTS[level] and level ~= "fault" and level ~= "script" then
            what = clean(what)
            local item = top
            if needed(known.note.field) then
                item = top:add(known.note.field, code)
                item:set_text(level .. ": " .. what .. " (" .. code .. ")")
                item:set_generated()
            end
            local function detail(made, value)
                if needed(made) then item:add(made, value):set_generated() end
            end
            detail(known["note.level"].field, level)
            detail(known["note.text"].field, what)
            item:add_proto_expert_info(EXPERTS[level], what)
        end
    end
end

-- Draws the last line of a comment, which is the message's tree, from the byte `at` on. Its top, and its envelope.
local function fields(text, at, summary, tvb, tree)
    local state, places, related = {}, nil, nil
    while true do
        local _, last, key, value = find(text, "^(%w+)=([^ ]*) *", at)
        if not key then break end
        at = last + 1
        if key == "r" then
            related = related or {}
            related[#related + 1] = value
        elseif find(key, "^[bh]%d*$") then
            places = places or {}
            places[#places + 1] = key
            places[#places + 1] = value
        else
            state[key] = value
        end
    end
    if at <= #text and byte(text, at) ~= 58 then error("no key: " .. sub(text, at, at + 39)) end
    if not reading.fields then return tree, state, nil end
    -- Where the bytes are: in the frame, or beside it.
    local sources = {}
    for k = 1, places and #places or 0, 2 do
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
    local main = sources[0] or { tvb = tvb, at = 0, length = 0 }
    local of = message_of(state.p, state.m)
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

-- Draws one comment: whole, as its parts were joined. `read`: whether any of its fields is needed.
local function draw(text, tvb, tree, read)
    local first = find(text, "\n", 9, true) or #text + 1
    local summary = clean(sub(text, 9, first - 1))
    -- The tree is the last line. If there is no other, none has to be looked for.
    local last, form = first, not find(text, "\n", first + 1, true) and match(text, "^netkit:(%d+) ", first + 1)
    if not form then
        last, form = find(text, "\nnetkit:%d+ [^\n]*$", first), match(text, "\nnetkit:(%d+) [^\n]*$", first)
    end
    local top, state, related = tree, {}, nil
    if read and form == FORM then
        top, state, related = fields(text, last + #form + 9, summary, tvb, tree)
    elseif visible then
        top = tree:add(tvb:range(0, 0), "")
        top:set_text(summary)
    end
    last = last or #text + 1
    if last > first then findings(sub(text, first, last - 1), top) end
    if not read then return summary end
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
    for _, one in ipairs(ABOUT) do about(top, one.field, one.kind, state[one[1]]) end
    if state.i then
        local part, parts = match(state.i, "^(%d+)/(%d+)$")
        about(top, known.part.field, "u32", part)
        about(top, known.parts.field, "u32", parts)
    end
    if state.q then
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

-- The arguments of tshark, where they can be read (Linux); nothing in other programs. tshark reads the same of all
-- packets of a pass; others may read something else of each.
local function arguments()
    local file = io and io.open("/proc/self/cmdline", "rb")
    local line = file and file:read(65536)
    if file then file:close() end
    local list = {}
    for argument in (line or ""):gmatch("[^%z]+") do list[#list + 1] = argument end
    return list[1] and match(list[1], "[^/]*$") == "tshark" and list or nil
end
local TSHARK = arguments()

-- With `-T fields` tshark asks for the whole tree, and prints what `-e` names: the names below "netkit." among the
-- arguments; nothing if more may be read.
local function named()
    local scripts, fields, names, before = 0, false, {}, nil
    for _, argument in ipairs(TSHARK or {}) do
        fields = fields or argument == "-Tfields" or before == "-T" and argument == "fields"
        if find(argument, "^%-[VO]") or find(argument, "$", 1, true) or find(argument, "_ws.col", 1, true)
            or argument == "--color" then return nil end
        if find(argument, "lua_script:", 1, true) then scripts = scripts + 1 end
        for name in argument:gmatch("netkit%.([%w_.]+)") do names[name] = true end
        before = argument
    end
    return fields and scripts < 2 and names or nil
end
local NAMED = named()

-- What is read of packets: whether the tree is shown, any field is read, one of a message's own fields is, and the
-- columns are. `needs`: by field, whether it is read, where that has been asked.
local function reading_of(pinfo, tree)
    local now = { needs = {} }
    now.visible = tree.visible and not NAMED
    now.read = tree.visible or tree:referenced(handle)
    now.columns = now.visible or not NAMED
        and (now.read or tostring(pinfo.cols.info) ~= NO_INFO or tostring(pinfo.cols.protocol) ~= NO_PROTOCOL)
    now.fields = now.read
    if TSHARK and now.read and not now.visible then
        now.fields = false
        local function ask(name, made)
            local yes = tree:referenced(made)
            if NAMED then yes = NAMED[name] or false end
            now.needs[made] = yes
            now.fields = now.fields or yes and not OF_ANY[name]
        end
        for name, one in pairs(known) do ask(name, one.field) end
        for name, made in pairs(related_fields) do ask("related." .. name, made) end
    end
    return now
end

-- tshark's second pass (`-2`) reads something else than its first.
local passes = {}

function netkit.dissector(tvb, pinfo, tree)
    local texts = {}
    for _, comment in ipairs { frame_comment() } do
        local text = tostring(comment.value)
        if sub(text, 1, 8) == "netkit: " then
            texts[#texts + 1] = { text }
        elseif sub(text, 1, 9) == "netkit:+ " and #texts > 0 then
            local parts = texts[#texts]
            parts[#parts + 1] = sub(text, 10)
        end
    end
    if #texts == 0 then return end
    local pass = pinfo.visited
    reading = TSHARK and passes[pass] or reading_of(pinfo, tree)
    passes[pass] = reading
    visible = reading.visible
    local read, columns = reading.read, reading.columns
    -- Otherwise only notes and faults are needed, for the expert information: most comments have none.
    if not columns and not read then
        local findable = {}
        for _, parts in ipairs(texts) do
            local first = find(parts[1], "\n", 9, true)
            if #parts > 1 or not first or sub(parts[1], first + 1, first + 7) ~= "netkit:"
                or find(parts[1], "\n", first + 1, true) then findable[#findable + 1] = parts end
        end
        if #findable == 0 then return end
        texts = findable
    end
    root = tree:add(netkit, tvb:range(0, 0))
    general = read and not visible and reading.fields
        and (needed(known.member.field) or needed(known.raw.field) or needed(known.flag.field))
    if entries > ENTRIES then messages, entries = {}, 0 end
    local lines, protocol = {}, nil
    for _, parts in ipairs(texts) do
        local whole, summary = pcall(draw, table.concat(parts), tvb, root, read)
        if whole then
            protocol = protocol or match(summary, "^%S+")
            lines[#lines + 1] = summary
        else
            root:add_proto_expert_info(EXPERTS.script, "this comment cannot be drawn: " .. tostring(summary))
        end
    end
    if columns and #lines > 0 then
        local cols = pinfo.cols
        cols.protocol = protocol or "netkit"
        cols.info = lines[2] and table.concat(lines, " | ") or lines[1]
    end
end

register_postdissector(netkit)
handle = Dissector.get("netkit")
