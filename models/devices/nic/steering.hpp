// Which queue a frame goes to: flow rules first, then receive-side scaling.
#pragma once

#include <optional>
#include <vector>

#include "devices/nic/rings.hpp"
#include "peerpath/net/toeplitz.hpp"

namespace peerpath::nic {

/// Sends flows to a queue: every field whose mask is not zero must match under it (ethtool's ntuple rules).
struct FlowRule {
  std::uint32_t location = 0;  ///< priority and name: the lowest match wins
  net::FlowKey key{}, mask{};  ///< the mask's layers are not used: those of `key` must always match
  QueueIndex queue{};

  bool matches(const net::FlowKey& flow) const;
};

/// Result of steering.
struct Steered {
  QueueIndex queue{};
  std::uint32_t hash = 0;
  bool by_rule = false;
};

/// Flow rules, the Toeplitz hash, and the indirection table from hash to queue.
class Steering {
 public:
  static constexpr std::size_t table_size = 128;

  /// The table spreads over `queues` in turn; the key is that of the published verification suite.
  explicit Steering(int queues);

  Steered operator()(const net::ParsedFrame& frame) const;

  void set_key(const net::ToeplitzKey& key);
  /// Entry i serves hashes that are i modulo the table's size. False, and nothing changed, if an entry names no queue.
  bool set_table(const std::vector<QueueIndex>& table);
  /// Replaces the rule of the same location. False if it names no queue.
  bool add_rule(const FlowRule& rule);
  bool remove_rule(std::uint32_t location);
  void clear_rules() {
    rules_.clear();
    forget();
  }
  const std::vector<FlowRule>& rules() const { return rules_; }
  const net::ToeplitzKey& key() const { return key_; }
  const std::vector<QueueIndex>& table() const { return table_; }

 private:
  /// Rules looked up before, by hash: a NIC has them in a TCAM, and hundreds must not cost hundreds of comparisons.
  struct Known {
    bool valid = false;
    net::FlowKey key{};
    Steered result{};
  };
  static constexpr std::size_t known_flows = 256;
  void forget() const { known_.clear(); }

  int queues_;
  net::ToeplitzKey key_ = net::verification_key;
  net::Toeplitz hash_{key_};
  std::vector<QueueIndex> table_;
  std::vector<FlowRule> rules_;  ///< by location
  mutable std::vector<Known> known_;
};

}  // namespace peerpath::nic
