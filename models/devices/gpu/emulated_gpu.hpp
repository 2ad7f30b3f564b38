// The GPU of the emulator: a register page, copy engines with rings in memory, doorbells. Bytes move by transactions.
#pragma once

#include <algorithm>
#include <array>

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

/// All of the device but its place on the bus. Each engine takes its copies one after the other: it reads the
/// descriptor, moves the bytes in pieces, a few of which are under way at a time, and writes the completion when the
/// last has arrived. A call issues transactions and returns; what follows is done at their deliveries, a piece at each.
/// It takes no memory.
class EmulatedGpu {
 public:
  static constexpr std::size_t engines = 2;
  static constexpr std::uint32_t max_entries = 4096;
  static constexpr std::size_t piece = 64 << 10;  ///< bytes of one access; a copy within VRAM is one piece
  static constexpr std::size_t pieces = 4;        ///< of an engine, under way at a time

  /// `vram` is the memory behind BAR number `vram_bar`; the guest and peers write it at any time.
  EmulatedGpu(std::span<std::uint8_t> vram, std::uint32_t vram_bar, device::Bus& bus);

  std::uint64_t read(std::uint64_t offset, unsigned width) const;
  void write(std::uint64_t offset, unsigned width, std::uint64_t value);
  /// A transaction of this device has ended. `data` holds all bytes of a successful read. Transactions from before a
  /// reset are ignored.
  void on_delivery(const fabric::Delivery& delivery, std::span<const std::uint8_t> data = {});
  /// Sets the time of all later calls, until the next call of this.
  void set_time(Instant now) { now_ = std::max(now_, now); }
  /// An engine has copies to do.
  bool at_work() const;
  void reset();

  Blobs& blobs() { return blobs_; }
  const Blobs& blobs() const { return blobs_; }
  std::int64_t copies() const { return copies_; }
  std::int64_t failed() const { return failed_; }
  std::int64_t bad_doorbells() const { return bad_doorbells_; }

 private:
  enum class Step : std::uint8_t { idle, descriptor, copying };
  /// A part of a copy between its read and the arrival of its write.
  struct Piece {
    std::uint64_t offset = 0, size = 0;
    bool taken = false;
  };
  struct CopyEngine {
    std::uint64_t ring = 0;
    std::uint32_t entries = 0, consumer = 0, producer = 0;
    std::uint32_t life = 0;  ///< counts the times that it was emptied
    Step step = Step::idle;
    CopyDescriptor copy{};
    std::uint64_t issued = 0;  ///< bytes of it
    bool failed = false;       ///< a piece of it
    std::array<Piece, pieces> under_way{};
  };
  /// Purpose of a transaction, packed into its cookie.
  enum class Part : std::uint8_t { descriptor, read, write, completion };
  struct Cookie {
    Part part{};
    std::size_t engine = 0, piece = 0;
    std::uint32_t life = 0;
    std::uint64_t pack() const;
    static Cookie unpack(std::uint64_t packed);
  };

  void write_engine(CopyEngine& engine, std::uint64_t at, unsigned width, std::uint64_t value);
  void ring(std::size_t engine, std::uint32_t producer);
  void empty(CopyEngine& engine);
  void next(std::size_t engine);
  void begin(std::size_t engine, bool success, std::span<const std::uint8_t> raw);
  void issue(std::size_t engine);
  void piece_read(const Cookie& cookie, bool success, std::span<const std::uint8_t> data);
  void piece_done(const Cookie& cookie, bool success);
  void finish(std::size_t engine, CopyStatus status);
  void read(const Cookie& cookie, std::uint64_t address, std::uint64_t size, pcie::Purpose purpose);
  void write(const Cookie& cookie, std::uint64_t address, std::span<const std::uint8_t> bytes, pcie::Purpose purpose);
  void submit(const Cookie& cookie, fabric::Transaction t, const device::Content& content);
  bool allowed(const CopyDescriptor& d) const;
  bool in_vram(std::uint64_t offset, std::uint64_t size) const {
    return offset <= vram_.size() && size <= vram_.size() - offset;
  }

  std::span<std::uint8_t> vram_;
  std::uint32_t vram_bar_;
  device::Bus& bus_;
  Blobs blobs_;
  std::array<CopyEngine, engines> engines_{};
  Instant now_{};
  std::int64_t copies_ = 0, failed_ = 0, bad_doorbells_ = 0;
};

}  // namespace peerpath::gpu
