#include "core/pcie/packet_route.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::pcie {
namespace {

/// The TLP on its way.
class Walk {
 public:
  Walk(std::span<const Function> functions, std::span<const AcsPort> ports, bool peer_to_peer, int to, RouteKind kind,
       bool iommu)
      : functions_{functions},
        ports_{ports},
        peer_to_peer_{peer_to_peer},
        unknown_{iommu && is_spoofed(kind)},
        to_{to},
        kind_{kind} {}

  PacketRoute from(int sender) {
    route_.hops.push_back({sender});
    requester_ = at(sender).bdf;
    for (int port = at(sender).parent; port != at_root_complex; port = climb(port)) {
      if (!pass_port(port)) return route_;
    }
    return route_;
  }

 private:
  const Function& at(int function) const { return functions_[static_cast<std::size_t>(function)]; }

  /// The TLP has come up to a downstream or root port; whether it goes further up.
  bool pass_port(int port) {
    const int peer = peer_of(port);
    const PeerWay way = is_below(functions_, to_, port) ? PeerWay::own_port
                        : peer >= 0                     ? PeerWay::peer
                                                        : PeerWay::upstream;
    const auto decision = decide(ports_[static_cast<std::size_t>(port)], kind_, way, peer < 0 ? 0 : number_of(peer),
                                 is_completion(kind_) ? std::nullopt : std::optional{requester_});
    route_.hops.push_back({port, decision.action, decision.because});
    if (decision.action == AcsAction::violation || decision.action == AcsAction::unsupported) {
      route_.end = decision.action;
      return false;
    }
    const bool root = at(port).kind == FunctionKind::root_port;
    if (decision.action == AcsAction::redirected || way == PeerWay::upstream) return root ? turn_at_root() : true;
    if (root) return turn_at_root();
    descend(at(port).parent);
    return false;
  }

  /// The next downstream or root port above; the upstream port between them is a hop.
  int climb(int port) {
    const int upstream = at(port).parent;
    route_.hops.push_back({upstream});
    return at(upstream).parent;
  }

  /// Inside the root complex: host memory, or down a root port. The way up ends here.
  bool turn_at_root() {
    route_.hops.push_back({at_root_complex});
    if (to_ == at_root_complex && !unknown_) return false;
    if (!peer_to_peer_ || unknown_) {
      route_.hops.back().action = route_.end = AcsAction::unsupported;
      return false;
    }
    descend(at_root_complex);
    return false;
  }

  /// Down from `bridge`, by address or ID.
  void descend(int bridge) {
    std::vector<int> way;
    for (int f = to_; f != bridge; f = at(f).parent) way.push_back(f);
    for (auto f = way.rbegin(); f != way.rend(); ++f) route_.hops.push_back({*f});
  }

  /// The sibling port of `port` that the target is below; -1 if there is none.
  int peer_of(int port) const {
    if (to_ == at_root_complex) return -1;
    for (int f = to_; f >= 0; f = at(f).parent)
      if (f != port && at(f).parent == at(port).parent) return f;
    return -1;
  }

  /// Port numbers are counted from 0 in the order of the ports of one switch or root complex.
  int number_of(int port) const {
    const auto siblings = functions_.first(static_cast<std::size_t>(port));
    return static_cast<int>(std::ranges::count(siblings, at(port).parent, &Function::parent));
  }

  std::span<const Function> functions_;
  std::span<const AcsPort> ports_;
  bool peer_to_peer_;
  bool unknown_;  ///< its requester, to the IOMMU
  int to_;
  RouteKind kind_;
  Bdf requester_{};
  PacketRoute route_;
};

}  // namespace

bool PacketRoute::redirected() const {
  return std::ranges::find(hops, AcsAction::redirected, &RouteHop::action) != hops.end();
}

bool PacketRoute::through_root_complex() const {
  return std::ranges::find(hops, at_root_complex, &RouteHop::function) != hops.end();
}

bool is_below(std::span<const Function> functions, int function, int bridge) {
  for (; function >= 0; function = functions[static_cast<std::size_t>(function)].parent)
    if (function == bridge) return true;
  return false;
}

PacketRoute route(std::span<const Function> functions, std::span<const AcsPort> ports, bool peer_to_peer, int from,
                  int to, RouteKind kind, bool iommu) {
  require(ports.size() == functions.size(), "every function has ACS registers, be they empty");
  require(from >= 0 && from != to, "a TLP goes from one function to another");
  return Walk{functions, ports, peer_to_peer, to, kind, iommu}.from(from);
}

}  // namespace peerpath::pcie
