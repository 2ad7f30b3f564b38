#include "core/pcie/switch_turn.hpp"

#include <algorithm>

namespace peerpath::pcie {
namespace {

bool holds(const PortRegisters& port, BusAddress address, Bytes bytes) {
  return port.memory_enabled && std::ranges::any_of(port.windows, [&](const BridgeWindow& w) {
           const auto size = static_cast<std::uint64_t>(w.size.count()), n = static_cast<std::uint64_t>(bytes.count());
           const std::uint64_t offset = address.value() - w.base.value();
           return address >= w.base && offset < size && n <= size - offset;
         });
}

}  // namespace

Turn turn_request(std::span<const PortRegisters> ports, int ingress, BusAddress address, Bytes bytes, Bdf requester) {
  const auto& in = ports[static_cast<std::size_t>(ingress)];
  if (!in.bus_master) return {TurnWay::refused, -1, {AcsAction::unsupported, 0}};
  int peer = -1;
  for (int i = 0; i < static_cast<int>(ports.size()); ++i)
    if (i != ingress && holds(ports[static_cast<std::size_t>(i)], address, bytes)) peer = i;
  const auto way = holds(in, address, bytes) ? PeerWay::own_port : peer >= 0 ? PeerWay::peer : PeerWay::upstream;
  const auto decision = decide(in.acs, RouteKind::request, way, std::max(peer, 0), requester);
  switch (decision.action) {
    case AcsAction::violation:
    case AcsAction::unsupported:
      return {TurnWay::refused, -1, decision};
    case AcsAction::redirected:
      return {TurnWay::upstream, -1, decision};
    case AcsAction::direct:
      break;
  }
  if (way == PeerWay::peer) return {TurnWay::down, peer, decision};
  return {TurnWay::upstream, -1, decision};
}

}  // namespace peerpath::pcie
