// Configurations and counters of emulated devices, between C++ and C callers.
#pragma once

#include <algorithm>
#include <optional>

#include "devices/gpu/emulated_gpu.hpp"
#include "devices/nic/gve_nic.hpp"
#include "peerpath/c/gpu.h"
#include "peerpath/c/nic.h"

namespace peerpath::c {

/// Nothing if the configuration is outside its limits.
inline std::optional<nic::gve::Offer> offer_of(const pp_nic_config& config) {
  if (config.abi != PP_ABI || config.queues < 1 || config.queues > 16 || config.max_mtu < 1500 ||
      config.max_mtu > 65535)
    return std::nullopt;
  nic::gve::Offer offer;
  offer.queues = static_cast<int>(config.queues);
  offer.vectors = static_cast<int>(pp_nic_vectors(config.queues));
  offer.max_mtu = static_cast<std::uint16_t>(config.max_mtu);
  offer.coalesce = config.coalesce;
  std::copy_n(config.mac, offer.mac.size(), offer.mac.begin());
  return offer;
}

inline bool sound(const pp_gpu_config& config) {
  return config.abi == PP_ABI && config.vram != nullptr && config.vram_size > 0;
}

inline std::uint64_t count(std::int64_t n) { return static_cast<std::uint64_t>(n); }

inline pp_nic_counters counters_of(const nic::gve::Statistics& s, std::uint64_t faults) {
  const auto& d = s.datapath;
  return {.rx_frames = count(d.rx_frames),
          .rx_bytes = count(d.rx_bytes.count()),
          .rx_dropped = count(d.dropped() + s.lost_reentrant + s.too_long),
          .tx_packets = count(d.tx_packets),
          .tx_frames = count(d.tx_frames),
          .tx_bytes = count(d.tx_bytes.count()),
          .bad_descriptors = count(d.bad_descriptors),
          .bad_doorbells = count(d.bad_doorbells + s.bad_doorbells),
          .bad_checksums = count(s.bad_checksums),
          .dma_errors = count(s.dma_errors),
          .refused_commands = count(s.refused_commands),
          .coalesced = count(s.coalesced),
          .faults = faults,
          .rx_descriptors = count(d.rx_ring.descriptors),
          .rx_descriptor_bytes = count(d.rx_ring.descriptor_bytes.count()),
          .rx_completions = count(d.rx_ring.completions),
          .rx_completion_bytes = count(d.rx_ring.completion_bytes.count()),
          .tx_descriptors = count(d.tx_ring.descriptors),
          .tx_descriptor_bytes = count(d.tx_ring.descriptor_bytes.count()),
          .tx_completions = count(d.tx_ring.completions),
          .tx_completion_bytes = count(d.tx_ring.completion_bytes.count())};
}

inline pp_gpu_counters counters_of(const gpu::EmulatedGpu& gpu, std::uint64_t faults) {
  return {.copies = count(gpu.copies()),
          .failed_copies = count(gpu.failed()),
          .bad_doorbells = count(gpu.bad_doorbells()),
          .commands = count(gpu.blobs().counters().commands),
          .refused_commands = count(gpu.blobs().counters().refused),
          .faults = faults};
}

}  // namespace peerpath::c
