#include "platform/error_records.hpp"

#include <algorithm>
#include <map>

#include "scenario/hierarchy.hpp"
#include "scenario/tree.hpp"

namespace peerpath::platform {
namespace {

using observe::ErrorRecord;
using observe::ErrorSeverity;
using pcie::Status;
namespace event = scenario::event;

using scenario::device_of;

constexpr std::uint32_t spoofed_id = 0xff00;

class Recorder {
 public:
  Recorder(const scenario::Scenario& scenario, const Platform& platform, const observe::Snapshot& counted)
      : scenario_{scenario}, tree_{scenario}, platform_{platform}, counted_{counted} {
    for (const auto& root : tree_.all<device::RootComplexConfig>())
      for (const auto& function : scenario::hierarchy_of(scenario, root).functions) ids_[function.name] = function.bdf;
  }

  void add(const fabric::Delivery& first, std::int64_t count, std::optional<std::size_t> entry) {
    // A posted request has no completion that could be missed: who hangs records nothing, and nobody else can.
    if (first.status == Status::no_answer && first.kind == fabric::DeliveryKind::arrived) return;
    ErrorRecord record;
    record.count = count;
    record.first = first.done;
    record.header = header_log(first, fields(first, entry));
    if (first.status == Status::no_answer) {
      record.device = node(first.requester).name;
      record.severity = ErrorSeverity::non_fatal;
      record.error = "Completion Timeout Status";
      if (first.spoofed) add_stopped(first, record);
    } else {
      const auto refuser = this->refuser(first);
      record.device = reporter(refuser);
      record.severity = ErrorSeverity::non_fatal;
      record.error = error_of(first, refuser);
      if (first.kind == fabric::DeliveryKind::completed) {
        record.severity = ErrorSeverity::correctable;
        record.error = "Advisory Non-Fatal Error Status (" + record.error + ")";
      }
    }
    put(first, std::move(record));
  }

  void add_event(const scenario::Event& event) {
    const auto router = above(event.device);
    if (!router) return;
    if (event.is<event::SurpriseDown>() && !is_gone(event))
      records.push_back({*router, ErrorSeverity::fatal, "Surprise Down Error Status", 1, Instant{event.at}, {}});
    if (const auto* leak = event.as<event::CreditLeak>())
      records.push_back({leak->way == scenario::LinkWay::up ? event.device : *router,
                         ErrorSeverity::correctable,
                         "Bad DLLP Status",
                         1,
                         Instant{event.at},
                         {}});
  }

  /// All since the start, as those of transactions.
  void add_replays(const observe::LinkResult& link, const std::array<observe::Snapshot::Side, 2>& sides,
                   const observe::LinkLabel& label) {
    for (const bool up : {true, false})
      if (const auto count = sides[up == label.a_is_nearer ? 1 : 0].replays; count > 0)
        records.push_back(
            {up ? link.nearer : link.farther, ErrorSeverity::correctable, "Bad TLP Status", count, {}, {}});
  }

  std::vector<ErrorRecord> records;

 private:
  /// Who refuses for several reasons, one after the other, has one record of all that it refused.
  void put(const fabric::Delivery& first, ErrorRecord record) {
    const auto [known, is_new] = places_.try_emplace(
        {first.requester, first.target, first.op, first.spoofed, record.device, record.error}, records.size());
    if (is_new) return records.push_back(std::move(record));
    auto& earlier = records[known->second];
    record.count += earlier.count;
    if (record.first < earlier.first)
      earlier = std::move(record);
    else
      earlier.count = record.count;
  }

  /// Who has stopped a spoofed request before it timed out, if anybody has.
  void add_stopped(const fabric::Delivery& timed_out, ErrorRecord record) {
    auto stopped = timed_out;
    const auto& requester = node(stopped.requester).name;
    stopped.status = Status::completer_abort;
    if (!blocking(stopped, requester)) {
      stopped.status = Status::unsupported_request;
      if (!blocking(stopped, requester)) return;
    }
    record.device = refuser(stopped);  // a router
    record.severity = ErrorSeverity::correctable;
    record.error = "Advisory Non-Fatal Error Status (" + error_of(stopped, record.device) + ")";
    record.first = timed_out.done - node(timed_out.requester).endpoint.completion_timeout;
    put(timed_out, std::move(record));
  }

