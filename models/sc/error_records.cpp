#include "sc/error_records.hpp"

#include <algorithm>

namespace peerpath::sc {
namespace {

using observe::ErrorRecord;
using observe::ErrorSeverity;
using pcie::Status;
using scenario::EventKind;

std::string device_of(const std::string& end) { return end.substr(0, end.find('.')); }

constexpr std::uint32_t spoofed_id = 0xff00;

class Recorder {
 public:
  Recorder(const scenario::Scenario& scenario, const Platform& platform, const observe::Snapshot& counted)
      : scenario_{scenario}, platform_{platform}, counted_{counted} {}

  void add(const fabric::Delivery& first, std::int64_t count) {
    // A posted request has no completion that could be missed: who hangs records nothing, and nobody else can.
    if (first.status == Status::no_answer && first.kind == fabric::DeliveryKind::arrived) return;
    const auto& endpoint = node(first.requester).endpoint;
    ErrorRecord record;
    record.count = count;
    record.first = first.done;
    record.header = header_log(first, endpoint.max_payload, endpoint.max_read_request);
    if (first.status == Status::no_answer) {
      record.device = node(first.requester).name;
      record.severity = ErrorSeverity::non_fatal;
      record.error = "Completion Timeout Status";
      if (first.spoofed) add_stopped(first, record);
    } else {
      record.device = refuser(first);
      record.severity = ErrorSeverity::non_fatal;
      record.error = error_of(first, record.device);
      if (first.kind == fabric::DeliveryKind::completed) {
        record.severity = ErrorSeverity::correctable;
        record.error = "Advisory Non-Fatal Error Status (" + record.error + ")";
      }
    }
    records.push_back(std::move(record));
  }

  void add_event(const scenario::Event& event) {
    const auto router = above(event.device);
    if (!router) return;
    if (event.kind == EventKind::surprise_down)
      records.push_back({*router, ErrorSeverity::fatal, "Surprise Down Error Status", 1, Instant{event.at}, {}});
    if (event.kind == EventKind::credit_leak)
      records.push_back({event.way == scenario::LinkWay::up ? event.device : *router,
                         ErrorSeverity::correctable,
                         "Bad DLLP Status",
                         1,
                         Instant{event.at},
                         {}});
  }

  void add_replays(const observe::LinkResult& link) {
    for (const bool up : {true, false})
      if (const auto count = (up ? link.up : link.down).replays; count > 0)
        records.push_back(
            {up ? link.nearer : link.farther, ErrorSeverity::correctable, "Bad TLP Status", count, {}, {}});
  }

  std::vector<ErrorRecord> records;

 private:
  /// Who has stopped a spoofed request before it timed out, if anybody has.
  void add_stopped(const fabric::Delivery& timed_out, ErrorRecord record) {
    auto stopped = timed_out;
    const auto& requester = node(stopped.requester).name;
    stopped.status = Status::completer_abort;
    if (!blocking(stopped, requester)) {
      stopped.status = Status::unsupported_request;
      if (!blocking(stopped, requester)) return;
    }
    record.device = refuser(stopped);
    record.severity = ErrorSeverity::correctable;
    record.error = "Advisory Non-Fatal Error Status (" + error_of(stopped, record.device) + ")";
    record.first = timed_out.done - node(timed_out.requester).endpoint.completion_timeout;
    records.push_back(std::move(record));
  }

  const fabric::Node& node(fabric::NodeId id) const { return platform_.domain.topology().nodes[id.value()]; }

  bool happens(EventKind kind, const std::string& device, Status status = Status::success) const {
    return std::ranges::any_of(scenario_.events, [&](const auto& e) {
      return e.kind == kind && e.device == device && (kind != EventKind::answer || e.status == status);
    });
  }

