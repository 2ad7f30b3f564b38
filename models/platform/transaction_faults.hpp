// What the events of a scenario, and the ordering attributes of functions, make of single transactions.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "platform/platform.hpp"

namespace peerpath::platform {

/// An event is for what becomes ready from its time on, however long before a device has submitted it. What is ready
/// and waits for its turn on the device's link stays as it was.
class TransactionFaults {
 public:
  TransactionFaults(const scenario::Scenario& scenario, const Platform& platform);

  /// Whether there is anything to change.
  bool any() const { return any_; }
  /// Whether a write may be refused by the memory that it is for.
  bool refuse_writes() const { return !(answers_.empty() && poisons_.empty() && unmapped_.empty()); }
  /// Changes a transaction that `from` submits; false if it never gets out.
  bool change(fabric::NodeId from, fabric::Transaction& transaction);

 private:
  struct Answer {
    Instant from;
    pcie::Status status{};
  };
  struct Silence {
    Instant from, until;
  };
  struct Poison {
    Instant from;
    int writes = 0;  ///< to come
  };
  struct Spoof {
    Instant from;
    int transfers = 0;  ///< to come; -1: no end
  };
  void spoof(fabric::NodeId from, fabric::Transaction& transaction);
  void add(const scenario::Event& event, fabric::NodeId node);

  bool any_ = false;
  std::map<fabric::NodeId, std::vector<Answer>> answers_;    ///< of the target, in the order of their times
  std::map<fabric::NodeId, std::vector<Silence>> silences_;  ///< nothing of the device's comes out
  std::map<fabric::NodeId, std::vector<Poison>> poisons_;    ///< of its writes of payload
  std::map<fabric::NodeId, std::vector<Spoof>> spoofs_;      ///< of its payload
  std::map<fabric::NodeId, Instant> unmapped_;               ///< from when on the IOMMU refuses the device
  std::set<fabric::NodeId> memories_, relaxed_,
      by_id_;  ///< host memories; those that ask for payload with RO; with IDO
};

}  // namespace peerpath::platform
