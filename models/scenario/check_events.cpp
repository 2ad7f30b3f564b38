#include <algorithm>

#include "scenario/check.hpp"
#include "scenario/document.hpp"
#include "scenario/suggest.hpp"

namespace peerpath::scenario {
namespace {

class Events {
 public:
  Events(const Scenario& scenario, const Tree& tree, Problems& out) : scenario_{scenario}, tree_{tree}, out_{out} {}

  void check(std::size_t i) {
    const Event& event = scenario_.events[i];
    at_ = join("/events", i);
    const Device* device = tree_.find(event.device);
    if (device == nullptr) return add("device", no_device(tree_, event.device));
    if (event.at < Duration{0}) add("at", "lies before the start");
    switch (event.kind) {
      case EventKind::acs:
        return check_acs(*device);
      case EventKind::answer:
        if (function_of(*device) == nullptr && !std::holds_alternative<device::HostMemoryConfig>(device->config))
          add("device", what_is(*device) + ", which answers no requests for memory");
        if (event.status == pcie::Status::poisoned)
          add("status", "poisoned is what a sender does; use an event of kind \"poison\"");
        return;
      case EventKind::poison:
      case EventKind::iommu_fault:
        if (function_of(*device) == nullptr) add("device", what_is(*device) + ", which asks for nothing by DMA");
        return;
      case EventKind::surprise_down:
      case EventKind::port_reset:
        if (function_of(*device) == nullptr) add("device", what_is(*device) + "; name what is below the port");
        if (event.kind == EventKind::port_reset && event.outage == Duration{0})
          add("outage", "a reset takes time; give \"outage\"");
        return needs_link(*device);
      case EventKind::retrain:
        needs_link(*device);
        return check_retrain(event);
      case EventKind::credit_leak:
        if (event.headers == 0 && event.data == 0) add("headers", "no credits are lost; give \"headers\" or \"data\"");
        return needs_link(*device);
      case EventKind::port_down:
      case EventKind::port_up:
        return needs_nic(*device);
      case EventKind::drop_frame:
      case EventKind::corrupt_frame:
      case EventKind::reorder_frame:
        if (event.frame == 0) add("frame", "says which frame; the first with payload is 1");
        return needs_nic(*device);
      default:
        return needs_link(*device);
    }
  }

 private:
  void add(std::string_view key, std::string message) {
    out_.push_back({"", 0, 0, at_ + "/" + std::string{key}, std::move(message)});
  }

  void needs_link(const Device& device) {
    if (!tree_.uplink(device.name))
      add("device", what_is(device) + " without a link towards the root complex; name the farther end of the link");
  }

  void needs_nic(const Device& device) {
    if (!std::holds_alternative<device::NicConfig>(device.config))
      add("device", what_is(device) + ", which has no wire; name a nic");
  }

  void check_acs(const Device& device) {
    const bool ports = std::holds_alternative<device::SwitchConfig>(device.config) ||
                       std::holds_alternative<device::RootComplexConfig>(device.config);
    if (!ports && !tree_.uplink(device.name)) add("device", what_is(device) + ", which is below no port");
  }

  void check_retrain(const Event& event) {
    if (event.generation == 0 && event.width == 0 && event.outage == Duration{0})
      add("generation", "nothing changes; give \"generation\", \"width\" or \"outage\"");
    constexpr std::array lanes{0, 1, 2, 4, 8, 12, 16};
    if (std::ranges::find(lanes, event.width) == lanes.end())
      add("width", std::to_string(event.width) + " lanes are no PCIe link; one of 1, 2, 4, 8, 12, 16");
  }

  const Scenario& scenario_;
  const Tree& tree_;
  Problems& out_;
  std::string at_;
};

}  // namespace

void check_events(const Scenario& scenario, const Tree& tree, Problems& out) {
  Events events{scenario, tree, out};
  for (std::size_t i = 0; i < scenario.events.size(); ++i) events.check(i);
}

}  // namespace peerpath::scenario
