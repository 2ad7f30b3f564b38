// A guest's memory and a backend that remembers, for tests of the gve personality.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "devices/nic/gve_registers.hpp"

namespace peerpath::nic::gve {

class ArrayMemory {
 public:
  explicit ArrayMemory(std::size_t size) : bytes(size) {}
  bool read(std::uint64_t address, std::span<std::uint8_t> into) const {
    if (!inside(address, into.size())) return false;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(address), into.size(), into.begin());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::uint8_t> from) {
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

/// The admin queue's way to memory: accesses wait until they are let happen, in order.
class QueuedMemory final : public GuestMemory {
 public:
  explicit QueuedMemory(ArrayMemory& memory) : memory_{memory} {}
  void read(std::uint64_t address, std::size_t size) override { waiting_.push_back({address, size, {}}); }
  void write(std::uint64_t address, std::span<const std::uint8_t> from) override {
    waiting_.push_back({address, 0, {from.begin(), from.end()}});
  }
  bool step(Registers& registers) {
    if (waiting_.empty()) return false;
    const auto access = std::move(waiting_.front());
    waiting_.pop_front();
    std::vector<std::uint8_t> data(access.size);
    const bool done =
        access.size > 0 ? memory_.read(access.address, data) : memory_.write(access.address, access.written);
    registers.delivered(done, data);
    return true;
  }
  void run(Registers& registers) {
    while (step(registers)) {}
  }
  /// As a NIC does with the accesses of an admin queue that was restarted.
  void forget() { waiting_.clear(); }

 private:
  struct Access {
    std::uint64_t address = 0;
    std::size_t size = 0;
    std::vector<std::uint8_t> written;
  };
  ArrayMemory& memory_;
  std::deque<Access> waiting_;
};

class RecordingBackend final : public Backend {
 public:
  void create_rx(const RxQueueConfig& config) override { rx[config.queue.value()] = config; }
  void create_tx(const TxQueueConfig& config) override { tx[config.queue.value()] = config; }
  void destroy_rx(QueueIndex queue) override { rx.erase(queue.value()); }
  void destroy_tx(QueueIndex queue) override { tx.erase(queue.value()); }
  void fence() override { ++fences; }
  bool fenced() const override { return !under_way; }
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
  bool under_way = false;  ///< DMA from before a fence
  int fences = 0;

 private:
  Steering steering_{4};
};

}  // namespace peerpath::nic::gve
