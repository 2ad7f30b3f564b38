// Memory behind a bus, for tests and fuzzers of the emulated GPU.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "devices/gpu/emulated_gpu.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::gpu {

/// Host memory from bus address 0 on; everything else does not answer. Without delays a write happens at once, and its
/// delivery waits for `step`; with random ones both happen later, writes in order.
class ArrayDma final : public device::Bus {
 public:
  explicit ArrayDma(std::size_t size) : bytes(size) {}
  ArrayDma(std::size_t size, std::uint64_t seed) : bytes(size), delays_{Random{seed, "delays"}} {}
  void attach(EmulatedGpu& gpu) { gpu_ = &gpu; }

  void submit(fabric::ChannelIndex, const fabric::Transaction& t, const device::Content& content) override {
    Item item{t, {content.bytes.begin(), content.bytes.end()}};
    const bool posted = t.op == pcie::Operation::memory_write;
    Instant due = now_;
    if (delays_) {
      due = std::max(now_ + std::chrono::nanoseconds{static_cast<std::int64_t>(delays_->below(2000))}, written_);
      if (posted) written_ = due;
    } else if (posted) {
      item.success = write(t.address, item.bytes);
    }
    counted[static_cast<std::size_t>(t.purpose)] += static_cast<std::size_t>(t.bytes.count());
    items_.emplace(std::pair{due, number_++}, std::move(item));
    most_under_way = std::max(most_under_way, items_.size());
  }
  /// Delivers one; false if there is none.
  bool step() {
    if (items_.empty()) return false;
    auto node = items_.extract(items_.begin());
    auto& item = node.mapped();
    now_ = std::max(now_, node.key().first);
    fabric::Delivery d;
    d.cookie = item.t.cookie;
    d.done = now_;
    if (item.t.op == pcie::Operation::memory_read) {
      d.kind = fabric::DeliveryKind::completed;
      item.bytes.resize(static_cast<std::size_t>(item.t.bytes.count()));
      item.success = read(item.t.address, item.bytes);
    } else {
      d.kind = fabric::DeliveryKind::arrived;
      if (delays_) item.success = write(item.t.address, item.bytes);
    }
    d.status = item.success ? pcie::Status::success : pcie::Status::unsupported_request;
    gpu_->on_delivery(d, item.bytes);
    return true;
  }
  void run(std::int64_t steps = 1'000'000) {
    while (steps-- > 0 && step()) {}
  }

  std::vector<std::uint8_t> bytes;
  std::array<std::size_t, pcie::purposes> counted{};
  std::size_t most_under_way = 0;

 private:
  struct Item {
    fabric::Transaction t;
    std::vector<std::uint8_t> bytes;
    bool success = true;
  };
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
  bool inside(std::uint64_t address, std::size_t n) const { return n <= bytes.size() && address <= bytes.size() - n; }

  EmulatedGpu* gpu_ = nullptr;
  std::optional<Random> delays_;
  std::map<std::pair<Instant, std::uint64_t>, Item> items_;  ///< in order of time, then of submission
  std::uint64_t number_ = 0;
  Instant now_{}, written_{};
};

}  // namespace peerpath::gpu
