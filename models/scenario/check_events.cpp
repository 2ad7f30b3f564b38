#include <algorithm>

#include "peerpath/scenario/describe.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/check.hpp"
#include "scenario/document.hpp"
#include "scenario/kind_keys.hpp"
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
    check_end(event);
    for_each_foreign_key(event, "an event", [&](auto key, auto why) { add(key, std::move(why)); });
    if (event.outage > Duration::max() - event.at)
      add("outage", "ends later than can be counted, some 2.5 h from the start");
    switch (event.kind) {
      case EventKind::acs:
        return check_acs(*device, event);
      case EventKind::answer:
        if (function_of(*device) == nullptr && !std::holds_alternative<device::HostMemoryConfig>(device->config))
          add("device", what_is(*device) + ", which answers no requests for memory");
        if (event.status == pcie::Status::poisoned)
          add("status", "poisoned is what a sender does; use an event of kind \"poison\"");
        return check_success(event);
      case EventKind::iommu_fault:
        needs_iommu(*device);
        [[fallthrough]];
      case EventKind::wrong_requester_id:
        if (iommu_of(tree_, device->name) != nullptr)
          needs_memory(*device, "what the IOMMU refuses is answered at its root complex's memory");
        [[fallthrough]];
      case EventKind::poison:
        if (function_of(*device) == nullptr) return add("device", what_is(*device) + ", which asks for nothing by DMA");
        return check_payload(*device, event);
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
        check_leak(event);
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

  // On the emulator `run.measure` does not apply: traffic with `bytes` ends when its bytes have been moved.
  void check_end(const Event& event) {
    const auto end = scenario_.run.warmup + scenario_.run.measure;
    const bool ends_by_itself =
        std::ranges::all_of(scenario_.traffic, [](const auto& t) { return t.bytes > Bytes{0}; });
    if (keys_of(event.kind) == "frame" || event.at < end || ends_by_itself) return;
    add("at", to_text(event.at) + " is after the end of the run, at " + to_text(end) +
                  " (run.warmup + run.measure): it would never happen");
  }

  // Every device answers with success until an `answer` event changes that.
  void check_success(const Event& event) {
    const bool refused = std::ranges::any_of(scenario_.events, [&](const Event& e) {
      return e.kind == EventKind::answer && e.device == event.device && e.at <= event.at &&
             e.status != pcie::Status::success;
    });
    if (event.status == pcie::Status::success && !refused)
      add("status",
          "success is how " + event.device + " answers anyway; give unsupported_request, completer_abort or no_answer");
  }

  // Only payload can be poisoned, or carry a wrong ID.
  void check_payload(const Device& device, const Event& event) {
    if (event.kind == EventKind::iommu_fault) return;
    const bool writes_alone = event.kind == EventKind::poison;
    if (std::ranges::none_of(scenario_.traffic, [&](const Traffic& t) { return moves(device, t, writes_alone); }))
      add("device", what_is(device) + (writes_alone ? ", which writes no payload here: nothing would be poisoned"
                                                    : ", which moves no payload here: nothing would carry that ID"));
  }

  /// Whether a function moves payload of the traffic, or writes it.
  static bool moves(const Device& device, const Traffic& t, bool writes_alone) {
    const auto* gpu = std::get_if<device::GpuConfig>(&device.config);
    const bool writes = t.kind == TrafficKind::write || t.kind == TrafficKind::receive;
    if (t.from == device.name) return writes || !writes_alone;
    // The copy engine of a bounce moves payload in the opposite role: it reads for receive and writes for transmit.
    const bool bounces =
        t.path == DataPath::bounce || (gpu != nullptr && gpu->bar1.when_full == device::Bar1Full::bounce);
    const bool copies = bounces && (t.kind == TrafficKind::receive || t.kind == TrafficKind::transmit);
    return copies && t.to == device.name && (!writes || !writes_alone);
  }

  // Credits that are infinite cannot run out.
  void check_leak(const Event& event) {
    if (event.headers == 0 && event.data == 0) add("headers", "no credits are lost; give \"headers\" or \"data\"");
    const auto above = tree_.uplink(event.device);
    if (!above) return;
    const auto& credits = scenario_.links[*above].credits;
    const std::array<std::pair<int, int>, pcie::tlp_classes> advertised{
        {{credits.posted_header, credits.posted_data},
         {credits.non_posted_header, credits.non_posted_data},
         {credits.completion_header, credits.completion_data}}};
    const auto [headers, data] = advertised[static_cast<std::size_t>(event.tlp_class)];
    const auto infinite = [&](std::string_view key) {
      add(key, std::string{name_of(event.tlp_class)} +
                   " credits of the link are infinite (links.credits), so none can be lost");
    };
    if (event.headers > 0 && headers == 0) infinite("headers");
    if (event.data > 0 && data == 0) infinite("data");
  }

  void needs_iommu(const Device& device) {
    if (const auto* root = tree_.root_config(device.name); root != nullptr && !root->iommu)
      add("kind", "no IOMMU is on that could refuse anything; give " + tree_.root_of(device.name) + " an \"iommu\"");
  }

  void needs_memory(const Device& device, const std::string& why) {
    if (tree_.standing_at<device::HostMemoryConfig>(tree_.root_of(device.name)).empty())
      add("kind", why + "; needs a host_memory");
  }

  void needs_link(const Device& device) {
    if (!tree_.uplink(device.name))
      add("device", what_is(device) + " without a link towards the root complex; name the farther end of the link");
  }

  void needs_nic(const Device& device) {
    if (!with_kind(device, [](auto kind, const auto&) { return kind.has_wire; }))
      add("device", what_is(device) + ", which has no wire; name a nic");
  }

  void check_acs(const Device& device, const Event& event) {
    if (!has_ports(device) && !tree_.uplink(device.name)) add("device", what_is(device) + ", which is below no port");
    needs_memory(device, "what ACS sends to the root complex is answered at its memory");
    if (const auto why = contradiction(event.acs)) add("acs", *why);
  }

  void check_retrain(const Event& event) {
    if (event.generation == 0 && event.width == 0 && event.outage == Duration{0})
      add("generation", "nothing changes; give \"generation\", \"width\" or \"outage\"");
    constexpr std::array lanes{0, 1, 2, 4, 8, 12, 16};
    if (std::ranges::find(lanes, event.width) == lanes.end())
      return add("width", std::to_string(event.width) + " lanes are no PCIe link; one of 1, 2, 4, 8, 12, 16");
    const auto above = tree_.uplink(event.device);
    if (!above) return;
    // The configured width and generation are those that both ends and the board support.
    const Link& link = scenario_.links[*above];
    const auto wired = "the link above " + event.device + " is Gen" + std::to_string(link.generation) + " x" +
                       std::to_string(link.width) + " and trains to no more: at most ";
    if (event.generation > link.generation) add("generation", wired + std::to_string(link.generation));
    if (event.width > link.width) add("width", wired + std::to_string(link.width));
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
