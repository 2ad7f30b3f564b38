// How many header credits of each direction and class are taken, worked out from the TLPs that are seen.
#pragma once

#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

#include "observe/trace/sink.hpp"

namespace peerpath::trace {

/// A TLP takes a credit when it starts. From a router it comes back `update_fc` after the TLP has left there by the
/// next link; from an endpoint after the TLP has been taken in, where gates and one receive queue are left out: those
/// hold it longer than is shown.
class CreditsInUse {
 public:
  struct Change {
    Instant when{};
    std::size_t link = 0;
    int direction = 0;
    pcie::TlpClass tlp_class{};
    int taken = 0;
  };
  using Tell = std::function<void(const Change&)>;

  explicit CreditsInUse(const fabric::Topology& topology) : topology_{topology} {}

  /// In order of starts. Tells of every change up to the start of this one.
  void see(const Tlp& tlp, const Tell& tell);

 private:
  using Held = std::tuple<std::uint64_t, pcie::TlpClass, std::uint64_t, fabric::NodeId>;
  struct Pool {
    std::size_t link = 0;
    int direction = 0;
    pcie::TlpClass tlp_class{};
    auto operator<=>(const Pool&) const = default;
  };
  struct Return {
    Instant when;
    Pool pool;
    bool operator>(const Return& other) const { return std::tie(when, pool) > std::tie(other.when, other.pool); }
  };

  const fabric::LinkDirection& direction(const Pool& pool) const {
    return topology_.links[pool.link].direction[static_cast<std::size_t>(pool.direction)];
  }

  const fabric::Topology& topology_;
  std::map<Pool, int> taken_;
  std::map<Held, Pool> held_;  ///< by transaction, class, address and node that holds the TLP
  std::map<Pool, Instant> served_;
  std::priority_queue<Return, std::vector<Return>, std::greater<>> returns_;
};

}  // namespace peerpath::trace