  /// Who finds that a request is not to be done: its target, or what is before it.
  std::string refuser(const fabric::Delivery& d) const {
    const auto& target = node(d.target).name;
    if (d.status == Status::poisoned || happens(EventKind::answer, target, d.status)) return target;
    if (d.status == Status::unsupported_request &&
        (happens(EventKind::surprise_down, target) || happens(EventKind::port_reset, target)))
      return *above(target);
    // What an IOMMU refuses no router has stopped; the same device's other requests may have been.
    const auto& requester = node(d.requester).name;
    if (d.status == Status::unsupported_request && platform_.memories.contains(target) &&
        happens(EventKind::iommu_fault, requester))
      return root_or(target);
    if (const auto stopped = blocking(d, requester)) return *stopped;
    if (const auto stopped = blocking(d, target)) return *stopped;
    return root_or(target);
  }

  const std::string& root_or(const std::string& target) const {
    return platform_.root_complexes.empty() ? target : platform_.root_complexes.begin()->first;
  }

  /// The router to which a device is linked.
  std::optional<std::string> above(const std::string& device) const {
    const auto link = std::ranges::find_if(scenario_.links, [&](const auto& l) { return device_of(l.to) == device; });
    return link == scenario_.links.end() ? std::nullopt : std::optional{device_of(link->from)};
  }

  /// The first on the way up from `device` that has stopped any of the requester's TLPs with this status.
  std::optional<std::string> blocking(const fabric::Delivery& d, const std::string& device) const {
    for (auto router = above(device); router; router = above(*router))
      if (const auto trap = platform_.trap_of(*router, d.status); trap && has_taken(*trap, d)) return router;
    return std::nullopt;
  }

  bool has_taken(fabric::LinkId trap, const fabric::Delivery& d) const {
    return trap.value() < counted_.links.size() &&
           counted_.tally(trap.value(), 0, d.requester.value(), d.purpose).tlps > 0;
  }

  std::string error_of(const fabric::Delivery& d, const std::string& device) const {
    if (d.status == Status::poisoned) return "Poisoned TLP Received Status";
    if (d.status == Status::unsupported_request) return "Unsupported Request Error Status";
    return device == node(d.target).name ? "Completer Abort Status" : "ACS Violation Status";
  }

  const scenario::Scenario& scenario_;
  const Platform& platform_;
  const observe::Snapshot& counted_;
};

}  // namespace

std::array<std::uint32_t, 4> header_log(const fabric::Delivery& failed, Bytes max_payload, Bytes max_read_request) {
  const bool data = pcie::request_has_data(failed.op), wide = failed.address >> 32 != 0;
  const auto step = static_cast<std::uint64_t>((data ? max_payload : max_read_request).count());
  const auto bytes = std::min(static_cast<std::uint64_t>(failed.bytes.count()), step - failed.address % step);
  const auto words = (failed.address % 4 + bytes + 3) / 4;
  const auto format = (data ? 2u : 0u) | (wide ? 1u : 0u);
  const auto poisoned = failed.status == Status::poisoned ? std::uint32_t{1} << 14 : 0;  // EP
  const auto low = static_cast<std::uint32_t>(failed.address) & ~std::uint32_t{3};
  const auto requester = failed.spoofed ? spoofed_id : static_cast<std::uint32_t>(failed.requester.value()) << 3;
  return {format << 29 | poisoned | static_cast<std::uint32_t>(words & 0x3ff),
          requester << 16 | (words > 1 ? 0xffu : 0x0fu), wide ? static_cast<std::uint32_t>(failed.address >> 32) : low,
          wide ? low : 0};
}

std::vector<ErrorRecord> error_records(const scenario::Scenario& scenario, const Platform& platform, const Meter& meter,
                                       const observe::Snapshot& counted, const observe::Results& results) {
  Recorder recorder{scenario, platform, counted};
  for (const auto& [key, failed] : meter.failed_transactions()) recorder.add(failed.first, failed.count);
  const auto end = Instant{scenario.run.warmup} + results.window;
  for (const auto& event : scenario.events)
    if (Instant{event.at} < end) recorder.add_event(event);
  for (const auto& link : results.links) recorder.add_replays(link);
  return std::move(recorder.records);
}

}  // namespace peerpath::sc
