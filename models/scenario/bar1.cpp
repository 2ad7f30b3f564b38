#include "peerpath/scenario/bar1.hpp"

#include <algorithm>

#include "devices/gpu/bar1.hpp"
#include "peerpath/scenario/describe.hpp"

namespace peerpath::scenario {
namespace {

using device::Bar1Full;

/// The verdict on a registration that does not fit, where the GPU does not remap.
Bar1Verdict verdict_of(const Traffic& traffic, Bar1Full when_full) {
  const bool by_driver = traffic.with_kind([](auto kind, const auto&) { return kind.by_driver; });
  return when_full == Bar1Full::bounce && by_driver ? Bar1Verdict::bounced : Bar1Verdict::refused;
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
      if (remaps && traffic.with_kind([](auto kind, const auto&) { return kind.by_dma; })) pieced.push_back(&mapping);
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
    for (std::size_t i = 0; i < s.traffic.size(); ++i)
      s.traffic[i].with_kind([&](auto kind, const auto& what) { kind.plan_window(what, s, i, plan); });
    std::ranges::stable_sort(plan.mappings, {}, [](const Bar1Mapping& m) { return m.entries.front(); });
    decide(s, *gpu, plan);
    plans.push_back(std::move(plan));
  }
  return plans;
}

const Bar1Mapping* bar1_mapping(const std::vector<Bar1Plan>& plans, std::size_t entry, const std::string& gpu) {
  for (const auto& plan : plans)
    for (const auto& mapping : plan.mappings)
      if ((gpu.empty() || gpu == plan.gpu) && std::ranges::find(mapping.entries, entry) != mapping.entries.end())
        return &mapping;
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
