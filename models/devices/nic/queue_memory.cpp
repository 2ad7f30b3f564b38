#include "devices/nic/queue_memory.hpp"

#include <bit>

#include "peerpath/base/fail.hpp"

namespace peerpath::nic {

QueueMemory::QueueMemory(int queues, std::uint32_t entries, const DescriptorSizes& sizes)
    : entries_{entries}, sizes_{sizes} {
  require(queues > 0, "a NIC has at least one queue");
  require(std::has_single_bit(entries), "rings have a power of two entries");
  rings_.reserve(static_cast<std::size_t>(queues));
  for (int i = 0; i < queues; ++i) rings_.emplace_back(RingSizes{entries, entries, entries, entries});
}

void QueueMemory::resize(QueueIndex index, const RingSizes& sizes) {
  for (const auto n : {sizes.buffers, sizes.rx_completions, sizes.tx, sizes.tx_completions})
    require(std::has_single_bit(n), "rings have a power of two entries");
  auto& rings = rings_[index.value()];
  const auto places = rings.places;
  const auto shape = rings.rx_shape;
  rings = QueueRings{sizes};
  rings.places = places;
  rings.rx_shape = shape;
}

MemoryPlace QueueMemory::place(MemoryPlace base, MemoryPlace interrupts) {
  const auto take = [&](Bytes entry) {
    const auto at = base;
    const std::int64_t bytes = entry.count() * entries_;
    base = base + Bytes{(bytes + 4095) / 4096 * 4096};
    return at;
  };
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    const QueueIndex queue{static_cast<std::uint16_t>(i)};
    auto& places = rings_[i].places;
    places.buffers = take(sizes_.buffer);
    places.rx_completions = take(sizes_.rx_completion);
    places.tx = take(sizes_.tx * 4);  // the usual packet takes four slots
    places.tx_completions = take(sizes_.tx_completion);
    places.rx_interrupt = interrupts + Bytes{static_cast<std::int64_t>(rx_vector(queue) * 4)};
    places.tx_interrupt = interrupts + Bytes{static_cast<std::int64_t>(tx_vector(queue) * 4)};
  }
  return base;
}

}  // namespace peerpath::nic
