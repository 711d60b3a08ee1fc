-- ENet 1.3 for tshark, as a careful user would write it today, to compare with the same protocol by a
-- protocol file. It has no checksums, compression, reassembly or relations of acknowledgements.
--   tshark -X lua_script:enet.lua -r FILE
local enet = Proto("enet_lua", "ENet 1.3")
local names = {
  [1] = "Acknowledge", [2] = "Connect", [3] = "Verify connect", [4] = "Disconnect", [5] = "Ping",
  [6] = "Send reliable", [7] = "Send unreliable", [8] = "Send fragment", [9] = "Send unsequenced",
  [10] = "Bandwidth limit", [11] = "Throttle configure", [12] = "Send unreliable fragment",
}
local sizes = { 4, 44, 40, 4, 0, 2, 4, 20, 4, 8, 12, 20 }
local f = enet.fields
f.session = ProtoField.uint16("enet_lua.session", "Session", base.DEC, nil, 0x3000)
f.peer = ProtoField.uint16("enet_lua.peer", "Peer", base.DEC, nil, 0x0fff)
f.time = ProtoField.uint16("enet_lua.sent_time", "Sent time", base.DEC)
f.command = ProtoField.uint8("enet_lua.command", "Command", base.DEC, names, 0x0f)
f.acknowledge = ProtoField.bool("enet_lua.acknowledge", "Acknowledge", 8, nil, 0x80)
f.unsequenced = ProtoField.bool("enet_lua.unsequenced", "Unsequenced", 8, nil, 0x40)
f.channel = ProtoField.uint8("enet_lua.channel", "Channel", base.DEC)
f.number = ProtoField.uint16("enet_lua.number", "Reliable number", base.DEC)
f.received = ProtoField.uint16("enet_lua.received", "Received number", base.DEC)
f.received_time = ProtoField.uint16("enet_lua.received_time", "Received time", base.DEC)
f.unreliable = ProtoField.uint16("enet_lua.unreliable", "Unreliable number", base.DEC)
f.data = ProtoField.bytes("enet_lua.data", "Data")

function enet.dissector(buf, pinfo, tree)
  pinfo.cols.protocol = "ENet"
  local top = tree:add(enet, buf())
  top:add(f.session, buf(0, 2))
  top:add(f.peer, buf(0, 2))
  local at, told = 2, {}
  if buf(0, 1):uint() >= 0x80 then
    top:add(f.time, buf(2, 2))
    at = 4
  end
  while at + 4 <= buf:len() do
    local kind = buf(at, 1):bitfield(4, 4)
    local least = sizes[kind]
    if least == nil or at + 4 + least > buf:len() then break end
    local one = top:add(buf(at), names[kind])
    one:add(f.command, buf(at, 1))
    one:add(f.acknowledge, buf(at, 1))
    one:add(f.unsequenced, buf(at, 1))
    one:add(f.channel, buf(at + 1, 1))
    one:add(f.number, buf(at + 2, 2))
    local size = 4 + least
    if kind == 1 then
      one:add(f.received, buf(at + 4, 2))
      one:add(f.received_time, buf(at + 6, 2))
    elseif kind == 6 then
      size = size + buf(at + 4, 2):uint()
    elseif kind == 7 or kind == 9 then
      one:add(f.unreliable, buf(at + 4, 2))
      size = size + buf(at + 6, 2):uint()
    elseif kind == 8 or kind == 12 then
      size = size + buf(at + 6, 2):uint()
    end
    if size > 4 + least and at + size <= buf:len() then
      one:add(f.data, buf(at + 4 + least, size - 4 - least))
    end
    told[#told + 1] = names[kind]
    at = at + size
  end
  pinfo.cols.info = table.concat(told, ", ")
end

DissectorTable.get("udp.port"):add(7777, enet)
