// A driver for the emulated NIC, with the machine around it: memory, interrupts, a wire. For tests and fuzzers.
#pragma once

#include "devices/nic/gve_nic.hpp"
#include "devices/nic/test_guest.hpp"

namespace peerpath::nic::gve {

/// Memory of an array; frames and interrupts are remembered. Counts the bytes of each purpose.
class TestHost final : public Host {
 public:
  explicit TestHost(std::size_t size) : memory(size) {}

  bool read(std::uint64_t address, std::span<std::uint8_t> into, pcie::Purpose purpose) override {
    bytes_read[static_cast<std::size_t>(purpose)] += into.size();
    return memory.read(address, into);
  }
  bool write(std::uint64_t address, std::span<const std::uint8_t> from, pcie::Purpose purpose) override {
    bytes_written[static_cast<std::size_t>(purpose)] += from.size();
    return memory.write(address, from);
  }
  bool peek(std::uint64_t address, std::span<std::uint8_t> into) override { return memory.read(address, into); }
  bool publish(std::uint64_t address, std::span<const std::uint8_t> entry, std::size_t,
               pcie::Purpose purpose) override {
    return write(address, entry, purpose);
  }
  void flush_soon() override { wants_flush = true; }
  void interrupt(std::uint32_t vector) override { interrupts.push_back(vector); }
  bool go_on() override { return patience-- > 0; }
  void transmit(std::span<const std::uint8_t> frame) override {
    frames.emplace_back(frame.begin(), frame.end());
    if (loop != nullptr) loop->receive(frame);
  }

  ArrayMemory memory;
  std::vector<std::uint32_t> interrupts;
  std::vector<std::vector<std::uint8_t>> frames;
  std::array<std::size_t, pcie::purposes> bytes_read{}, bytes_written{};
  bool wants_flush = false;
  std::int64_t patience = 1'000'000;  ///< pieces of work for which there is time
  Nic* loop = nullptr;                ///< whoever hears what is sent, in the middle of sending
};

/// Probes as gve does and works rings of 64 entries. Memory map: admin queue, scratch, then 64 KiB for each queue.
class TestDriver {
 public:
  static constexpr std::uint64_t admin = 0x1000, scratch = 0x2000, queues = 0x10000, buffers = 0x100000;
  static constexpr std::uint32_t entries = 64;

  TestDriver(Nic& nic, TestHost& host) : nic_{nic}, host_{host} {
    nic_.registers().write(0x28, 2, 4096);
    nic_.registers().write(0x20, 4, 0);
    nic_.registers().write(0x24, 4, static_cast<std::uint32_t>(admin));
    nic_.registers().write(0x04, 4, 1);
  }

  /// Fields are {offset, size, value}. Returns the status.
  std::uint32_t command(std::uint32_t opcode, std::initializer_list<std::array<std::uint64_t, 3>> fields) {
    Command c{};
    store_be(c, 0, 4, opcode);
    for (const auto& [at, size, value] : fields) store_be(c, at, size, value);
    return raw_command(c);
  }
  std::uint32_t raw_command(const Command& c) {
    const std::uint64_t slot = admin + commands_ % 64 * command_size;
    host_.memory.write(slot, c);
    nic_.registers().write(0x14, 4, ++commands_);
    return static_cast<std::uint32_t>(host_.memory.be(slot + 4, 4));
  }

  std::uint32_t create_rx(std::uint32_t q, std::uint64_t buffer_size, std::uint64_t header_size, bool rsc = false) {
    rx_tail_ = 0;
    return command(6, {{8, 4, q},
                       {20, 4, 2 + q},
                       {24, 8, scratch},
                       {32, 8, rx_completions(q)},
                       {40, 8, rx_ring(q)},
                       {48, 4, 0xffffffff},
                       {52, 2, entries},
                       {54, 2, buffer_size},
                       {56, 2, entries},
                       {58, 1, rsc ? 1u : 0u},
                       {60, 2, header_size}});
  }
  std::uint32_t create_tx(std::uint32_t q) {
    tx_tail_ = 0;
    return command(5, {{8, 4, q},
                       {16, 8, scratch},
                       {24, 8, tx_ring(q)},
                       {32, 4, 0xffffffff},
                       {36, 4, q},
                       {40, 8, tx_completions(q)},
                       {48, 2, entries},
                       {50, 2, entries}});
  }

