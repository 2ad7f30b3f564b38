// A guest's memory and a backend that remembers, for tests of the gve personality.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "devices/nic/gve_registers.hpp"

namespace peerpath::nic::gve {

class ArrayMemory final : public GuestMemory {
 public:
  explicit ArrayMemory(std::size_t size) : bytes(size) {}
  bool read(std::uint64_t address, std::span<std::uint8_t> into) override {
    if (!inside(address, into.size())) return false;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(address), into.size(), into.begin());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::uint8_t> from) override {
    if (!inside(address, from.size())) return false;
    std::ranges::copy(from, bytes.begin() + static_cast<std::ptrdiff_t>(address));
    return true;
  }
  std::uint64_t be(std::uint64_t address, std::size_t n) const { return load_be(bytes, address, n); }
  void set(std::uint64_t address, std::size_t n, std::uint64_t value) { store_be(bytes, address, n, value); }

  std::vector<std::uint8_t> bytes;

 private:
  bool inside(std::uint64_t address, std::size_t n) const { return n <= bytes.size() && address <= bytes.size() - n; }
};

class RecordingBackend final : public Backend {
 public:
  void create_rx(const RxQueueConfig& config) override { rx[config.queue.value()] = config; }
  void create_tx(const TxQueueConfig& config) override { tx[config.queue.value()] = config; }
  void destroy_rx(QueueIndex queue) override { rx.erase(queue.value()); }
  void destroy_tx(QueueIndex queue) override { tx.erase(queue.value()); }
  Steering& steering() override { return steering_; }
  RxDrops rx_drops(QueueIndex queue) override { return {queue.value() + 10u, 2, 3, 4}; }
  bool link_up() override { return true; }
  void rx_tail(QueueIndex queue, std::uint32_t tail) override { rx_tails[queue.value()] = tail; }
  void tx_tail(QueueIndex queue, std::uint32_t tail) override { tx_tails[queue.value()] = tail; }
  void vector_doorbell(std::uint32_t vector, std::uint32_t value) override { vectors[vector] = value; }

  std::map<int, RxQueueConfig> rx;
  std::map<int, TxQueueConfig> tx;
  std::map<int, std::uint32_t> rx_tails, tx_tails;
  std::map<std::uint32_t, std::uint32_t> vectors;

 private:
  Steering steering_{4};
};

}  // namespace peerpath::nic::gve
