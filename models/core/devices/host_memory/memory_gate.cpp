#include "core/devices/host_memory/memory_gate.hpp"

#include <algorithm>

namespace peerpath::host_memory {

MemoryGate::MemoryGate(const device::HostMemoryConfig& config) : hop_{config.remote_hop.value_or(Duration{0})} {
  if (config.cache) cache_.emplace(*config.cache);
}

Instant MemoryGate::pass(const fabric::GatedTlp& tlp) {
  if (tlp.tlp_class == pcie::TlpClass::completion || tlp.purpose == pcie::Purpose::interrupt) return tlp.at;
  // A write stays in the cache of the near socket; what it does not hold comes from where the memory is.
  if (tlp.tlp_class == pcie::TlpClass::posted) {
    written_ = std::max(written_, cache_ ? tlp.at + cache_->write(tlp.address, tlp.bytes) : tlp.at);
    return written_;
  }
  const auto begin = std::max(tlp.at, written_);  // a request does not pass a write (PCIe Base Spec 2.4.1)
  if (!cache_) return begin + hop_;
  const auto missing = cache_->read(tlp.address, tlp.bytes);
  return missing > Duration{0} ? begin + missing + hop_ : begin;
}

}  // namespace peerpath::host_memory
