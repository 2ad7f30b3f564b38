// Any registers of a switch's ports and any request: the answer must be one that the registers allow.
#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "core/pcie/switch_turn.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peerpath;
  using namespace peerpath::pcie;
  std::span<const std::uint8_t> in{data, size};
  const auto number = [&](std::size_t n) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < n && i < in.size(); ++i) value |= std::uint64_t{in[i]} << (8 * i);
    in = in.subspan(std::min(n, in.size()));
    return value;
  };
  const auto bytes = [](std::uint64_t n) { return Bytes{static_cast<std::int64_t>(n & 0x7fff'ffff'ffff'ffff)}; };
  const BusAddress address{number(8)};
  const Bytes length = bytes(number(8));
  const auto id = number(2);
  const Bdf requester{static_cast<std::uint8_t>(id >> 8), static_cast<std::uint8_t>(id >> 3 & 31),
                      static_cast<std::uint8_t>(id & 7)};
  std::vector<PortRegisters> ports;
  while (!in.empty() && ports.size() < 32) {
    PortRegisters port;
    port.acs.control = static_cast<std::uint16_t>(number(2));
    port.acs.secondary_bus = static_cast<std::uint8_t>(number(1));
    port.acs.subordinate_bus = static_cast<std::uint8_t>(number(1));
    const auto enables = number(1);
    port.memory_enabled = (enables & 1) != 0;
    port.bus_master = (enables & 2) != 0;
    for (auto& window : port.windows) window = {BusAddress{number(8)}, bytes(number(8))};
    ports.push_back(port);
  }
  for (int ingress = 0; ingress < static_cast<int>(ports.size()); ++ingress) {
    const auto turn = turn_request(ports, ingress, address, length, requester);
    const auto& in_port = ports[static_cast<std::size_t>(ingress)];
    if (turn.way != TurnWay::refused && !in_port.bus_master) std::abort();
    if (turn.way != TurnWay::down) continue;
    if (turn.port < 0 || turn.port >= static_cast<int>(ports.size()) || turn.port == ingress) std::abort();
    if (!ports[static_cast<std::size_t>(turn.port)].memory_enabled) std::abort();
    if ((in_port.acs.control & acs::request_redirect) != 0 && (in_port.acs.control & acs::egress_control) == 0)
      std::abort();
  }
  return 0;
}
