#include "devices/nvme/kind.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {
namespace {

using scenario::to_text;

bool remaps(const scenario::Device* memory) {
  const auto* gpu = memory == nullptr ? nullptr : std::get_if<GpuConfig>(&memory->config);
  return gpu != nullptr && gpu->bar1.when_full == Bar1Full::remap;
}

/// What the commands of a drive can be.
void check_commands(const NvmeConfig& drive, std::size_t entry, scenario::DeviceCheck& check) {
  const auto& t = check.scenario().traffic[entry];
  for (std::size_t i = 0; i < t.sizes.size(); ++i) {
    const auto key = "sizes/" + std::to_string(i);
    if (t.sizes[i] % drive.block != Bytes{0})
      check.add_traffic(
          entry, key,
          to_text(t.sizes[i]) + " is not a whole number of blocks of " + t.from + ", " + to_text(drive.block));
    if (t.sizes[i] > drive.max_transfer)
      check.add_traffic(
          entry, key,
          to_text(t.sizes[i]) + " is more than max_transfer of " + t.from + ", " + to_text(drive.max_transfer));
  }
  if (t.arrival != scenario::ArrivalLaw::regular)
    check.add_traffic(entry, "arrival", "an nvme drive supports only regular arrival");
  if (const auto* dma = t.as<scenario::traffic::Dma>(); dma != nullptr && dma->traffic_class != 0)
    check.add_traffic(entry, "traffic_class", "an nvme drive supports traffic class 0 only");
  if (const auto* dma = t.as<scenario::traffic::Dma>(); dma != nullptr && dma->addresses == scenario::Addresses::random)
    check.add_traffic(entry, "addresses", "an nvme drive supports addresses in_turn only");
  if (remaps(check.tree().find(t.to)))
    check.add_traffic(entry, "to", t.to + " remaps its BAR1, which an nvme drive does not support");
}

}  // namespace

void Kind<NvmeConfig>::check(const NvmeConfig& drive, scenario::DeviceCheck& check) {
  check.units("queue_depth", drive.queue_depth);
  check.power_of_two("block", drive.block.count(), to_text(drive.block));
  if (drive.queue_depth >= drive.queue_entries)
    check.add("queue_depth", std::to_string(drive.queue_depth) + " commands do not fit into a queue of " +
                                 std::to_string(drive.queue_entries) + " entries, one of which must stay empty");
  if (drive.queues_in.empty()) {
    check.add("queues_in", "must name the host_memory that holds its queues");
  } else if (const auto* memory = check.tree().find(drive.queues_in); memory == nullptr) {
    check.add("queues_in", no_device(check.tree(), drive.queues_in));
  } else if (!std::holds_alternative<HostMemoryConfig>(memory->config)) {
    check.add("queues_in", what_is(*memory) + ", not a host_memory");
  }
  const auto& traffic = check.scenario().traffic;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const auto* from = check.tree().find(traffic[i].from);
    if (from != nullptr && std::get_if<NvmeConfig>(&from->config) == &drive) check_commands(drive, i, check);
  }
}

}  // namespace peerpath::device
