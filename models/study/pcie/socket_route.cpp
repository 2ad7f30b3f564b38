#include "study/pcie/socket_route.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"
#include "peerpath/scenario/describe.hpp"
#include "study/pcie/route_text.hpp"

namespace peerpath::study {
namespace {

using pcie::AcsAction;
using scenario::InterSocket;

/// A link and the root complex that it leads to.
struct Crossing {
  const InterSocket* link;
  std::string to;
};

/// The links from one root complex to another. They make a tree, so there is one way at most.
std::vector<Crossing> way(const scenario::Scenario& s, const std::string& from, const std::string& to,
                          const InterSocket* by = nullptr) {
  for (const auto& link : s.inter_socket) {
    if (&link == by || (link.from != from && link.to != from)) continue;
    const auto& other = link.from == from ? link.to : link.from;
    std::vector<Crossing> found{{&link, other}};
    if (other == to) return found;
    const auto rest = way(s, other, to, &link);
    if (rest.empty()) continue;
    found.insert(found.end(), rest.begin(), rest.end());
    return found;
  }
  return {};
}

SocketHop hop_of(const InterSocket& link) {
  auto said = "inter-socket link, " + scenario::to_text(BitRate{link.rate.bps() * link.links}) + " each way";
  if (link.peer_write_rate) said += ", writes of peers " + scenario::to_text(*link.peer_write_rate);
  if (link.peer_read_rate) said += ", reads of peers " + scenario::to_text(*link.peer_read_rate);
  return {.at = link.to + "-" + link.from, .id = {}, .acs = {}, .because = {}, .said = said};
}

SocketHop hop_of(const scenario::Hierarchy& h, const pcie::RouteHop& hop, pcie::RouteKind kind) {
  return {.at = name_at(h, hop.function),
          .id = id_at(h, hop.function),
          .acs = control_at(h, hop.function),
          .action = hop.action,
          .because = hop.because == 0 ? "" : pcie::acs::to_string(hop.because),
          .said = said(h, hop, kind)};
}

void refuse(SocketRoute& route, const std::string& why) {
  route.hops.back().action = AcsAction::unsupported;
  route.hops.back().said = why + ": Unsupported Request";
}

/// From the root complex down, by address or ID.
void descend(SocketRoute& route, const SocketEnd& to, pcie::RouteKind kind) {
  std::vector<int> down;
  for (int f = to.function; f != pcie::at_root_complex; f = to.h.functions[static_cast<std::size_t>(f)].parent)
    down.push_back(f);
  for (auto f = down.rbegin(); f != down.rend(); ++f) route.hops.push_back(hop_of(to.h, {*f}, kind));
}

}  // namespace

SocketRoute socket_route(const scenario::Scenario& s, const SocketEnd& from, const SocketEnd& to,
                         pcie::RouteKind kind) {
  const auto crossings = way(s, from.h.root, to.h.root);
  require(!crossings.empty(), "the sockets of a host are connected");
  const auto up = pcie::route(from.h.functions, from.h.acs, from.h.peer_to_peer, from.function, pcie::at_root_complex,
                              kind, from.h.iommu);
  SocketRoute route;
  for (const auto& hop : up.hops) route.hops.push_back(hop_of(from.h, hop, kind));
  if (!up.delivered()) return route;
  const bool for_device = to.function != pcie::at_root_complex;
  for (const auto& crossing : crossings) {
    if (!crossing.link->forwards_peers && for_device && !is_completion(kind)) {
      refuse(route, "lets no request for a device of another socket cross (forwards_peers)");
      return route;
    }
    route.hops.push_back(hop_of(*crossing.link));
    route.hops.push_back({.at = crossing.to, .id = {}, .acs = {}, .because = {}, .said = {}});
  }
  if (for_device && !to.h.peer_to_peer)
    refuse(route, to.h.root + " does not forward between its ports");
  else
    descend(route, to, kind);
  return route;
}

pcie::P2pVerdict p2pdma(const SocketEnd& client, const SocketEnd& provider) {
  auto functions = client.h.functions;
  auto ports = client.h.acs;
  const auto before = static_cast<int>(functions.size());
  for (auto function : provider.h.functions) {
    if (function.parent != pcie::at_root_complex) function.parent += before;
    functions.push_back(std::move(function));
  }
  ports.insert(ports.end(), provider.h.acs.begin(), provider.h.acs.end());
  return pcie::p2pdma(functions, ports, before + provider.function, client.function, provider.h.host_bridge,
                      client.h.host_bridge, false);
}

std::string reason(const SocketEnd& client, const SocketEnd& provider) {
  const auto& [one, other] = std::minmax(client.h.root, provider.h.root);
  std::string untrusted;
  for (const auto* end : {&provider, &client})
    if (end->h.host_bridge != pcie::HostBridgeList::listed)
      untrusted += (untrusted.empty() ? "" : " and ") + end->h.root +
                   " (host_bridge: " + std::string{name_of(end->h.host_bridge)} + ")";
  return "they are below host bridges of two sockets, " + one + " and " + other + "; the kernel " +
         (untrusted.empty() ? "trusts both to forward to each other (host_bridge)"
                            : "does not trust " + untrusted + " to forward to another host bridge");
}

}  // namespace peerpath::study
