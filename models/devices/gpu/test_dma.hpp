// Memory behind a bus, for tests and fuzzers of the emulated GPU.
#pragma once

#include <algorithm>
#include <vector>

#include "devices/gpu/emulated_gpu.hpp"

namespace peerpath::gpu {

/// Host memory from bus address 0 on; everything else does not answer.
class ArrayDma final : public Host {
 public:
  explicit ArrayDma(std::size_t size) : bytes(size) {}
  bool read(std::uint64_t address, std::span<std::uint8_t> into, pcie::Purpose) override {
    if (!inside(address, into.size())) return false;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(address), into.size(), into.begin());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::uint8_t> from, pcie::Purpose) override {
    if (!inside(address, from.size())) return false;
    std::ranges::copy(from, bytes.begin() + static_cast<std::ptrdiff_t>(address));
    return true;
  }
  bool go_on() override { return patience-- > 0; }
  std::vector<std::uint8_t> bytes;
  std::int64_t patience = 1'000'000;  ///< pieces of work for which there is time

 private:
  bool inside(std::uint64_t address, std::size_t n) const { return n <= bytes.size() && address <= bytes.size() - n; }
};

}  // namespace peerpath::gpu
