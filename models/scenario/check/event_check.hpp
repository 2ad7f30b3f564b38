// What the checks of events' kinds have in common.
#pragma once

#include <string>
#include <string_view>

#include "scenario/check/check.hpp"

namespace peerpath::scenario {

/// The check of one event at a device that there is. A kind says through it what is wrong.
class EventCheck {
 public:
  EventCheck(const Scenario& scenario, const Tree& tree, std::string at, const Device& device, Problems& out)
      : scenario_{scenario}, tree_{tree}, at_{std::move(at)}, device_{device}, out_{out} {}

  const Scenario& scenario() const { return scenario_; }
  const Tree& tree() const { return tree_; }
  const Device& device() const { return device_; }
  /// The link above the device; nullptr if it has none.
  const Link* link_above() const;

  /// A problem with one of the event's keys.
  void add(std::string_view key, std::string message);

  void needs_link();
  void needs_nic();
  void needs_memory(const std::string& why);
  /// Where an IOMMU may refuse the device, its root complex needs memory.
  void needs_memory_of_iommu();
  /// Says so if the device asks for nothing by DMA.
  bool needs_function(std::string_view otherwise);
  /// Only payload can be poisoned, or carry a wrong ID. `writes_alone`: reads do not count.
  void needs_payload(bool writes_alone, std::string_view otherwise);

 private:
  bool moves(const Traffic& traffic, bool writes_alone) const;

  const Scenario& scenario_;
  const Tree& tree_;
  std::string at_;
  const Device& device_;
  Problems& out_;
};

}  // namespace peerpath::scenario
