#include "fabric/vocabulary/acs_routes.hpp"

#include "fabric/vocabulary/wiring.hpp"

namespace peerpath::fabric {
namespace {

using pcie::AcsAction;
using pcie::PeerWay;
using pcie::RouteKind;

class Routes {
 public:
  Routes(const Topology& topology, const AcsHierarchy& hierarchy)
      : topology_{topology}, hierarchy_{hierarchy}, wiring_{topology} {}

  std::vector<Route> all() {
    for (std::size_t n = 0; n < topology_.nodes.size(); ++n)
      if (!topology_.nodes[n].is_endpoint) add_router(NodeId{static_cast<std::uint16_t>(n)});
    return std::move(routes_);
  }

 private:
  void add_router(NodeId router) {
    root_ = root_of(router);
    if (root_ == nullptr) return;
    up_ = router == root_->root ? root_->memory : wiring_.next_link(router, root_->root);
    for (const Port& port : wiring_.ports(router)) {
      if (port.link == up_ || is_trap(router, port.link) || hierarchy_.crossings.contains(port.link)) continue;
      for (std::size_t t = 0; t < topology_.nodes.size(); ++t)
        if (topology_.nodes[t].is_endpoint) add_target(router, port.link, NodeId{static_cast<std::uint16_t>(t)});
    }
  }

  /// The first root complex on the way from a router to any; a way to another one leads through its own.
  const AcsRoot* root_of(NodeId router) const {
    for (const AcsRoot& any : hierarchy_.roots) {
      if (!wiring_.connected(router, any.root)) continue;
      for (NodeId at = router;; at = wiring_.ports(at)[static_cast<std::size_t>(wiring_.next_port(at, any.root))].peer)
        for (const AcsRoot& own : hierarchy_.roots)
          if (own.root == at) return &own;
    }
    return nullptr;
  }

  /// What goes to memory of the other socket goes on as to that of its own.
  void add_crossing(NodeId router, LinkId ingress, NodeId target, LinkId natural) {
    const bool stays = !hierarchy_.crossings.at(natural) && !hierarchy_.memories.contains(target);
    for (const auto& [name, each] : enum_names(RouteKind{})) {
      const RouteKind kind = hierarchy_.spoofing ? each : unspoofed(each);
      const bool refused = (stays && !is_completion(kind)) || unknown(router, kind);
      routes_.push_back({router, ingress, each, target, refused ? this->refused(router) : natural});
    }
  }

  void add_target(NodeId router, LinkId ingress, NodeId target) {
    if (!wiring_.connected(router, target)) return;
    const LinkId natural = wiring_.next_link(router, target);
    if (is_trap(router, natural)) return;
    if (hierarchy_.crossings.contains(natural)) return add_crossing(router, ingress, target, natural);
    const PeerWay way = natural == up_ ? PeerWay::upstream : natural == ingress ? PeerWay::own_port : PeerWay::peer;
    const auto found = hierarchy_.ports.find(ingress);
    const pcie::AcsPort registers = found == hierarchy_.ports.end() ? pcie::AcsPort{} : found->second;
    for (const auto& [name, each] : enum_names(RouteKind{})) {
      const RouteKind kind = hierarchy_.spoofing ? each : unspoofed(each);
      auto action = decide(registers, kind, way, number_of(router, natural)).action;
      if (action != AcsAction::violation && unknown(router, kind)) action = AcsAction::unsupported;
      routes_.push_back({router, ingress, each, target, egress(router, natural, way, action)});
    }
  }

  /// Whether it is the root complex, whose IOMMU has no entry for this requester.
  bool unknown(NodeId router, RouteKind kind) const {
    return root_->iommu && router == root_->root && is_spoofed(kind);
  }

  LinkId egress(NodeId router, LinkId natural, PeerWay way, AcsAction action) const {
    const bool at_root = router == root_->root;
    switch (action) {
      case AcsAction::direct:
        return at_root && way == PeerWay::peer && !root_->peer_to_peer ? refused(router) : natural;
      case AcsAction::redirected:
        return !at_root ? up_ : root_->peer_to_peer ? natural : refused(router);
      case AcsAction::violation:
        return traps(router).violation.value_or(up_);
      case AcsAction::unsupported:
        return refused(router);
    }
    return natural;
  }

  LinkId refused(NodeId router) const { return traps(router).unsupported.value_or(up_); }

  AcsHierarchy::Traps traps(NodeId router) const {
    const auto found = hierarchy_.traps.find(router);
    return found == hierarchy_.traps.end() ? AcsHierarchy::Traps{} : found->second;
  }
  bool is_trap(NodeId router, LinkId link) const {
    const auto t = traps(router);
    return link == t.violation || link == t.unsupported;
  }

  int number_of(NodeId router, LinkId link) const {
    int number = 0;
    for (const Port& port : wiring_.ports(router)) {
      if (port.link == link) return number;
      number += port.link == up_ ? 0 : 1;
    }
    return 0;
  }

  const Topology& topology_;
  const AcsHierarchy& hierarchy_;
  const Wiring wiring_;
  const AcsRoot* root_ = nullptr;  ///< of the router under way
  LinkId up_{};
  std::vector<Route> routes_;
};

}  // namespace

std::vector<Route> acs_routes(const Topology& topology, const AcsHierarchy& hierarchy) {
  return Routes{topology, hierarchy}.all();
}

}  // namespace peerpath::fabric
