// What comes in by a root port and has to pass the host's own machinery: address translation, credits towards memory,
// the way to peers.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/host/iommu.hpp"
#include "core/host/line_credits.hpp"
#include "devices/root_complex/config.hpp"
#include "peerpath/fabric/fabric.hpp"
#include "peerpath/fabric/gate.hpp"

namespace peerpath::root_complex {

/// TLPs one after the other at a rate.
struct PeerWay {
  BitRate rate{};  ///< 0: no limit
  Instant free{};
  host::BookedTime busy{};
  Instant take(Bytes bytes, Instant at);
};

/// Few are in it, often none.
inline bool contains(const std::vector<fabric::NodeId>& nodes, fabric::NodeId node) {
  return !nodes.empty() && std::ranges::find(nodes, node) != nodes.end();
}

/// The gate of the direction into the root complex at one root port.
class RootPort final : public fabric::Gate {
 public:
  /// `memory` is the node of the host's memory; all other nodes are peers.
  explicit RootPort(const device::RootComplexConfig& config, fabric::NodeId memory = {});
  void set_memory(fabric::NodeId memory) { memory_ = memory; }
  /// Memory of another socket of the host, which is no peer either.
  void add_memory(fabric::NodeId memory) { remote_.push_back(memory); }

  Instant pass(const fabric::GatedTlp& tlp) override;
  fabric::GatedRun pass_run(const fabric::GatedTlp& tlp, Duration spacing, std::int32_t count) override;

  /// Whether its root ports need gates.
  static bool wanted(const device::RootComplexConfig& config) {
    return config.iommu || config.credits || config.ordered_writes || config.peer_to_peer;
  }
  /// nullptr without one.
  host::Iommu* iommu() { return iommu_ ? &*iommu_ : nullptr; }
  const host::Iommu* iommu() const { return iommu_ ? &*iommu_ : nullptr; }
  /// Of all credits of a class towards memory together: for how long they were held, from the start until `now`.
  Duration write_credits_held(Instant now) const { return writes_ ? writes_->lines.held_until(now) : Duration{0}; }
  Duration read_credits_held(Instant now) const { return reads_ ? reads_->lines.held_until(now) : Duration{0}; }
  /// Time that lines committed in order were held, added up over all lines, from the start until `now`.
  Duration ordered_held(Instant now) const { return ordered_ ? ordered_->lines.held_until(now) : Duration{0}; }
  /// Time that the next write to memory waited for earlier lines to be committed, from the start until `now`.
  Duration ordered_waited(Instant now) const { return ordered_wait_.until(now); }
  /// For how long the way of what peers read was taken, likewise.
  Duration peer_reads_busy(Instant now) const { return peer_reads_.busy.until(now); }

 private:
  struct Credits {
    host::LineCredits lines;
    Duration hold{};
  };

  Instant commit_in_order(const fabric::GatedTlp& tlp, Instant at);
  bool is_memory(fabric::NodeId node) const { return node == memory_ || contains(remote_, node); }

  fabric::NodeId memory_;
  std::vector<fabric::NodeId> remote_;
  std::optional<host::Iommu> iommu_;
  std::optional<Credits> writes_, reads_, ordered_;
  host::BookedTime ordered_wait_;
  Instant ordered_passed_{};  ///< the last ordered write went on
  PeerWay peer_reads_;
  Duration peer_latency_{};
};

/// The gate of the direction out of a root port, at whatever is behind it: what peers write there passes one after the
/// other, and holds the link's credits until it does.
class PeerWrites final : public fabric::Gate {
 public:
  /// `next` is the gate that the receiver has itself, or nullptr.
  PeerWrites(const device::PeerConfig& config, fabric::NodeId memory, fabric::Gate* next)
      : way_{config.write_rate}, memory_{memory}, next_{next} {}
  void add_memory(fabric::NodeId memory) { remote_.push_back(memory); }

  Instant pass(const fabric::GatedTlp& tlp) override;

  /// For how long the way was taken, from the start until `now`.
  Duration busy_until(Instant now) const { return way_.busy.until(now); }

 private:
  PeerWay way_;
  fabric::NodeId memory_;
  std::vector<fabric::NodeId> remote_;
  fabric::Gate* next_;
};

/// The gate of one direction of a link between sockets, at its end: what devices write to devices of the other socket,
/// and the data of what they read there, pass one after the other, each at a rate.
class PeerCrossing final : public fabric::Gate {
 public:
  /// 0: no limit.
  PeerCrossing(BitRate write_rate, BitRate read_rate) : writes_{write_rate}, reads_{read_rate} {}
  /// What has to do with memory of the host is not limited.
  void add_memory(fabric::NodeId memory) { memories_.push_back(memory); }

  Instant pass(const fabric::GatedTlp& tlp) override;

  /// For how long the ways were taken, from the start until `now`.
  Duration writes_busy(Instant now) const { return writes_.busy.until(now); }
  Duration reads_busy(Instant now) const { return reads_.busy.until(now); }

 private:
  PeerWay writes_, reads_;
  std::vector<fabric::NodeId> memories_;
};

}  // namespace peerpath::root_complex