  /// The whole indirection table points to one queue.
  std::uint32_t steer_all(std::uint32_t q) {
    for (std::uint64_t i = 0; i < Steering::table_size; ++i) host_.memory.set(scratch + 4 * i, 4, q);
    return command(0xa, {{14, 2, Steering::table_size}, {24, 8, scratch}});
  }

  /// Posts `n` buffers: number i at `buffers` + i * 8 KiB, its headers 256 bytes before the next.
  void post(std::uint32_t q, std::uint32_t n) {
    for (; n > 0; --n, ++rx_tail_) {
      const std::uint64_t at = buffer(rx_tail_);
      host_.memory.write(
          rx_ring(q) + rx_tail_ % entries * 32,
          encode_buffer({BufferId{rx_tail_ & 0xffff}, {{}, BusAddress{header(rx_tail_)}}, {{}, BusAddress{at}}}));
    }
    doorbell(rx_doorbells + q, rx_tail_ % entries);
  }
  static std::uint64_t buffer(std::uint32_t n) { return buffers + n % entries * 8192; }
  static std::uint64_t header(std::uint32_t n) { return buffer(n) + 8192 - 256; }

  /// One packet of pieces {address, size}; with `mss` it is cut. Rings the doorbell.
  using Piece = std::array<std::uint64_t, 2>;
  void send(std::uint32_t q, std::initializer_list<Piece> pieces, std::uint16_t mss = 0, std::uint8_t header_length = 0,
            std::uint16_t tag = 1) {
    send(q, std::vector<Piece>(pieces), mss, header_length, tag);
  }
  void send(std::uint32_t q, const std::vector<Piece>& pieces, std::uint16_t mss = 0, std::uint8_t header_length = 0,
            std::uint16_t tag = 1) {
    descriptor(q, {{8, 1, 4}});
    if (mss > 0) descriptor(q, {{4, 2, mss}, {6, 1, header_length}, {8, 1, 0x25}});
    for (const auto& piece : pieces) {
      const bool last = &piece == &pieces.back();
      descriptor(q, {{0, 8, piece[0]}, {8, 1, last ? 0xecu : 0x4cu}, {12, 2, tag}, {14, 2, piece[1]}});
    }
    doorbell(tx_doorbells + q, tx_tail_ % entries);
  }
  void descriptor(std::uint32_t q, std::initializer_list<std::array<std::uint64_t, 3>> fields) {
    Descriptor16 raw{};
    for (const auto& [at, size, value] : fields) store_le(raw, at, size, value);
    host_.memory.write(tx_ring(q) + tx_tail_++ % entries * 16, raw);
  }

  void doorbell(std::uint32_t index, std::uint32_t value) { nic_.registers().doorbell(index * 4, value); }

  Descriptor32 rx_completion(std::uint32_t q, std::uint32_t n) {
    Descriptor32 raw{};
    host_.memory.read(rx_completions(q) + n % entries * 32, raw);
    return raw;
  }
  Descriptor8 tx_completion(std::uint32_t q, std::uint32_t n) {
    Descriptor8 raw{};
    host_.memory.read(tx_completions(q) + n % entries * 8, raw);
    return raw;
  }
  std::span<const std::uint8_t> at(std::uint64_t address, std::size_t size) {
    return std::span{host_.memory.bytes}.subspan(address, size);
  }

  static std::uint64_t rx_ring(std::uint32_t q) { return queues + q * 0x10000; }
  static std::uint64_t rx_completions(std::uint32_t q) { return rx_ring(q) + 0x2000; }
  static std::uint64_t tx_ring(std::uint32_t q) { return rx_ring(q) + 0x4000; }
  static std::uint64_t tx_completions(std::uint32_t q) { return rx_ring(q) + 0x6000; }

 private:
  Nic& nic_;
  TestHost& host_;
  std::uint32_t commands_ = 0, rx_tail_ = 0, tx_tail_ = 0;
};

}  // namespace peerpath::nic::gve