  HeaderFields fields(const fabric::Delivery& d, std::optional<std::size_t> entry) const {
    const auto& asker = node(d.requester);
    const auto traffic_class = [](auto kind, const auto& what) { return kind.traffic_class(what); };
    HeaderFields fields{.max_payload = asker.endpoint.max_payload,
                        .max_read_request = asker.endpoint.max_read_request,
                        .traffic_class = entry ? scenario_.traffic[*entry].with_kind(traffic_class) : 0,
                        .digest = asker.endpoint.ecrc};
    if (const auto id = ids_.find(asker.name); id != ids_.end())
      fields.requester = id->second;  // else 00:00.0, the host
    for (const auto& device : scenario_.devices)
      if (const auto* function = scenario::function_of(device); function != nullptr && device.name == asker.name) {
        // As transactions are marked when they are submitted (transaction_faults.hpp).
        fields.relaxed_ordering =
            function->relaxed_ordering && (d.op == pcie::Operation::memory_read || d.purpose == pcie::Purpose::payload);
        fields.id_based_ordering = function->id_based_ordering;
      }
    return fields;
  }

  const fabric::Node& node(fabric::NodeId id) const { return platform_.domain.topology().nodes[id.value()]; }

  /// Whether the device answered requests like this, which became ready at that time.
  bool answered(const std::string& device, Status status, Instant ready) const {
    const scenario::Event* last = nullptr;
    for (const auto& e : scenario_.events)
      if (e.is<event::Answer>() && e.device == device && Instant{e.at} <= ready &&
          (last == nullptr || last->at <= e.at))
        last = &e;
    return last != nullptr && last->as<event::Answer>()->status == status;
  }

  bool unmapped(const std::string& device, Instant ready) const {
    return std::ranges::any_of(scenario_.events, [&](const scenario::Event& e) {
      return e.is<event::IommuFault>() && e.device == device && Instant{e.at} <= ready;
    });
  }

  /// Whether the device was off the bus or in a reset.
  bool gone(const std::string& device, Instant when) const {
    return std::ranges::any_of(scenario_.events, [&](const scenario::Event& e) {
      return e.device == device && Instant{e.at} <= when &&
             (e.is<event::SurpriseDown>() || (e.is<event::PortReset>() && when < Instant{e.at} + outage_of(e)));
    });
  }

  /// Who finds that a request is not to be done: its target, or what is before it.
  std::string refuser(const fabric::Delivery& d) const {
    const auto& target = node(d.target).name;
    if (d.status == Status::poisoned || answered(target, d.status, d.ready)) return target;
    if (d.status == Status::unsupported_request && gone(target, d.done)) return *above(target);
    // What an IOMMU refuses no router has stopped; the same device's other requests may have been.
    const auto& requester = node(d.requester).name;
    if (d.status == Status::unsupported_request && is_memory(target) && unmapped(requester, d.ready))
      return root_or(requester);  // the IOMMU of its own socket
    if (const auto stopped = blocking(d, requester)) return *stopped;
    if (const auto stopped = blocking(d, target)) return *stopped;
    return root_or(target);
  }

  /// Host memory is no function of PCIe: what it refuses, its root complex reports.
  std::string reporter(const std::string& refuser) const { return is_memory(refuser) ? root_or(refuser) : refuser; }

  /// Whether the device was off the bus or in a reset before this event.
  bool is_gone(const scenario::Event& event) const {
    return std::ranges::any_of(scenario_.events, [&](const scenario::Event& e) {
      if (e.device != event.device || &e == &event) return false;
      const bool before = e.at < event.at || (e.at == event.at && &e < &event);
      return (e.is<event::SurpriseDown>() && before) ||
             (e.is<event::PortReset>() && before && event.at < e.at + outage_of(e));
    });
  }

