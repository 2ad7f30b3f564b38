// The GPU of the emulator: a register page, copy engines with rings in memory, doorbells. Bytes really move.
#pragma once

#include <array>

#include "core/devices/gpu/blobs.hpp"
#include "peerpath/device/dma.hpp"

namespace peerpath::gpu {

/// Register page, little-endian. The table is in qemu-devices/README.md.
namespace page {
inline constexpr std::uint64_t size = 64 << 10;
inline constexpr std::uint64_t magic = 0x00, version = 0x04, vram_bar = 0x08, engines = 0x0c, vram_size = 0x10;
inline constexpr std::uint64_t done = 0x18, failed = 0x20, control = 0x28;
inline constexpr std::uint64_t engine = 0x100, engine_stride = 0x40;  ///< ring address; entries at +8, consumer at +12
inline constexpr std::uint64_t doorbell = 0x1000;                     ///< 4 bytes an engine
inline constexpr std::uint32_t magic_value = 0x5547'5050, version_value = 1;
}  // namespace page

/// A copy as its descriptor says it.
struct CopyDescriptor {
  static constexpr std::size_t size = 32;
  static constexpr std::uint32_t source_on_bus = 1, destination_on_bus = 2, completion = 4;
  static constexpr std::uint32_t max_length = 16 << 20;

  std::uint64_t source = 0, destination = 0;
  std::uint32_t length = 0, flags = 0;
  std::uint64_t completion_address = 0;
};

/// What a completion says.
enum class CopyStatus : std::uint32_t { done = 0, refused = 1, failed = 2 };

/// All of the device but its place on the bus. Doorbells and registers note what is wanted; `run` does it, at most
/// `most_at_once` bytes of each engine in one go, so that a guest cannot hold the emulator up.
class EmulatedGpu {
 public:
  static constexpr std::size_t engines = 2;
  static constexpr std::uint32_t max_entries = 4096;
  static constexpr std::uint64_t most_at_once = 64 << 20;

  /// `vram` is the memory behind BAR number `vram_bar`; the guest and peers write it at any time.
  EmulatedGpu(std::span<std::uint8_t> vram, std::uint32_t vram_bar, device::Dma& dma);

  std::uint64_t read(std::uint64_t offset, unsigned width) const;
  void write(std::uint64_t offset, unsigned width, std::uint64_t value);
  bool wants_run() const;
  void run();
  void reset();

  Blobs& blobs() { return blobs_; }
  const Blobs& blobs() const { return blobs_; }
  std::int64_t copies() const { return copies_; }
  std::int64_t failed() const { return failed_; }
  std::int64_t bad_doorbells() const { return bad_doorbells_; }

 private:
  struct Engine {
    std::uint64_t ring = 0;
    std::uint32_t entries = 0, consumer = 0, producer = 0;
    bool waiting() const { return entries > 0 && consumer != producer; }
  };
  void write_engine(Engine& engine, std::uint64_t at, unsigned width, std::uint64_t value);
  void ring(std::size_t engine, std::uint32_t producer);
  std::uint64_t copy_next(Engine& engine);
  CopyStatus copy(const CopyDescriptor& d);
  bool in_vram(std::uint64_t offset, std::uint64_t size) const {
    return offset <= vram_.size() && size <= vram_.size() - offset;
  }

  std::span<std::uint8_t> vram_;
  std::uint32_t vram_bar_;
  device::Dma& dma_;
  Blobs blobs_;
  std::array<Engine, engines> engines_{};
  std::int64_t copies_ = 0, failed_ = 0, bad_doorbells_ = 0;
  bool busy_ = false;
};

}  // namespace peerpath::gpu
