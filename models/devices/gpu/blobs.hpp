// Blob resources of virtio-gpu (VIRTIO 1.3 section 5.7.6): pieces of VRAM that the guest's driver names, places in the
// host-visible window, and hands out as dma-bufs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace peerpath::gpu {

/// Answers of the device, by the standard's numbers.
enum class VirtioReply : std::uint32_t {
  ok = 0x1100,
  ok_display_info = 0x1101,
  ok_map_info = 0x1106,
  unspecified = 0x1200,
  out_of_memory = 0x1201,
  invalid_resource = 0x1203,
  invalid_context = 0x1204,
  invalid_parameter = 0x1205,
};

/// What was asked for, and what of it.
struct BlobCounters {
  std::int64_t commands = 0;
  std::int64_t refused = 0;  ///< answered with an error
};

/// The control queue of a virtio-gpu without displays and without a renderer: contexts, blobs in VRAM, their place in
/// the window. The window is VRAM itself, byte for byte, so a blob's memory is where the driver maps it; two blobs
/// never overlap and none reaches beyond VRAM. A blob that is destroyed is unmapped with it.
class Blobs {
 public:
  static constexpr std::size_t max_reply = 408;  ///< display information of 16 displays
  static constexpr std::size_t max_blobs = 4096, max_contexts = 1024;

  explicit Blobs(std::uint64_t vram) : vram_{vram} {}

  /// Executes one command and writes the reply into `reply` (at least `max_reply` bytes); returns the reply's size.
  std::size_t execute(std::span<const std::uint8_t> command, std::span<std::uint8_t> reply);
  void reset();

  /// Where a blob is in VRAM, if it is mapped.
  std::optional<std::uint64_t> mapped_at(std::uint32_t resource) const;
  std::size_t size() const { return blobs_.size(); }
  const BlobCounters& counters() const { return counters_; }

 private:
  struct Blob {
    std::uint64_t size = 0;
    bool mappable = false;
    std::optional<std::uint64_t> offset;  ///< in VRAM, while it is mapped
    std::set<std::uint32_t> contexts;
  };
  using Command = std::span<const std::uint8_t>;

  VirtioReply dispatch_if_there_is_memory(Command c);
  VirtioReply dispatch(Command c);
  VirtioReply create_context(Command c);
  VirtioReply destroy_context(Command c);
  VirtioReply attach(Command c, bool attach);
  VirtioReply create(Command c);
  VirtioReply map(Command c);
  VirtioReply unmap(Command c);
  VirtioReply destroy(Command c);
  bool overlaps(std::uint64_t offset, std::uint64_t size) const;

  std::uint64_t vram_;
  std::map<std::uint32_t, Blob> blobs_;
  std::set<std::uint32_t> contexts_;
  BlobCounters counters_;
};

}  // namespace peerpath::gpu
