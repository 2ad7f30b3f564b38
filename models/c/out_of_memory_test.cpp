// An emulator's devices when the host has no memory left: no call ends the process, and what comes after works.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

#include "c/guard.hpp"
#include "devices/nic/gve_descriptors.hpp"
#include "devices/nic/test_guest.hpp"
#include "peerpath/base/byte_order.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/c/gpu.h"
#include "peerpath/c/nic.h"

namespace {

constexpr long unlimited = std::numeric_limits<long>::max();
long until_none = unlimited;  ///< allocations until the first that fails
long fails = 0;               ///< how many fail from there on

}  // namespace

// Not inlined: g++ would take the pair for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (until_none != unlimited && until_none-- <= 0 && fails-- > 0) throw std::bad_alloc{};
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace peerpath {
namespace {

/// From the `first` allocation on, `count` fail. Tells in the end whether any did.
class Shortage {
 public:
  Shortage(long first, long count) : count_{count} {
    fails = count;
    until_none = first;
  }
  ~Shortage() { until_none = unlimited; }
  bool came() const { return fails < count_; }

 private:
  long count_;
};

namespace gve = nic::gve;

/// Memory behind a fabric without delay, as an emulator has it. It takes no memory of its own.
class FabricWithoutDelay {
 public:
  using Find = FabricWithoutDelay& (*)(void* machine);
  template <Find find>
  static pp_bus bus() {
    return {.read =
                [](void* m, uint64_t cookie, uint64_t address, size_t size, pp_purpose) {
                  find(m).push({cookie, address, size, false, true});
                },
            .write =
                [](void* m, uint64_t cookie, uint64_t address, const void* from, size_t size, size_t, pp_purpose) {
                  const bool done = find(m).memory.write(address, {static_cast<const std::uint8_t*>(from), size});
                  find(m).push({cookie, address, size, true, done});
                }};
  }
  /// Tells of the oldest transaction; false if there is none.
  template <class Deliver>
  bool step(Deliver&& deliver) {
    if (first_ == last_) return false;
    auto& access = waiting_[first_++ % most];
    if (!access.write) access.done = memory.read(access.address, std::span{data_}.first(access.size));
    deliver(access.cookie, access.done, data_.data(), access.write || !access.done ? 0 : access.size);
    return true;
  }

  gve::ArrayMemory memory{0x80000};

 private:
  static constexpr std::size_t most = 4096;
  struct Access {
    uint64_t cookie, address;
    size_t size;
    bool write, done;
  };
  void push(const Access& access) {
    if (last_ - first_ == most) std::abort();
    waiting_[last_++ % most] = access;
  }

  std::vector<Access> waiting_ = std::vector<Access>(most);
  std::vector<std::uint8_t> data_ = std::vector<std::uint8_t>(1 << 16);
  std::size_t first_ = 0, last_ = 0;
};

/// A machine whose NIC hears what it sends, and a driver for it.
class NicMachine {
 public:
  NicMachine() {
    const pp_nic_config config{
        .abi = PP_ABI, .queues = 1, .max_mtu = 9000, .mac = {2, 0, 0, 0, 0, 1}, .coalesce = true};
    pp_nic_host host{};
    host.bus = FabricWithoutDelay::bus<find>();
    host.interrupt = [](void*, uint32_t) {};
    host.transmit = [](void* m, const uint8_t* frame, size_t size) { pp_nic_receive(self(m).nic_.get(), frame, size); };
    host.wake = [](void* m) { self(m).woken_ = true; };
    host.flush_soon = [](void*) {};
    nic_.reset(pp_nic_new(&config, &host, this));
  }

  /// As a driver does from its probing on: a packet to be cut is sent, comes back in pieces and is put together again.
  void work() {
    commands_ = 0;
    pp_nic_write(nic_.get(), 0x04, 4, 2);
    pp_nic_write(nic_.get(), 0x28, 2, 4096);
    pp_nic_write(nic_.get(), 0x24, 4, admin);
    pp_nic_write(nic_.get(), 0x04, 4, 1);
    for (std::uint64_t i = 0; i < 128; ++i) memory_.set(scratch + 4 * i, 4, 0);
    command(0xa, {{14, 2, 128}, {24, 8, scratch}});
    memory_.set(scratch, 4, 0x00010000);
    command(6, {{24, 8, scratch},
                {32, 8, rx_done},
                {40, 8, rx_ring},
                {48, 4, 0xffffffff},
                {52, 2, 64},
                {54, 2, 4096},
                {56, 2, 64},
                {58, 1, 1},
                {60, 2, 128}});
    command(5, {{16, 8, scratch}, {24, 8, tx_ring}, {32, 4, 0xffffffff}, {40, 8, tx_done}, {48, 2, 64}, {50, 2, 64}});
    const auto header = packet();
    std::uint32_t tail = 0;
    descriptor(tail++, {{8, 1, 4}});
    descriptor(tail++, {{4, 2, 1448}, {6, 1, header}, {8, 1, 0x25}});
    descriptor(tail++, {{0, 8, data}, {8, 1, 0xec}, {12, 2, 1}, {14, 2, header + payload}});
    pp_nic_doorbell(nic_.get(), 4 * gve::tx_doorbells, tail);
    bottom_halves();  // it comes back before there are buffers
    for (std::uint32_t i = 0; i < 40; ++i)
      memory_.write(rx_ring + i * 32, gve::encode_buffer({nic::BufferId{i},
                                                          {{}, BusAddress{buffers + i * 8192 + 4096}},
                                                          {{}, BusAddress{buffers + i * 8192}}}));
    pp_nic_doorbell(nic_.get(), 4 * gve::rx_doorbells, 40);
    bottom_halves();
    while (pp_nic_flush(nic_.get())) {}
    bottom_halves();
  }

  /// Makes all deliveries. False if the device keeps asking for more.
  bool bottom_halves() {
    for (int i = 0; i < 10'000; ++i) {
      const bool delivered = fabric_.step([this](uint64_t cookie, bool done, const void* data, size_t size) {
        pp_nic_delivered(nic_.get(), cookie, done, data, size);
      });
      if (delivered) continue;
      if (!std::exchange(woken_, false)) return true;
      pp_nic_wake(nic_.get());
    }
    return false;
  }

  pp_nic_counters counters() const {
    pp_nic_counters c{};
    pp_nic_count(nic_.get(), &c);
    return c;
  }
  bool asks_for_reset() const { return (pp_nic_read(nic_.get(), 0, 4) & 2) != 0; }
  bool received() const {
    std::size_t at = 0;
    for (std::size_t i = 0; at < payload; at += 4096, ++i)
      for (std::size_t b = 0; b < std::min<std::size_t>(4096, payload - at); ++b)
        if (memory_.bytes[buffers + i * 8192 + b] != value(at + b)) return false;
    return true;
  }
  void forget() { std::fill(memory_.bytes.begin() + buffers, memory_.bytes.begin() + data, std::uint8_t{0}); }

 private:
  static constexpr std::uint32_t admin = 0x1000, scratch = 0x2000, rx_ring = 0x4000, rx_done = 0x6000, tx_ring = 0x8000,
                                 tx_done = 0xa000, buffers = 0x10000, data = 0x70000;
  static constexpr std::size_t payload = 14'000;
  static NicMachine& self(void* m) { return *static_cast<NicMachine*>(m); }
  static FabricWithoutDelay& find(void* m) { return self(m).fabric_; }
  static std::uint8_t value(std::size_t i) { return static_cast<std::uint8_t>(i * 31 + i / 251); }

  /// Puts a TCP packet into memory; returns the size of its headers.
  std::uint8_t packet() {
    net::FrameSpec spec;
    spec.key = net::generated_flow(1);
    spec.tcp_flags = 0x18;
    spec.payload = Bytes{payload};
    const auto header = net::build(spec);
    memory_.write(data, header.bytes());
    for (std::size_t i = 0; i < payload; ++i) memory_.bytes[data + header.size + i] = value(i);
    return static_cast<std::uint8_t>(header.size);
  }
  using Field = std::array<std::uint64_t, 3>;
  void command(std::uint32_t opcode, std::initializer_list<Field> fields) {
    gve::Command c{};
    store_be(c, 0, 4, opcode);
    for (const auto& [at, size, value] : fields) store_be(c, at, size, value);
    memory_.write(admin + commands_ % 64 * gve::command_size, c);
    pp_nic_write(nic_.get(), 0x14, 4, ++commands_);
    bottom_halves();
  }
  void descriptor(std::uint32_t slot, std::initializer_list<Field> fields) {
    gve::Descriptor16 raw{};
    for (const auto& [at, size, value] : fields) store_le(raw, at, size, value);
    memory_.write(tx_ring + slot * raw.size(), raw);
  }

  struct Free {
    void operator()(pp_nic* nic) const { pp_nic_free(nic); }
  };
  FabricWithoutDelay fabric_;
  gve::ArrayMemory& memory_ = fabric_.memory;
  std::unique_ptr<pp_nic, Free> nic_;
  bool woken_ = false;
  std::uint32_t commands_ = 0;
};

class NicWithoutMemory : public testing::TestWithParam<long> {};

TEST_P(NicWithoutMemory, AsksForAResetAndWorksAfterIt) {
  bool came = true;
  long first = 0;
  for (; came; ++first) {
    NicMachine machine;
    {
      const Shortage shortage{first, GetParam()};
      machine.work();
      came = shortage.came();
    }
    ASSERT_TRUE(machine.bottom_halves()) << "allocation " << first;
    ASSERT_EQ(machine.counters().faults > 0, came) << "allocation " << first;
    ASSERT_TRUE(!came || machine.asks_for_reset() || machine.received()) << "allocation " << first;
    machine.forget();
    machine.work();
    ASSERT_TRUE(machine.received()) << "allocation " << first;
    ASSERT_FALSE(machine.asks_for_reset());
  }
  EXPECT_GT(first, 50) << "the work takes memory";
}

INSTANTIATE_TEST_SUITE_P(Failing, NicWithoutMemory, testing::Values(1, 3, 40));

class GpuMachine {
 public:
  GpuMachine() {
    const pp_gpu_config config{.abi = PP_ABI, .vram_bar = 1, .vram = vram.data(), .vram_size = vram.size()};
    pp_gpu_host host{};
    host.bus = FabricWithoutDelay::bus<find>();
    gpu.reset(pp_gpu_new(&config, &host, this));
  }

  struct Free {
    void operator()(pp_gpu* gpu) const { pp_gpu_free(gpu); }
  };
  std::vector<std::uint8_t> vram = std::vector<std::uint8_t>(1 << 16);
  FabricWithoutDelay fabric;
  gve::ArrayMemory& memory = fabric.memory;
  std::unique_ptr<pp_gpu, Free> gpu;

 private:
  static FabricWithoutDelay& find(void* m) { return static_cast<GpuMachine*>(m)->fabric; }
};

TEST(GpuWithoutMemory, CopiesAllTheSame) {
  GpuMachine machine;
  store_le(machine.memory.bytes, 0, 8, 0x10000);
  store_le(machine.memory.bytes, 8, 8, 0x40000);
  store_le(machine.memory.bytes, 16, 4, 0x20000);
  store_le(machine.memory.bytes, 20, 4, 3);
  machine.memory.bytes[0x2ffff] = 77;
  {
    const Shortage shortage{0, unlimited};
    pp_gpu_write(machine.gpu.get(), 0x100, 8, 0);
    pp_gpu_write(machine.gpu.get(), 0x108, 4, 16);
    pp_gpu_write(machine.gpu.get(), 0x1000, 4, 1);
    int deliveries = 0;
    while (machine.fabric.step([&](uint64_t cookie, bool done, const void* data, size_t size) {
      pp_gpu_delivered(machine.gpu.get(), cookie, done, data, size);
    }))
      ASSERT_LT(++deliveries, 100) << "it does not go on for ever";
  }
  EXPECT_EQ(machine.memory.bytes[0x5ffff], 77);
}

TEST(GpuWithoutMemory, SaysSoToAVirtioCommand) {
  GpuMachine machine;
  std::array<std::uint8_t, 56> create{};
  store_le(create, 0, 4, 0x10c);
  store_le(create, 24, 4, 5);
  store_le(create, 28, 4, 2);
  store_le(create, 48, 8, 4096);
  std::array<std::uint8_t, PP_GPU_REPLY> reply{};
  std::size_t size = 0;
  {
    const Shortage shortage{0, 1};
    size = pp_gpu_command(machine.gpu.get(), create.data(), create.size(), reply.data());
  }
  EXPECT_EQ(size, 24u);
  EXPECT_EQ(load_le(reply, 0, 4), 0x1201u);
  pp_gpu_command(machine.gpu.get(), create.data(), create.size(), reply.data());
  EXPECT_EQ(load_le(reply, 0, 4), 0x1100u);
}

TEST(Guard, CountsABugAndGoesOn) {
  std::uint64_t faults = 0;
  EXPECT_FALSE(c::guarded(faults, [] { fail("a packet is consumed twice"); }));
  EXPECT_EQ(faults, 1u);
}

}  // namespace
}  // namespace peerpath
