// The GPU of the emulator: a register page, copy engines with rings in memory, doorbells. Bytes really move.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "devices/gpu/blobs.hpp"
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

/// What a GPU asks of the machine that it is plugged into.
class Host : public device::Dma {
 public:
  /// Asked between pieces of copies: whether there is time for another one now.
  virtual bool go_on() = 0;
};

/// All of the device but its place on the bus. Doorbells and registers note what is wanted; `run` does it piece by
/// piece, for as long as the host says: a copy to registers of a peer takes a thousand times as long as one to memory.
class EmulatedGpu {
 public:
  static constexpr std::size_t engines = 2;
  static constexpr std::uint32_t max_entries = 4096;
  static constexpr std::size_t piece = 64 << 10;  ///< bytes of one access; a copy within VRAM is one piece

  /// `vram` is the memory behind BAR number `vram_bar`; the guest and peers write it at any time.
  EmulatedGpu(std::span<std::uint8_t> vram, std::uint32_t vram_bar, Host& host);

  std::uint64_t read(std::uint64_t offset, unsigned width) const;
  void write(std::uint64_t offset, unsigned width, std::uint64_t value);
  bool wants_run() const;
  /// Moves a piece for each engine that has something to do, and more while the host says so.
  void run();
  void reset();

  Blobs& blobs() { return blobs_; }
  const Blobs& blobs() const { return blobs_; }
  std::int64_t copies() const { return copies_; }
  std::int64_t failed() const { return failed_; }
  std::int64_t bad_doorbells() const { return bad_doorbells_; }

 private:
  struct CopyEngine {
    std::uint64_t ring = 0;
    std::uint32_t entries = 0, consumer = 0, producer = 0;
    std::optional<CopyDescriptor> copy{};  ///< that has begun
    std::uint64_t moved = 0;               ///< bytes of it
    bool waiting() const { return entries > 0 && consumer != producer; }
  };
  void write_engine(CopyEngine& engine, std::uint64_t at, unsigned width, std::uint64_t value);
  void ring(std::size_t engine, std::uint32_t producer);
  void step(CopyEngine& engine);
  bool begin(CopyEngine& engine);
  bool move_piece(CopyEngine& engine);
  void finish(CopyEngine& engine, CopyStatus status);
  bool allowed(const CopyDescriptor& d) const;
  bool in_vram(std::uint64_t offset, std::uint64_t size) const {
    return offset <= vram_.size() && size <= vram_.size() - offset;
  }

  std::span<std::uint8_t> vram_;
  std::uint32_t vram_bar_;
  Host& host_;
  Blobs blobs_;
  std::array<CopyEngine, engines> engines_{};
  std::vector<std::uint8_t> bounce_ = std::vector<std::uint8_t>(piece);  ///< on the way from bus to bus
  std::int64_t copies_ = 0, failed_ = 0, bad_doorbells_ = 0;
};

}  // namespace peerpath::gpu
