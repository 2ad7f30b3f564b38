-- Shows the TLPs of peerpath's captures (link type USER0, 147): header fields as PCIe Base Spec 2.2 defines them, what
-- peerpath says of each in the packet's comment, and which completions answer which request.
--
-- wireshark -X lua_script:peerpath_tlp.lua trace.pcapng, or put it into the folder that Help > About > Folders names
-- "Personal Lua Plugins". As root, Wireshark loads no scripts.

local tlp = Proto("tlp", "PCI Express TLP")

local type_names = {
  MRd = "Memory read", MRdLk = "Locked memory read", MWr = "Memory write", IORd = "I/O read", IOWr = "I/O write",
  CfgRd0 = "Configuration read type 0", CfgWr0 = "Configuration write type 0", CfgRd1 = "Configuration read type 1",
  CfgWr1 = "Configuration write type 1", FetchAdd = "Fetch and add", Swap = "Swap", CAS = "Compare and swap",
  Msg = "Message", MsgD = "Message with data", Cpl = "Completion", CplD = "Completion with data",
}
local status_names = {[0] = "Successful", [1] = "Unsupported request", [2] = "Configuration retry", [4] = "Completer abort"}
local translation_names = {[0] = "untranslated", [1] = "translation request", [2] = "translated", [3] = "reserved"}

