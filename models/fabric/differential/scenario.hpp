// One case of the differential test: a topology, and traffic that behaves the same against every fabric.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "peerpath/base/field.hpp"
#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric::differential {

/// A transaction that is submitted whatever happens.
struct Planned {
  NodeId requester{};
  ChannelIndex channel{};
  Transaction transaction{};
};

/// One end of a exchange: where it submits.
struct Seat {
  NodeId node{};
  ChannelIndex channel{};
};

/// Traffic that depends on deliveries. Each exchange has channels of its own.
struct Exchange {
  enum class Kind : std::uint8_t {
    read_chain,    ///< `a` has `depth` requests to `b` outstanding; each completion causes the next one
    ping_pong,     ///< a doorbell from `a` to `b` and back, `depth` of them at a time
    receive_ring,  ///< frames come to `a` at `frames`; each needs one of `depth` buffers, goes to `b`, and `c` gives
                   ///< the buffer back by a posted write when it has seen the completion entry
    cable,         ///< NIC `a` reads a frame from `b`; when that has crossed the cable NIC `c`, of another tree,
                   ///< writes it to `d`, and tells `a` by the cable to read the next one; `depth` frames at a time
  };
  Kind kind{};
  Seat a, b, c, d;
  int depth = 1;
  int rounds = 0;  ///< requests, doorbells or frames in all
  pcie::Operation op = pcie::Operation::memory_read;
  Bytes bytes{};
  std::uint8_t traffic_class = 0;
  Duration think{};  ///< added at random to the declared reaction: 0..think
  Instant begin{};
  std::vector<Instant> frames;
  bool interrupts =
      false;  ///< receive_ring: when an entry has left, `a` sends an interrupt to `c` by the channel of `d`
};

/// What the topology of a case was made as.
enum class Shape : std::uint8_t { tree, fan_out, sockets, hosts };

constexpr std::array<EnumName<Shape>, 4> enum_names(Shape) {
  return {{{"tree", Shape::tree}, {"fan_out", Shape::fan_out}, {"sockets", Shape::sockets}, {"hosts", Shape::hosts}}};
}

/// A link that goes down or comes up.
struct Fault {
  Instant at{};
  LinkId link{};
  bool up = false;
};

/// A change of one route.
struct Flip {
  Instant at{};
  Route route{};
};

/// Something else that happens to one direction of a link.
struct Change {
  enum class Kind : std::uint8_t { rate, leak, strike, timing };
  Instant at{};
  Kind kind{};
  LinkId link{};
  int direction = 0;
  BitRate rate{};
  pcie::TlpClass tlp_class{};
  Credits lost{};
  LineTiming timing{};
};

/// A direction whose receiver holds TLPs up by anything it knows of them.
struct GatePlace {
  LinkId link{};
  int direction = 0;
  std::uint64_t seed = 0;
  std::int64_t alike = 0;  ///< one is held up after so many each; 0: as the seed says
};

struct Scenario {
  std::uint64_t seed = 0;
  Shape shape = Shape::tree;
  Topology topology;  ///< without gates
  std::vector<GatePlace> gates;
  std::vector<Planned> planned;  ///< by time ready
  std::vector<Exchange> exchanges;
  std::vector<Fault> faults;    ///< by time
  std::vector<Flip> flips;      ///< by time
  std::vector<Change> changes;  ///< by time
  Duration foreign_latency{};   ///< external endpoints answer after 0..this
  bool answers_late = false;    ///< they say nothing before that
  Duration quantum{};           ///< caps each advance
  Instant end{};
  bool observed = false;  ///< compare each TLP too

  /// Whether a cable joins trees.
  bool is_cabled() const {
    return std::ranges::any_of(exchanges, [](const Exchange& r) { return r.kind == Exchange::Kind::cable; });
  }
};

/// The case of a seed: odd seeds give closed loops.
Scenario generate(std::uint64_t seed);

/// A few lines for a human.
std::string describe(const Scenario& scenario);

}  // namespace peerpath::fabric::differential
