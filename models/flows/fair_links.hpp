// Links that share their rate fairly among flows.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "peerpath/base/units.hpp"

namespace peerpath::flows {

using FlowIndex = std::uint32_t;
using LinkIndex = std::uint32_t;

/// Each link serves all its flows at once, each at an equal share of its rate: the fluid limit of turns packet by
/// packet (egalitarian processor sharing; virtual time as in A. Parekh, R. Gallager, IEEE/ACM ToN 1, 1993). Links know
/// nothing of each other. Integer arithmetic throughout; a share is rounded to 2^-16 of a bit.
class FairLinks {
 public:
  explicit FairLinks(std::span<const BitRate> rates);

  /// Starts a flow over a link. Its number is free again when it has ended.
  void start(FlowIndex flow, LinkIndex link, Bytes bytes);
  /// Takes a flow out; returns the bytes that it has left. `ended` is not called for it.
  Bytes stop(FlowIndex flow);
  /// Bytes that it will have left, with `run` up to that time done.
  Bytes left(FlowIndex flow, Instant when) const;
  /// Time in which the link had a flow, likewise.
  Duration busy(LinkIndex link, Instant when) const;
  bool flows(FlowIndex flow) const { return flow < flows_.size() && flows_[flow].link != none; }
  void wake(Instant when, std::uint64_t detail) { push(when, wakes, detail); }
  /// Until that time, or until nothing is left to happen.
  void run(Instant until);
  bool idle() const { return events_.empty(); }
  Instant now() const { return now_; }

  std::function<void(FlowIndex flow, Instant now)> ended{};
  std::function<void(std::uint64_t detail, Instant now)> woken{};

 private:
  static constexpr LinkIndex none = ~LinkIndex{0};
  enum Kind : std::uint8_t { completes, wakes };
  /// `detail` of a link: its number, behind which stands the generation for which the event was made.
  struct Event {
    Instant when{};
    std::uint64_t number = 0;  ///< orders what happens at one time
    std::uint64_t detail = 0;
    Kind kind{};
    bool operator>(const Event& other) const { return std::pair{when, number} > std::pair{other.when, other.number}; }
  };
  struct Link {
    BitRate rate{};
    Instant updated{};
    Duration busy{};
    std::int64_t share = 0;  ///< what each flow that was always there has had, in 2^-16 of a bit
    std::uint32_t generation = 0;
    std::set<std::pair<std::int64_t, FlowIndex>> flows{};  ///< by the share at which they end
  };
  struct Flow {
    LinkIndex link = none;
    std::int64_t end = 0;
  };

  void push(Instant when, Kind kind, std::uint64_t detail) { events_.push({when, ++number_, detail, kind}); }
  static std::int64_t share_at(const Link& link, Instant when);
  void update(Link& link);
  void plan(LinkIndex number);
  void complete(LinkIndex number);

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t number_ = 0;
  Instant now_{};
};

}  // namespace peerpath::flows
