// The contents of a NIC's rings in host memory. The fabric moves no data, so driver and NIC share this object; what one
// writes becomes visible to the other only through a delivery, as in reality.
#pragma once

#include <optional>
#include <vector>

#include "devices/nic/packet_journal.hpp"
#include "devices/nic/rings.hpp"

namespace peerpath::nic {

/// A ring that the driver fills and the NIC reads. The driver writes an entry before it rings the doorbell, and the NIC
/// looks only after its own read of the entry has completed.
template <class Entry>
class DescriptorRing {
 public:
  explicit DescriptorRing(std::uint32_t entries) : entries_(entries) {}
  Entry& at(std::uint32_t index) { return entries_[index & (size() - 1)]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }

 private:
  std::vector<Entry> entries_;
};

/// A ring that the NIC fills and the driver polls. An entry is visible after its write has arrived in host memory; the
/// driver recognises it by the generation bit.
template <class Entry>
class CompletionRing {
 public:
  explicit CompletionRing(std::uint32_t entries) : entries_(entries), visible_(entries, never) {}

  /// The NIC composes the entry; it is still on its way.
  void write(std::uint32_t index, const Entry& entry) {
    entries_[slot(index)] = entry;
    entries_[slot(index)].generation = (index & size()) == 0;
    visible_[slot(index)] = never;
  }
  void arrived(std::uint32_t index, std::uint32_t count, Instant done) {
    for (std::uint32_t i = 0; i < count; ++i) visible_[slot(index + i)] = done;
  }
  /// The entry at free-running `index` as the driver sees it at `now`, or nullptr. What arrives exactly at `now` is
  /// seen at the next look.
  const Entry* visible(std::uint32_t index, Instant now) const {
    const bool generation = (index & size()) == 0;
    const auto& entry = entries_[slot(index)];
    return visible_[slot(index)] < now && entry.generation == generation ? &entry : nullptr;
  }
  const Entry& at(std::uint32_t index) const { return entries_[slot(index)]; }
  /// When the entry's write arrived.
  Instant visible_since(std::uint32_t index) const { return visible_[slot(index)]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }

 private:
  std::uint32_t slot(std::uint32_t index) const { return index & (size() - 1); }

  std::vector<Entry> entries_;
  std::vector<Instant> visible_;
};

/// Where one queue's rings and interrupts are, as the NIC addresses them.
struct QueuePlaces {
  MemoryPlace buffers, rx_completions, tx, tx_completions;
  MemoryPlace rx_interrupt, tx_interrupt;
};

/// Entries of the rings of one queue pair, each a power of two.
struct RingSizes {
  std::uint32_t buffers = 0, rx_completions = 0, tx = 0, tx_completions = 0;
};

/// What a receive queue's buffers are like. A driver that creates queues one by one says it for each.
struct RxShape {
  Bytes buffer_size{};
  Bytes header_buffer_size{};  ///< 0: no header split
};

/// The rings of one queue pair.
struct QueueRings {
  explicit QueueRings(const RingSizes& sizes)
      : buffers{sizes.buffers},
        rx_completions{sizes.rx_completions},
        tx{sizes.tx},
        tx_headers{sizes.tx},
        tx_completions{sizes.tx_completions} {}

  QueuePlaces places;
  std::optional<RxShape> rx_shape{};  ///< none: that of the NIC's configuration
  DescriptorRing<BufferDescriptor> buffers;
  CompletionRing<RxCompletion> rx_completions;
  DescriptorRing<TxDescriptor> tx;
  DescriptorRing<net::HeaderBytes> tx_headers;  ///< contents of the header memory that `tx` points to
  CompletionRing<TxCompletion> tx_completions;
};

/// All rings of one NIC, and the journal of the packets in them.
class QueueMemory {
 public:
  /// `entries` of each ring: a power of two.
  QueueMemory(int queues, std::uint32_t entries, const DescriptorSizes& sizes = {});

  int queues() const { return static_cast<int>(rings_.size()); }
  std::uint32_t entries() const { return entries_; }
  const DescriptorSizes& sizes() const { return sizes_; }
  QueueRings& queue(QueueIndex index) { return rings_[index.value()]; }
  /// Gives a queue empty rings of other sizes, at the places and with the shape that it has; only while it is stopped.
  void resize(QueueIndex index, const RingSizes& sizes);
  PacketJournal& journal() { return journal_; }

  /// Lays all rings out behind `base`, each on a 4 KiB boundary, and returns the place behind the last one. Interrupts
  /// are writes of 4 bytes, one address a vector, from `interrupts` on.
  MemoryPlace place(MemoryPlace base, MemoryPlace interrupts);

 private:
  std::uint32_t entries_;
  DescriptorSizes sizes_;
  std::vector<QueueRings> rings_;
  PacketJournal journal_;
};

}  // namespace peerpath::nic
