// Whether a router ever lets a line idle while a TLP could start on it.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "fabric/vocabulary/wiring.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

/// Data credits that a TLP takes.
inline int units_of(const TlpRecord& tlp) { return static_cast<int>((tlp.payload.count() + 15) / 16); }

/// Whether both are one TLP, on two links of its way.
inline bool same(const TlpRecord& a, const TlpRecord& b) {
  return a.tlp_class == b.tlp_class && a.requester == b.requester && a.cookie == b.cookie && a.address == b.address;
}

/// Works out for each TLP that leaves a router when it could have started at the latest, from what crossed the links
/// before: it was there, nothing that it may not pass was before it, the line was free of TLPs and DLLPs, and the
/// receiver's credits were back. Knows of no engine; the times are those of the README of this folder's parent.
///
/// Holds for domains whose links and routes stay as they are. A TLP is not judged if its start hangs on something that
/// no link shows: the credits of an endpoint, a gate, a bit error.
class WorkConservation {
 public:
  /// Whether it can judge a domain at all.
  static bool applies(const Topology& topology);

  explicit WorkConservation(const Topology& topology);

  /// TLPs in order of their starts. The time by which a TLP that leaves a router could have started, if that is before
  /// it did.
  std::optional<Instant> late(const TlpRecord& tlp, const Transaction& asked);

 private:
  struct Entry {
    TlpRecord tlp;
    std::uint64_t number = 0;  ///< in order of entry into the ingress
  };
  struct Posted {
    std::uint64_t number = 0;
    Instant left{};
  };
  /// What of one ingress has left by one channel of one direction.
  struct Lane {
    std::array<Instant, pcie::tlp_classes> left{};  ///< by class: when the last one had left
    std::deque<Posted> posted;
  };
  struct Return {
    Instant at{};
    int units = 0;
    auto operator<=>(const Return&) const = default;
  };
  /// One class of one virtual channel of one direction.
  struct Pool {
    std::deque<Entry> waiting;   ///< at the router behind it
    int headers = 0, units = 0;  ///< credits in hand, without those that are to return
    std::multiset<Return> returns;
  };
  struct Direction {
    Instant free{};
    std::deque<Instant> due;  ///< DLLPs to be sent
    Instant next_ack{}, next_fc{};
    std::uint64_t entered = 0;
    std::array<Pool, fabric::pools> credits;
  };

  const LinkDirection& line(std::size_t number) const { return topology_.links[number / 2].direction[number % 2]; }
  const Node& receiver(std::size_t number) const;
  const Credits& advertised(std::size_t number, std::size_t pool) const;
  static std::size_t pool_of_tlp(const TlpRecord& tlp) {
    return static_cast<std::size_t>(tlp.channel) * pcie::tlp_classes + static_cast<std::size_t>(tlp.tlp_class);
  }
  std::optional<Instant> leave(std::size_t number, const TlpRecord& tlp, const Transaction& asked);
  std::optional<Instant> with_credits(std::size_t number, const TlpRecord& tlp, Instant at) const;
  void start(std::size_t number, const TlpRecord& tlp);
  Instant after_dllps(std::size_t number, Instant at);
  void send_dllp(std::size_t number);
  void cause_dllps(std::size_t number, Instant arrival);

  const Topology& topology_;
  const Wiring wiring_;
  std::vector<Direction> directions_;  ///< link * 2 + direction
  std::map<std::pair<std::size_t, std::size_t>, Lane> lanes_;
};

}  // namespace peerpath::fabric
