-- Draws what netkit wrote into a capture (netkit decode CAPTURE -f pcapng): fields with their bytes,
-- notes as expert information, relations as links to frames. It knows no protocol: all that it shows
-- stands in the packet comments. Names and types of the fields are listed below.
--
-- Lua 5.1 to 5.4; no modules, no files, no network.

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
-- By name below "netkit.": the field, its type, its unit.
local known = {}

local function field(name, kind, unit, doc, enum)
    if known[name] then return end
    local made = MAKE[kind]("netkit." .. name, name:match("[^.]+$"), enum, doc ~= "" and doc or nil)
    known[name] = { field = made, kind = kind, unit = unit }
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

local related = {}
for _, one in ipairs(RELATIONS) do
    related[one[1]] = ProtoField.framenum("netkit.related." .. one[1], one[1], base.NONE, frametype[one[3]], nil, one[2])
    all[#all + 1] = related[one[1]]
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
local floor, char = math.floor, string.char

-- The packet's tree, and whether it is shown. If not, only fields are added that a filter, a column or an export reads:
-- most of the time goes into adding fields.
local root, visible
local function needed(made) return visible or root:referenced(made) end

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

-- Adds a leaf as the field of that name, or in general form if there is none of its type.
local function put(tree, name, label, source, bit, bits, letter, rest, generated, hidden)
    local one = known[name]
    if not visible and not (one and root:referenced(one.field)) and not root:referenced(known.member.field)
        and not (letter == "r" and root:referenced(known.raw.field))
        and not (letter == "w" and root:referenced(known.flag.field)) then
        return
    end
    local first, length = range_of(source, bit, bits)
    local text, value, named, flags, from = leaf(source, letter, rest, bit, bits)
    local item
    if letter == "r" then
        if hidden then return end
        item = add_bytes(tree, known.raw.field, source, first, length or 0, value, from)
    elseif letter == "x" then
        if one and one.kind == "x" then
            item = add_bytes(tree, one.field, source, first, length or 0, value, from)
        elseif one and one.kind == "s" then
            item = add(tree, one.field, source, first, length, text)
        end
    elseif one and one.kind == "s" then
        item = add(tree, one.field, source, first, length, named or text)
    elseif one and one.kind == "b" then
        if letter == "b" then item = add(tree, one.field, source, first, length, value == "1") end
    elseif one and (letter == "u" or letter == "i" or letter == "f" or letter == "m" or letter == "e" or letter == "w") then
        local number = number_for(one.kind, value)
        if number ~= nil then item = add(tree, one.field, source, first, length, number) end
        if item and one.unit ~= "" and letter ~= "w" then text = text .. " " .. one.unit end
    end
    if not item then
        if hidden then return end
        item = add(tree, known.member.field, source, first, length, name .. "=" .. (named or text))
    end
    if hidden then
        item:set_hidden()
        return
    end
    if visible then
        item:set_text(brief(label) .. ": " .. (letter == "r" and clean(text) or brief(text)))
        if generated then item:set_generated() end
    end
    if flags then
        for _, flag in ipairs(flags) do
            add(item, known.flag.field, source, first, length, flag):set_text("set: " .. clean(flag))
        end
    end
    return item
end

-- The fields of one section, from the token `at` on: where it ends.
local function nodes(tokens, at, tree, sources, main, proto, prefix, short)
    -- Open groups: item, path, short path, a list?, elements, and whether items are its own.
    local here = { item = tree, path = prefix, short = short, list = false, count = 0 }
    local stack = {}
    while at <= #tokens do
        local token = tokens[at]
        if token:sub(1, 1) == ":" then break end
        at = at + 1
        if token == "." then
            here = table.remove(stack)
            if not here then error("a group ends that has not begun") end
        else
            local name, bit, bits, letter, rest, number = token:match("^([^,]*),(%d*),(%d*),(%a)([^,]*),?(%d*)$")
            if not name then error("no field: " .. token:sub(1, 40)) end
            bit, bits = tonumber(bit), tonumber(bits)
            local source = main
            -- One without bytes is not written.
            if number ~= "" then source = sources[tonumber(number)] or { tvb = main.tvb, at = 0, length = 0 } end
            local path, brief, label = here.path, here.short, nil
            if here.list then
                label = "[" .. here.count .. "]"
                here.count = here.count + 1
            else
                local foreign = name:sub(1, 1) == "~"
                label = plain(foreign and name:sub(2) or name)
                path, brief = path .. "." .. label, brief .. "." .. label
            end
            if letter == "g" or letter == "l" then
                local first, length = range_of(source, bit, bits)
                local item = here.item
                local one = known[path]
                if #stack < DEPTH and (visible or one and one.kind == "n" and root:referenced(one.field)) then
                    if one and one.kind == "n" and letter == "g" then
                        item = add(item, one.field, source, first, length)
                        item:set_text(clean(label))
                    elseif first then
                        item = item:add(source.tvb:range(source.at + first, length), clean(label))
                    else
                        item = item:add(clean(label))
                    end
                    if not bit then item:set_generated() end
                end
                local open = { item = item, path = path, short = brief, list = letter == "l", count = 0 }
                stack[#stack + 1] = here
                here = open
            else
                put(here.item, path, label, source, bit, bits, letter, rest, not bit)
                if brief ~= path and known[brief] then
                    put(here.item, brief, label, source, bit, bits, letter, rest, not bit, true)
                end
            end
        end
    end
    if #stack > 0 then error("a group does not end") end
    return at
end

-- Draws one comment: whole, as its parts were joined. `read`: whether any of its fields is needed.
local function draw(text, tvb, tree, read)
    local lines = {}
    for line in text:gmatch("[^\n]+") do lines[#lines + 1] = line end
    local summary = clean((lines[1] or ""):gsub("^netkit: ", "", 1))
    local form, last = (lines[#lines] or ""):match("^netkit:(%d+) (.*)$")
    local proto = summary:match("^%S+")
    local top = tree
    local state = {}
    local tokens = {}
    local at = 1
    if form == FORM and read then
        for token in last:gmatch("%S+") do tokens[#tokens + 1] = token end
        while tokens[at] and tokens[at]:sub(1, 1) ~= ":" do
            local key, value = tokens[at]:match("^(%w+)=(.*)$")
            if not key then error("no key: " .. tokens[at]:sub(1, 40)) end
            if key == "r" then
                state.related = state.related or {}
                state.related[#state.related + 1] = value
            else
                state[key] = value
            end
            at = at + 1
        end
    end
    -- Where the bytes are: in the frame, or beside it.
    local sources = {}
    for key, value in pairs(state) do
        local kind, number = key:match("^([bh])(%d*)$")
        if kind == "b" then
            local offset, length = value:match("^(%d+)%+(%d+)$")
            sources[tonumber(number) or 0] = { tvb = tvb, at = tonumber(offset), length = tonumber(length) }
        elseif kind == "h" and value ~= "" then
            local name = "netkit: " .. (state.m and plain(state.m) or "message")
            local own = ByteArray.new(value):tvb(name .. (number ~= "" and " " .. number or ""))
            sources[tonumber(number) or 0] = { tvb = own, at = 0, length = #value / 2 }
        end
    end
    local main = sources[0] or { tvb = tvb, at = 0, length = 0 }
    local name = state.p and state.m and plain(state.p) .. "." .. plain(state.m)
    local one = name and known[name]
    if one and one.kind == "n" and needed(one.field) then
        top = tree:add(one.field, main.tvb:range(main.at, main.length))
    elseif visible then
        top = tree:add(main.tvb:range(main.at, main.length), "")
    end
    if visible then
        local late = state.n and "frame " .. state.n .. ": " or ""
        top:set_text(late .. summary)
    end
    local function about(key, value, label)
        local made = known[key]
        if value and value ~= "" and needed(made.field) then
            local item = add(top, made.field, nil, nil, nil, made.kind == "s" and clean(plain(value)) or number_for(made.kind, value))
            if label then item:set_text(label) end
            item:set_generated()
        end
    end
    while at <= #tokens do
        local section = tokens[at]
        at = at + 1
        local place, short = plain(state.p or ""), plain(state.p or "")
        if section == ":f" then
            at = nodes(tokens, at, top, sources, main, place, name or place, short)
        elseif section == ":d" or section == ":p" then
            local word = section == ":d" and "derived" or "packet"
            local group = top
            if visible then
                group = top:add(word)
                if section == ":d" then group:set_generated() end
            end
            at = nodes(tokens, at, group, sources, main, place, place .. "." .. word, place .. "." .. word)
        else
            error("no section: " .. section:sub(1, 40))
        end
    end
    for k = 2, #lines do
        local level, code, what = lines[k]:match("^(%a+) ([%w_.%-]+): (.*)$")
        if lines[k]:sub(1, 7) == "fault: " then
            what = clean(lines[k]:sub(8))
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
    for _, value in ipairs(state.related or {}) do
        local kind, frame, index, millis = value:match("^([%w_]+),(%d+),(%d*),([%d.%-]*)$")
        local made = kind and related[kind]
        if made and needed(made) then
            local item = top:add(made, tonumber(frame))
            local more = index ~= "" and " (message " .. index .. ")" or ""
            if millis ~= "" then more = more .. ", " .. millis .. " ms" end
            item:set_text(kind .. ": frame " .. frame .. more)
            item:set_generated()
        end
    end
    about("proto", state.p)
    about("version", state.v)
    about("message", state.m)
    about("from", state.f)
    about("flow", state.c)
    about("length", state.l)
    if state.n then about("frame", state.n) end
    local part, parts = (state.i or ""):match("^(%d+)/(%d+)$")
    about("part", part)
    about("parts", parts)
    for word in (state.q or ""):gmatch("[^,]+") do
        local one = known[word]
        if one and one.kind == "b" and needed(one.field) then top:add(one.field, true):set_generated() end
    end
    about("summary", (summary:gsub("[%%]", "%%25")), "summary: " .. summary)
    return proto, summary
end

local handle

function netkit.dissector(tvb, pinfo, tree)
    local comments = { frame_comment() }
    local texts = {}
    for _, comment in ipairs(comments) do
        local text = tostring(comment.value)
        if text:sub(1, 8) == "netkit: " then
            texts[#texts + 1] = { text }
        elseif text:sub(1, 9) == "netkit:+ " and #texts > 0 then
            local parts = texts[#texts]
            parts[#parts + 1] = text:sub(10)
        end
    end
    if #texts == 0 then return end
    root, visible = tree:add(netkit, tvb:range(0, 0)), tree.visible
    local read = visible or root:referenced(handle)
    local lines, protocol = {}, nil
    for _, parts in ipairs(texts) do
        local whole, proto, summary = pcall(draw, table.concat(parts), tvb, root, read)
        if whole then
            protocol = protocol or proto
            lines[#lines + 1] = summary
        else
            root:add_proto_expert_info(EXPERTS.script, "this comment cannot be drawn: " .. tostring(proto))
        end
    end
    if #lines > 0 then
        pinfo.cols.protocol:set(protocol or "netkit")
        pinfo.cols.info:set(table.concat(lines, " | "))
    end
end

register_postdissector(netkit)
handle = Dissector.get("netkit")
