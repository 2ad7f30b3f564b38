#include "scenario/check/traffic_check.hpp"
#include "traffic/copy/kind.hpp"

namespace peerpath::scenario::traffic {
namespace {

/// A copy between two GPUs goes through host memory, or besides PCIe.
void check_staging(const Copy& copy, TrafficCheck& check, const device::GpuConfig* source,
                   const device::GpuConfig* target) {
  const bool between = source != nullptr && target != nullptr;
  if (!copy.through.empty()) {
    check.end<device::HostMemoryConfig>("through", copy.through, "a host_memory");
    if (!between) check.add("through", "only a copy between two gpus can be staged");
    if (copy.by == CopyBy::kernel) check.add("by", "a staged copy requires copy engines (by engine)");
    if (copy.submission == Submission::single) check.add("submission", "a staged copy requires submission queued");
  } else if (between && (!source->copies || source->copies->peer_rate == BitRate{})) {
    check.add("through", "is needed: " + check.traffic().from +
                             " has no copies.peer_rate (no direct GPU connection); set \"through\" to a host memory");
  }
}

}  // namespace

/// Copies are made by the GPU at one of their ends.
void Kind<Copy>::check(const Copy& copy, TrafficCheck& check) {
  const Traffic& t = check.traffic();
  const auto is_end = [](const Device& d) {
    return std::holds_alternative<device::GpuConfig>(d.config) ||
           std::holds_alternative<device::HostMemoryConfig>(d.config);
  };
  const Device* from = check.end("from", t.from, "a gpu or host_memory", is_end);
  const Device* to = check.end("to", t.to, "a gpu or host_memory", is_end);
  if (through_host(t.path)) check.add("path", "only receive and transmit go through host memory");
  if (t.arrival != ArrivalLaw::regular) check.add("arrival", "copy supports only regular arrival");
  if (from == nullptr || to == nullptr) return;
  const auto* source = config_of<device::GpuConfig>(from);
  const auto* target = config_of<device::GpuConfig>(to);
  if (from == to || (source == nullptr && target == nullptr))
    return check.add("to", "a copy needs a gpu at one end and another device at the other");
  for (const auto* gpu : {from, to})
    if (config_of<device::GpuConfig>(gpu) != nullptr && check.take_queue(*gpu))
      check.add("from", gpu->name + " has no free queue: " + std::to_string(TrafficCheck::most_queues) + " at most");
  check_staging(copy, check, source, target);
}

}  // namespace peerpath::scenario::traffic