  /// The root complex that a device is below or stands at.
  std::string root_or(const std::string& device) const {
    auto root = tree_.root_of(device);
    return root.empty() ? device : root;
  }

  bool is_memory(const std::string& name) const { return platform_.find<HostMemory>(name) != nullptr; }

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
  const scenario::Tree tree_;
  const Platform& platform_;
  const observe::Snapshot& counted_;
  std::map<std::tuple<fabric::NodeId, fabric::NodeId, pcie::Operation, bool, std::string, std::string>, std::size_t>
      places_;
  std::map<std::string, pcie::Bdf> ids_;  ///< by function, as `peerpath route` shows them
};

}  // namespace

std::vector<Instant> refusal_turns(const scenario::Scenario& scenario) {
  std::vector<Instant> turns;
  for (const auto& e : scenario.events) {
    if (e.is<event::Answer>() || e.is<event::IommuFault>() || e.is<event::SurpriseDown>() || e.is<event::PortReset>())
      turns.push_back(Instant{e.at});
    if (e.is<event::PortReset>()) turns.push_back(Instant{e.at + outage_of(e)});
  }
  std::ranges::sort(turns);
  return turns;
}

std::array<std::uint32_t, 4> header_log(const fabric::Delivery& failed, const HeaderFields& fields) {
  const bool data = pcie::request_has_data(failed.op), wide = failed.address >> 32 != 0;
  const auto step = static_cast<std::uint64_t>((data ? fields.max_payload : fields.max_read_request).count());
  const auto bytes = std::min(static_cast<std::uint64_t>(failed.bytes.count()), step - failed.address % step);
  const auto words = (failed.address % 4 + bytes + 3) / 4;
  const auto format = (data ? 2u : 0u) | (wide ? 1u : 0u);
  const auto poisoned = failed.status == Status::poisoned ? std::uint32_t{1} << 14 : 0;  // EP
  const auto low = static_cast<std::uint32_t>(failed.address) & ~std::uint32_t{3};
  // Which bytes of the first and the last double word (2.2.5): a request of one has no last.
  const auto front = static_cast<unsigned>(failed.address % 4), end = static_cast<unsigned>((front + bytes) % 4);
  const auto last = end == 0 ? 0xfu : 0xfu >> (4 - end);
  const auto enables = words > 1 ? last << 4 | (0xfu << front & 0xf) : bytes == 0 ? 0 : 0xfu << front & last;
  const std::uint32_t requester = failed.spoofed ? spoofed_id : fields.requester.id();
  const auto attributes = static_cast<std::uint32_t>(fields.traffic_class) << 20 |
                          (fields.id_based_ordering ? 1u << 18 : 0) | (fields.digest ? 1u << 15 : 0) |
                          (fields.relaxed_ordering ? 1u << 13 : 0) | (failed.translated ? 2u << 10 : 0) |
                          (failed.translation ? 1u << 10 : 0);
  return {format << 29 | attributes | poisoned | static_cast<std::uint32_t>(words & 0x3ff), requester << 16 | enables,
          wide ? static_cast<std::uint32_t>(failed.address >> 32) : low, wide ? low : 0};
}

std::vector<ErrorRecord> error_records(const scenario::Scenario& scenario, const Platform& platform, const Meter& meter,
                                       const observe::Snapshot& counted, const observe::Results& results) {
  Recorder recorder{scenario, platform, counted};
  for (const auto& [key, failed] : meter.failed_transactions()) recorder.add(failed.first, failed.count, failed.entry);
  const auto end = Instant{results.warmup} + results.window;
  for (const auto& event : scenario.events)
    if (Instant{event.at} < end) recorder.add_event(event);
  const auto labels = platform.labels();
  for (std::size_t n = 0; n < results.links.size(); ++n)
    recorder.add_replays(results.links[n], counted.links[n], labels[n]);
  return std::move(recorder.records);
}

}  // namespace peerpath::platform
