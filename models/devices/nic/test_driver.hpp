// A driver for the emulated NIC, with the machine around it: memory, interrupts, a wire. For tests and fuzzers.
#pragma once

#include <optional>
#include <set>

#include "devices/nic/gve_nic.hpp"
#include "devices/nic/test_guest.hpp"
#include "peerpath/base/random.hpp"

namespace peerpath::nic::gve {

/// Memory of an array behind a fabric without delay, or with random ones; frames and interrupts are remembered. Counts
/// the bytes of each purpose. A transaction without delay happens at once, and its delivery waits for `step`.
class TestHost final : public Host {
 public:
  explicit TestHost(std::size_t size) : memory(size) {}
  TestHost(std::size_t size, std::uint64_t seed) : memory(size), delays_{Random{seed, "delays"}} {}
  void attach(Nic& nic) { nic_ = &nic; }

  void submit(fabric::ChannelIndex channel, const fabric::Transaction& t, const device::Content& content) override {
    const bool write = t.op == pcie::Operation::memory_write;
    if (content.counted)
      (write ? bytes_written : bytes_read)[static_cast<std::size_t>(t.purpose)] +=
          static_cast<std::size_t>(t.bytes.count());
    Item item{.t = t, .bytes = {content.bytes.begin(), content.bytes.end()}, .due = now_};
    if (delays_) {  // posted requests keep their order, and nothing passes them
      item.due = std::max(now_ + delay(), written_);
      if (write) written_ = item.due;
    } else if (write) {
      item.success = memory.write(t.address, item.bytes);
    }
    if (write && t.tell_sent) {
      fabric::Delivery sent = delivery(item, fabric::DeliveryKind::sent);
      if (t.notify_sent)
        push({.t = t, .due = item.due, .sent = true});
      else
        nic_->on_computed(sent);
    }
    push(std::move(item));
    channels.insert(channel);
  }
  void wake_at(Instant when) override { wake_ = when; }
  void flush_soon() override { wants_flush = true; }
  void interrupt(std::uint32_t vector) override { interrupts.push_back(vector); }
  void transmit(std::span<const std::uint8_t> frame, Instant) override {
    frames.emplace_back(frame.begin(), frame.end());
    if (loop != nullptr) loop->receive(frame);
  }

  bool idle() const { return items_.empty() && wake_ == never; }
  /// The next delivery, or with none before it the next timer; false if there is nothing.
  bool step() {
    if (idle()) return false;
    if (items_.empty() || wake_ < items_.begin()->first.first) {
      now_ = std::max(now_, wake_);
      wake_ = never;
      nic_->on_wake(now_);
      return true;
    }
    auto item = std::move(items_.extract(items_.begin()).mapped());
    now_ = std::max(now_, item.due);
    perform(item);
    return true;
  }
  void run(std::int64_t steps = 1'000'000) {
    while (steps-- > 0 && step()) {}
  }
  /// A moment later: the datapath's clock orders what comes from outside.
  void tick() { nic_->set_time(now_ += std::chrono::nanoseconds{1}); }

  ArrayMemory memory;
  std::vector<std::uint32_t> interrupts;
  std::vector<std::vector<std::uint8_t>> frames;
  std::array<std::size_t, pcie::purposes> bytes_read{}, bytes_written{};
  std::set<fabric::ChannelIndex> channels;
  bool wants_flush = false;
  Nic* loop = nullptr;  ///< whoever hears what is sent, in the middle of sending

