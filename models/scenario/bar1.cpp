#include "peerpath/scenario/bar1.hpp"

#include <algorithm>

#include "devices/gpu/bar1.hpp"
#include "peerpath/scenario/describe.hpp"
#include "peerpath/scenario/queues.hpp"
#include "scenario/catalogue.hpp"

namespace peerpath::scenario {
namespace {

using device::Bar1Full;

/// GPU memory that a NIC's driver registers for the buffers of these queues.
Bytes buffers_of(const device::NicConfig& nic, const Traffic& traffic, const std::vector<int>& queues) {
  if (traffic.is<traffic::Receive>())
    return nic.buffer_size * nic.ring_entries * static_cast<std::int64_t>(queues.size());
  Bytes all{};
  for (std::size_t q = 0; q < queues.size(); ++q) all += traffic.sizes[q % traffic.sizes.size()] * nic.ring_entries;
  return all;
}

void add_transfers(const Scenario& s, Bar1Plan& plan) {
  for (std::size_t i = 0; i < s.traffic.size(); ++i) {
    const auto& t = s.traffic[i];
    const auto* dma = t.as<traffic::Dma>();
    if (dma == nullptr || t.to != plan.gpu) continue;
    const auto from = std::ranges::find(s.devices, t.from, &Device::name);
    const auto maps = [&](auto kind, const auto& config) { return kind.maps(config, dma->window + dma->offset); };
    const auto registered = from == s.devices.end() ? dma->window + dma->offset : with_kind(*from, maps);
    plan.mappings.push_back({{i}, registered, {}, Bar1Verdict::mapped});
  }
}

void add_buffers(const Scenario& s, const device::NicConfig& nic, const std::vector<QueueShare>& shares,
                 Bar1Plan& plan) {
  for (const auto& share : shares) {
    const auto& first = s.traffic[share.entries.front()];
    if (first.to != plan.gpu || scenario::through_host(first.path) || share.queues.empty()) continue;
    Bytes registered = buffers_of(nic, first, share.queues);
    for (const auto i : share.entries)
      registered = std::max(registered, s.traffic[i].as<traffic::Network>()->registered.value_or(Bytes{}));
    plan.mappings.push_back({share.entries, registered, {}, Bar1Verdict::mapped});
  }
}

/// The verdict on a registration that does not fit, where the GPU does not remap.
Bar1Verdict verdict_of(const Traffic& traffic, Bar1Full when_full) {
  const bool of_queues = traffic.as<traffic::Network>() != nullptr;
  return when_full == Bar1Full::bounce && of_queues ? Bar1Verdict::bounced : Bar1Verdict::refused;
}

void decide(const Scenario& s, const device::GpuConfig& gpu, Bar1Plan& plan) {
  gpu::Bar1 window{gpu};
  const bool remaps = gpu.bar1.when_full == Bar1Full::remap;
  std::vector<Bar1Mapping*> pieced;
  for (auto& mapping : plan.mappings) {
    const auto& traffic = s.traffic[mapping.entries.front()];
    if (window.map(mapping.registered)) {
      mapping.given = window.room_for(mapping.registered);
    } else {
      mapping.verdict = verdict_of(traffic, gpu.bar1.when_full);
      if (remaps && traffic.as<traffic::Dma>() != nullptr) pieced.push_back(&mapping);
    }
  }
  const auto piece = gpu.bar1.piece;
  const auto pieces = pieced.empty() ? 0 : window.left() / piece / static_cast<std::int64_t>(pieced.size());
  for (auto* mapping : pieced) {
    if (pieces == 0 || !window.map(piece * pieces)) continue;
    mapping->verdict = Bar1Verdict::remapped;
    mapping->given = piece * pieces;
  }
  plan.used = window.used();
}

}  // namespace

std::vector<Bar1Plan> bar1_plans(const Scenario& s) {
  std::vector<Bar1Plan> plans;
  for (const auto& device : s.devices) {
    const auto* gpu = std::get_if<device::GpuConfig>(&device.config);
    if (gpu == nullptr) continue;
    Bar1Plan plan{device.name, gpu->bar_size, gpu->bar1.reserved, {}, {}};
    add_transfers(s, plan);
    for (const auto shares_of : {receive_shares, transmit_shares})
      for (const auto& other : s.devices)
        if (const auto* nic = std::get_if<device::NicConfig>(&other.config))
          add_buffers(s, *nic, shares_of(s, other.name), plan);
    std::ranges::stable_sort(plan.mappings, {}, [](const Bar1Mapping& m) { return m.entries.front(); });
    decide(s, *gpu, plan);
    plans.push_back(std::move(plan));
  }
  return plans;
}

const Bar1Mapping* bar1_mapping(const std::vector<Bar1Plan>& plans, std::size_t entry) {
  for (const auto& plan : plans)
    for (const auto& mapping : plan.mappings)
      if (std::ranges::find(mapping.entries, entry) != mapping.entries.end()) return &mapping;
  return nullptr;
}

std::string to_text(const Bar1Plan& plan, const Bar1Mapping& mapping) {
  const auto registered = to_text(mapping.registered) + " registered";
  if (mapping.verdict == Bar1Verdict::mapped) return registered + ", mapped";
  const auto full = registered + " do not fit the window's " + to_text(plan.size);
  switch (mapping.verdict) {
    case Bar1Verdict::remapped:
      return full + ": remapped piece by piece through " + to_text(mapping.given);
    case Bar1Verdict::bounced:
      return full + ": bounced through host memory";
    default:
      return full + ": refused";
  }
}

}  // namespace peerpath::scenario