local f = {
  type = ProtoField.string("tlp.type", "Type"),
  four = ProtoField.bool("tlp.four_dw", "Four double words of header", 8, nil, 0x20),
  has_data = ProtoField.bool("tlp.has_data", "Has data", 8, nil, 0x40),
  code = ProtoField.uint8("tlp.type_code", "Type code", base.HEX, nil, 0x1f),
  class = ProtoField.uint8("tlp.tc", "Traffic class", base.DEC, nil, 0x70),
  ido = ProtoField.bool("tlp.attr.ido", "ID-based ordering", 8, nil, 0x04),
  digest = ProtoField.bool("tlp.td", "Digest", 8, nil, 0x80),
  poisoned = ProtoField.bool("tlp.ep", "Poisoned", 8, nil, 0x40),
  relaxed = ProtoField.bool("tlp.attr.ro", "Relaxed ordering", 8, nil, 0x20),
  no_snoop = ProtoField.bool("tlp.attr.ns", "No snoop", 8, nil, 0x10),
  at = ProtoField.uint8("tlp.at", "Address type", base.DEC, translation_names, 0x0c),
  length = ProtoField.uint16("tlp.length", "Length in double words"),
  requester = ProtoField.string("tlp.requester", "Requester"),
  completer = ProtoField.string("tlp.completer", "Completer"),
  tag = ProtoField.uint16("tlp.tag", "Tag"),
  first_be = ProtoField.uint8("tlp.first_be", "First byte enables", base.HEX, nil, 0x0f),
  last_be = ProtoField.uint8("tlp.last_be", "Last byte enables", base.HEX, nil, 0xf0),
  address = ProtoField.uint64("tlp.address", "Address", base.HEX),
  status = ProtoField.uint8("tlp.status", "Completion status", base.DEC, status_names, 0xe0),
  byte_count = ProtoField.uint16("tlp.byte_count", "Bytes left"),
  lower = ProtoField.uint8("tlp.lower_address", "Lower address", base.HEX, nil, 0x7f),
  data = ProtoField.uint32("tlp.data_bytes", "Bytes of data"),
  purpose = ProtoField.string("tlp.purpose", "Purpose"),
  from = ProtoField.string("tlp.asks", "Asks"),
  to = ProtoField.string("tlp.answers", "Is asked"),
  transaction = ProtoField.uint64("tlp.transaction", "Transaction"),
  direction = ProtoField.string("tlp.direction", "Direction"),
  completed = ProtoField.framenum("tlp.completed_in", "Last completion in", base.NONE, frametype.RESPONSE),
  request = ProtoField.framenum("tlp.request_in", "Request in", base.NONE, frametype.REQUEST),
  delay = ProtoField.double("tlp.time_ns", "Time since the request (ns)"),
}
local fields = {}
for _, field in pairs(f) do fields[#fields + 1] = field end
tlp.fields = fields

local interface_of = Field.new("frame.interface_name")
local comment_of = Field.new("frame.comment")
local flags_of = Field.new("frame.packet_flags_direction")

local failed = ProtoExpert.new("tlp.failed", "Completion without success", expert.group.RESPONSE_CODE, expert.severity.WARN)
tlp.experts = {failed}

-- By interface, requester and tag: the request that is open there. By frame: its partner, found in the first pass.
local open, partner, times = {}, {}, {}

function tlp.init()
  open, partner, times = {}, {}, {}
end

local function is_message(code) return code >= 0x10 and code <= 0x17 end

local function type_of(data, code)
  if code == 0x00 then return data and "MWr" or "MRd" end
  if code == 0x01 then return "MRdLk" end
  if code == 0x02 then return data and "IOWr" or "IORd" end
  if code == 0x04 then return data and "CfgWr0" or "CfgRd0" end
  if code == 0x05 then return data and "CfgWr1" or "CfgRd1" end
  if code == 0x0a then return data and "CplD" or "Cpl" end
  if code == 0x0c then return "FetchAdd" end
  if code == 0x0d then return "Swap" end
  if code == 0x0e then return "CAS" end
  if is_message(code) then return data and "MsgD" or "Msg" end
  return "unknown"
end

local function function_name(range)
  return string.format("%02x:%02x.%d", range:bitfield(0, 8), range:bitfield(8, 5), range:bitfield(13, 3))
end

-- Requests are told apart by requester and tag, on each link by itself.
local function link_up(pinfo, key, is_request, bytes_left, carried)
  if pinfo.visited then return end
  local now = pinfo.rel_ts
  if is_request then
    open[key] = {frame = pinfo.number, time = now}
  elseif open[key] then
    local request = open[key]
    partner[pinfo.number] = request.frame
    times[pinfo.number] = (now - request.time) * 1e9
    partner[request.frame] = pinfo.number
    if bytes_left <= carried then open[key] = nil end
  end
end

function tlp.dissector(buffer, pinfo, tree)
  if buffer:len() < 12 then return 0 end
  -- No operators on bits: Wireshark up to 4.2 has Lua 5.2.
  local data, code = buffer(0, 1):bitfield(1, 1) == 1, buffer(0, 1):bitfield(3, 5)
  local name = type_of(data, code)
  local words = buffer(0, 1):bitfield(2, 1) == 1 and 4 or 3
  local length = buffer(2, 2):bitfield(6, 10)
  if length == 0 then length = 1024 end
  local tag = buffer(1, 1):bitfield(0, 1) * 512 + buffer(1, 1):bitfield(4, 1) * 256

  local root = tree:add(tlp, buffer(0, math.min(words * 4, buffer:len())), "PCI Express TLP, " .. (type_names[name] or name))
  root:add(f.type, buffer(0, 1), name)
  root:add(f.four, buffer(0, 1))
  root:add(f.has_data, buffer(0, 1))
  root:add(f.code, buffer(0, 1))
  root:add(f.class, buffer(1, 1))
  root:add(f.ido, buffer(1, 1))
  root:add(f.digest, buffer(2, 1))
  root:add(f.poisoned, buffer(2, 1))
  root:add(f.relaxed, buffer(2, 1))
  root:add(f.no_snoop, buffer(2, 1))
  root:add(f.at, buffer(2, 1))
  root:add(f.length, buffer(2, 2), length)

  local interface = interface_of() and tostring(interface_of()) or ""
  local info, key
  if code == 0x0a then
    local status, count = buffer(6, 1):bitfield(0, 3), buffer(6, 2):bitfield(4, 12)
    local requester = buffer(8, 2):uint()
    tag = tag + buffer(10, 1):uint()
    if count == 0 and data then count = 4096 end
    root:add(f.completer, buffer(4, 2), function_name(buffer(4, 2)))
    root:add(f.status, buffer(6, 1))
    root:add(f.byte_count, buffer(6, 2), count)
    root:add(f.requester, buffer(8, 2), function_name(buffer(8, 2)))
    root:add(f.tag, buffer(10, 1), tag)
    root:add(f.lower, buffer(11, 1))
    if status ~= 0 then root:add_proto_expert_info(failed) end
    local lead = buffer(11, 1):bitfield(6, 2)
    link_up(pinfo, interface .. "/" .. requester .. "/" .. tag, false, count, data and length * 4 - lead or 4096)
    info = string.format("%s tag %d, %d B left%s", name, tag, count,
                         status ~= 0 and ", " .. (status_names[status] or "failed") or "")
  else
    local requester = buffer(4, 2):uint()
    tag = tag + buffer(6, 1):uint()
    root:add(f.requester, buffer(4, 2), function_name(buffer(4, 2)))
    root:add(f.tag, buffer(6, 1), tag)
    if is_message(code) then
      info = name
    else
      root:add(f.last_be, buffer(7, 1))
      root:add(f.first_be, buffer(7, 1))
      if code == 0x04 or code == 0x05 then
        root:add(f.completer, buffer(8, 2), function_name(buffer(8, 2)))
        info = name .. " " .. function_name(buffer(8, 2))
      else
        local place = buffer(8, words == 4 and 8 or 4)
        root:add(f.address, place, words == 4 and place:uint64() or UInt64(place:uint()))
        info = string.format("%s %s, %d B", name, "0x" .. tostring(place:bytes()):lower():gsub("^0+(.)", "%1"), length * 4)
      end
    end
    local posted = name == "MWr" or name == "Msg" or name == "MsgD"
    if not posted then
      link_up(pinfo, interface .. "/" .. requester .. "/" .. tag, true, 0, 0)
      info = info .. ", tag " .. tag
    end
  end
  if data then root:add(f.data, length * 4):set_generated() end

  -- "payload, nic0 -> gpu0, transaction 17"
  local comment = comment_of() and tostring(comment_of()) or ""
  local purpose, from, to, number = comment:match("^(.-), (.-) %-> (.-), transaction (%d+)$")
  if purpose then
    root:add(f.purpose, purpose):set_generated()
    root:add(f.from, from):set_generated()
    root:add(f.to, to):set_generated()
    root:add(f.transaction, UInt64(tonumber(number))):set_generated()
    pinfo.cols.src = code == 0x0a and to or from
    pinfo.cols.dst = code == 0x0a and from or to
    info = info .. ", " .. purpose
  end
  local flags = flags_of()
  if flags and flags.value ~= 0 then
    root:add(f.direction, flags.value == 1 and "up" or "down"):set_generated()
  end
  local other = partner[pinfo.number]
  if other then
    root:add(code == 0x0a and f.request or f.completed, other):set_generated()
    if times[pinfo.number] then root:add(f.delay, times[pinfo.number]):set_generated() end
  end
  pinfo.cols.protocol = "TLP"
  pinfo.cols.info = info
  return buffer:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, tlp)
