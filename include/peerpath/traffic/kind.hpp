// What other code asks of a kind of traffic without naming it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "peerpath/base/units.hpp"
#include "peerpath/traffic/stage.hpp"

namespace peerpath::platform {
class KindSetup;
class SetupContext;
}  // namespace peerpath::platform

namespace peerpath::scenario {
struct Bar1Plan;
struct Device;
struct Scenario;
class TrafficCheck;
class Tree;
}  // namespace peerpath::scenario

namespace peerpath::scenario::traffic {

/// A device that moves payload, and the device whose memory it writes or reads.
struct Leg {
  std::string from, to;
};

/// The answers of most kinds. The trait of a kind hides those that are otherwise for it. `what` is the entry's own
/// options, `t` the entry.
struct CommonKind {
  /// Whether `from` writes payload by requests of its own.
  static constexpr bool writes = false;
  /// Whether payload comes out of the memory of `to`.
  static constexpr bool pulls = false;
  /// Whether a driver on a core serves it. It can then bounce payload that finds no room in a GPU's window.
  static constexpr bool by_driver = false;
  /// Whether a device's own DMA makes its transfers. They can then go through a window that is remapped.
  static constexpr bool by_dma = false;
  /// Whether a GPU makes copies for it.
  static constexpr bool by_copies = false;
  /// Whether `rate` is that of payload, which regular arrivals offer evenly.
  static constexpr bool even = false;
  /// Whether regular arrivals repeat themselves with each round of `sizes`.
  static constexpr bool repeats = true;
  /// Whether offers wait at their source; else what finds no room is dropped.
  static constexpr bool waits_at_source = true;

  /// Who moves payload, and whose memory it is at the other end. Several share `rate` evenly.
  static std::vector<Leg> legs(const auto& /*what*/, const auto& t) { return {{t.from, t.to}}; }
  /// What counts towards `rate` of a frame or transfer with this payload; of one by each leg.
  static Bytes at_rate(const auto& /*what*/, Bytes payload) { return payload; }
  /// Payload after which it ends; 0: it goes on.
  static Bytes ends_after(const auto&) { return Bytes{}; }
  /// The file whose frames it replays; "": none.
  static std::string_view capture(const auto&) { return {}; }
  /// The entry that gives its frames, if one does.
  static std::optional<std::string> sender(const auto&) { return std::nullopt; }
  /// Whether that entry gives what this one has under a key of its own kind.
  static bool is_of_sender(const auto&, std::string_view /*key*/) { return false; }
  /// The traffic class of its TLPs.
  static int traffic_class(const auto&) { return 0; }
  /// The memory that holds rings and headers of the NIC at `from`; "": it has no say in that.
  static std::string_view rings(const auto&) { return {}; }
  /// How many frames or transfers are planned ahead at a time, where an arrival brings `together`.
  static std::int64_t ahead(const auto&, std::int64_t together, const Device* /*from*/) { return together; }

  /// The stages that its latency has in results.
  static std::span<const StageText> stages() { return {}; }

  /// Sets keys that the file omits. Every entry has a name by then.
  static void complete(auto& /*what*/, Scenario&, const Tree&, std::size_t /*entry*/) {}
  /// Keys that `complete` fills in, and where their values come from.
  static std::vector<std::pair<std::string, std::string>> completed(const auto&) { return {}; }
  /// Checks all entries of the kind against each other.
  static void check_all(TrafficCheck&) {}
  /// Adds to the plan of a GPU what software maps for the entry.
  static void plan_window(const auto&, const Scenario&, std::size_t /*entry*/, Bar1Plan&) {}
};

/// The trait of the kind whose options are `What`: beside what CommonKind has,
/// `check(what, check)`: checks of an entry beyond the range of each key (check.cpp in the folder of the kind);
/// `set_up(context)`: creates the sources, queues and drivers of its entries (setup.cpp in the same folder).
template <class What>
struct Kind;

}  // namespace peerpath::scenario::traffic