 private:
  struct Item {
    fabric::Transaction t{};
    std::vector<std::uint8_t> bytes{};
    Instant due{};
    bool success = true, sent = false;
  };
  Duration delay() { return std::chrono::nanoseconds{static_cast<std::int64_t>(delays_->below(2000))}; }
  void push(Item item) {
    const auto due = item.due;
    items_.emplace(std::pair{due, number_++}, std::move(item));
  }
  static fabric::Delivery delivery(const Item& item, fabric::DeliveryKind kind) {
    fabric::Delivery d;
    d.kind = kind;
    d.op = item.t.op;
    d.purpose = item.t.purpose;
    d.status = item.success ? pcie::Status::success : pcie::Status::unsupported_request;
    d.cookie = item.t.cookie;
    d.address = item.t.address;
    d.bytes = item.t.bytes;
    d.done = item.due;
    return d;
  }
  void perform(Item& item) {
    if (item.sent) return nic_->on_delivery(delivery(item, fabric::DeliveryKind::sent));
    if (item.t.op == pcie::Operation::memory_read) {
      item.bytes.resize(static_cast<std::size_t>(item.t.bytes.count()));
      item.success = memory.read(item.t.address, item.bytes);
      return nic_->on_delivery(delivery(item, fabric::DeliveryKind::completed), item.bytes);
    }
    if (delays_) item.success = memory.write(item.t.address, item.bytes);
    const auto d = delivery(item, fabric::DeliveryKind::arrived);
    item.t.notify_requester ? nic_->on_delivery(d) : nic_->on_computed(d);
  }

  Nic* nic_ = nullptr;
  std::optional<Random> delays_;
  std::map<std::pair<Instant, std::uint64_t>, Item> items_;  ///< in order of time, then of submission
  std::uint64_t number_ = 0;
  Instant now_{}, written_{}, wake_ = never;
};

/// Probes as gve does and works rings of 64 entries. Memory map: admin queue, scratch, then 64 KiB for each queue.
class TestDriver {
 public:
  static constexpr std::uint64_t admin = 0x1000, scratch = 0x2000, queues = 0x10000, buffers = 0x100000;
  static constexpr std::uint32_t entries = 64;

  TestDriver(Nic& nic, TestHost& host) : nic_{&nic}, host_{&host} {
    host.attach(nic);
    nic_->registers().write(0x28, 2, 4096);
    nic_->registers().write(0x20, 4, 0);
    nic_->registers().write(0x24, 4, static_cast<std::uint32_t>(admin));
    nic_->registers().write(0x04, 4, 1);
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
    host_->memory.write(slot, c);
    host_->tick();
    nic_->registers().write(0x14, 4, ++commands_);
    host_->run();
    return static_cast<std::uint32_t>(host_->memory.be(slot + 4, 4));
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
    for (std::uint64_t i = 0; i < Steering::table_size; ++i) host_->memory.set(scratch + 4 * i, 4, q);
    return command(0xa, {{14, 2, Steering::table_size}, {24, 8, scratch}});
  }

  /// Posts `n` buffers: number i at `buffers` + i * 8 KiB, its headers 256 bytes before the next.
  void post(std::uint32_t q, std::uint32_t n) {
    for (; n > 0; --n, ++rx_tail_) {
      const std::uint64_t at = buffer(rx_tail_);
      host_->memory.write(
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
    host_->memory.write(tx_ring(q) + tx_tail_++ % entries * 16, raw);
  }

  void doorbell(std::uint32_t index, std::uint32_t value) {
    host_->tick();
    nic_->registers().doorbell(index * 4, value);
  }
  /// A frame comes in, and what follows is done.
  void receive(std::span<const std::uint8_t> frame) {
    host_->tick();
    nic_->receive(frame);
    host_->run();
  }

  Descriptor32 rx_completion(std::uint32_t q, std::uint32_t n) {
    Descriptor32 raw{};
    host_->memory.read(rx_completions(q) + n % entries * 32, raw);
    return raw;
  }
  Descriptor8 tx_completion(std::uint32_t q, std::uint32_t n) {
    Descriptor8 raw{};
    host_->memory.read(tx_completions(q) + n % entries * 8, raw);
    return raw;
  }
  std::span<const std::uint8_t> at(std::uint64_t address, std::size_t size) {
    return std::span{host_->memory.bytes}.subspan(address, size);
  }

  static std::uint64_t rx_ring(std::uint32_t q) { return queues + q * 0x10000; }
  static std::uint64_t rx_completions(std::uint32_t q) { return rx_ring(q) + 0x2000; }
  static std::uint64_t tx_ring(std::uint32_t q) { return rx_ring(q) + 0x4000; }
  static std::uint64_t tx_completions(std::uint32_t q) { return rx_ring(q) + 0x6000; }

 private:
  Nic* nic_;
  TestHost* host_;
  std::uint32_t commands_ = 0, rx_tail_ = 0, tx_tail_ = 0;
};

}  // namespace peerpath::nic::gve
