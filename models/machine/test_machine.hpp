// A guest of an array of memory, with drivers that poll, and the machine around it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "devices/nic/test_driver.hpp"
#include "machine/machine.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::machine {

using namespace literals;
using namespace std::chrono_literals;

/// Host memory, root complex, one switch, and below it a GPU and two NICs that a cable joins.
inline scenario::Scenario two_nics_and_a_gpu() {
  scenario::Scenario s;
  device::HostMemoryConfig dram;
  dram.at = "rc";
  device::NicConfig nic;
  nic.pipeline_latency = 300ns;
  s.devices = {{"rc", device::RootComplexConfig{}}, {"dram", dram}, {"sw", device::SwitchConfig{}},
               {"gpu", device::GpuConfig{}},        {"nic0", nic},  {"nic1", nic}};
  for (const auto& [from, to] : {std::pair{"rc", "sw"}, {"sw", "gpu"}, {"sw", "nic0"}, {"sw", "nic1"}}) {
    scenario::Link link;
    link.from = from;
    link.to = to;
    s.links.push_back(link);
  }
  scenario::Cable cable;
  cable.from = "nic0";
  cable.to = "nic1";
  s.cables = {cable};
  scenario::complete(s);
  return s;
}

/// Records everything that reaches the guest, with the machine's time.
class ArrayGuest final : public Guest {
 public:
  static constexpr std::uint64_t messages = 0xfee0'0000;

  bool reachable(DeviceNumber, std::uint64_t address, std::uint64_t size, bool) override {
    return address + size <= memory.bytes.size();
  }
  bool read(DeviceNumber, std::uint64_t address, std::span<std::uint8_t> into) override {
    return memory.read(address, into);
  }
  bool write(DeviceNumber, std::uint64_t address, std::span<const std::uint8_t> from) override {
    writes.emplace_back(address, from.size());
    return memory.write(address, from);
  }
  std::optional<Message> message(DeviceNumber device, std::uint32_t vector) override {
    return Message{messages, device.value() * 100u + vector};
  }
  void interrupt(DeviceNumber, const Message& m) override { interrupts.push_back(m.data); }
  void transmit(DeviceNumber, std::span<const std::uint8_t>) override { ++frames; }

  nic::gve::ArrayMemory memory{0x400000};
  std::vector<std::pair<std::uint64_t, std::size_t>> writes;
  std::vector<std::uint32_t> interrupts;
  int frames = 0;
};

struct Built {
  static constexpr std::uint64_t gpu_registers = 0x8000'0000, nic_registers = 0x8100'0000, nic_doorbells = 0x8200'0000,
                                 nic_step = 0x0800'0000, vram_base = 0x100'0000'0000, vram_size = 1 << 20;

  explicit Built(const scenario::Scenario& scenario = two_nics_and_a_gpu(), fabric::DeliverySink* sink = nullptr)
      : vram(vram_size), machine{scenario, guest} {
    gpu = machine.add_gpu("gpu", {.vram = vram});
    NicOptions options;
    options.offer.coalesce = false;
    for (const char* name : {"nic0", "nic1"}) nics.push_back(machine.add_nic(name, options));
    machine.observe(sink);
    EXPECT_TRUE(machine.start().empty());
    machine.map(gpu->number(), 0, gpu_registers, gpu::page::size);
    machine.map(gpu->number(), 1, vram_base, vram_size);
    for (std::size_t i = 0; i < nics.size(); ++i) {
      machine.map(nics[i]->number(), 0, nic_registers + i * nic_step, 4096);
      machine.map(nics[i]->number(), 2, nic_doorbells + i * nic_step, 4096);
    }
  }

  void write_le(std::uint64_t address, std::size_t size, std::uint64_t value) {
    std::vector<std::uint8_t> bytes(size);
    store_le(bytes, 0, size, value);
    EXPECT_TRUE(machine.write(address, bytes));
  }
  void write_be(std::uint64_t address, std::size_t size, std::uint64_t value) {
    std::vector<std::uint8_t> bytes(size);
    store_be(bytes, 0, size, value);
    EXPECT_TRUE(machine.write(address, bytes));
  }
  std::uint64_t read_le(std::uint64_t address, std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    EXPECT_TRUE(machine.read(address, bytes));
    return load_le(bytes, 0, size);
  }
  /// Everything that follows, without a limit in time.
  void settle() {
    for (Instant next; (next = machine.next()) != never;) machine.run_to(std::max(next, machine.now()) + Duration{1});
    machine.run_to(machine.now() + 1us);  // posted writes have arrived
  }

  // ---- GPU: one copy by engine 0, whose ring is at 0x8000.
  void copy(std::uint32_t number, std::uint64_t from, std::uint64_t to, std::uint32_t length, std::uint32_t flags) {
    nic::gve::Descriptor32 d{};
    store_le(d, 0, 8, from), store_le(d, 8, 8, to), store_le(d, 16, 4, length);
    store_le(d, 20, 4, flags | gpu::CopyDescriptor::completion), store_le(d, 24, 8, copy_completion);
    guest.memory.write(copy_ring + number % 16 * 32, d);
    if (number == 0) write_le(gpu_registers + 0x100, 8, copy_ring), write_le(gpu_registers + 0x108, 4, 16);
    write_le(gpu_registers + 0x1000, 4, number + 1);
  }
  static constexpr std::uint64_t copy_ring = 0x8000, copy_completion = 0x9000;

  // ---- NICs. Each has a megabyte of memory for its rings.
  static std::uint64_t base(std::size_t nic) { return 0x100000 * (1 + nic); }
  void command(std::size_t nic, std::uint32_t number, std::uint32_t opcode,
               const std::vector<std::array<std::uint64_t, 3>>& fields) {
    const auto slot = base(nic) + number * nic::gve::command_size;
    guest.memory.set(slot, 4, opcode);
    for (const auto& [at, size, value] : fields) guest.memory.set(slot + at, size, value);
  }
  std::uint64_t register_at(std::size_t nic, std::uint64_t offset) { return nic_registers + nic * nic_step + offset; }
  static std::uint64_t rx_ring(std::size_t nic) { return base(nic) + 0x10000; }
  static std::uint64_t rx_completions(std::size_t nic) { return base(nic) + 0x20000; }
  static std::uint64_t tx_ring(std::size_t nic) { return base(nic) + 0x30000; }
  static std::uint64_t tx_completions(std::size_t nic) { return base(nic) + 0x40000; }
  static std::uint64_t header(std::size_t nic, std::uint32_t n) { return base(nic) + 0x50000 + n * 256; }
  static std::uint64_t frame_at(std::size_t nic) { return base(nic) + 0x60000; }

  void bring_up(std::size_t nic) {
    const auto scratch = base(nic) + 0x2000;
    for (std::uint64_t i = 0; i < nic::Steering::table_size; ++i) guest.memory.set(scratch + 4 * i, 4, 0);
    command(nic, 0, 0xa, {{14, 2, nic::Steering::table_size}, {24, 8, scratch}});
    command(nic, 1, 6,
            {{20, 4, 2},
             {24, 8, scratch},
             {32, 8, rx_completions(nic)},
             {40, 8, rx_ring(nic)},
             {48, 4, 0xffffffff},
             {52, 2, 64},
             {54, 2, 4096},
             {56, 2, 64},
             {60, 2, 128}});
    command(nic, 2, 5,
            {{16, 8, scratch + 8},
             {24, 8, tx_ring(nic)},
             {32, 4, 0xffffffff},
             {40, 8, tx_completions(nic)},
             {48, 2, 64},
             {50, 2, 64}});
    write_be(register_at(nic, 0x28), 2, 4096);
    write_be(register_at(nic, 0x20), 4, 0);
    write_be(register_at(nic, 0x24), 4, base(nic));
    write_be(register_at(nic, 0x04), 4, 1);
    write_be(register_at(nic, 0x14), 4, 3);
    settle();
    for (std::uint64_t n = 0; n < 3; ++n)
      EXPECT_EQ(guest.memory.be(base(nic) + n * nic::gve::command_size + 4, 4), 1u) << n;
  }
  void doorbell(std::size_t nic, std::uint32_t index, std::uint32_t value) {
    write_le(nic_doorbells + nic * nic_step + index * 4, 4, value);
  }
  /// Posts `n` buffers of 4 KiB from `at` on.
  void post(std::size_t nic, std::uint32_t n, std::uint64_t at) {
    for (std::uint32_t i = 0; i < n; ++i)
      guest.memory.write(rx_ring(nic) + i * 32,
                         nic::gve::encode_buffer(
                             {nic::BufferId{i}, {{}, BusAddress{header(nic, i)}}, {{}, BusAddress{at + i * 4096}}}));
    doorbell(nic, nic::gve::rx_doorbells, n);
  }
  /// Sends one frame with that much payload, from host memory. `number` counts from 0.
  std::vector<std::uint8_t> send(std::size_t nic, std::uint32_t number, std::size_t payload) {
    net::FrameSpec spec;
    spec.key = net::generated_flow(1);
    spec.payload = Bytes{static_cast<std::int64_t>(payload)};
    const auto headers = net::build(spec);
    std::vector<std::uint8_t> frame(headers.bytes().begin(), headers.bytes().end());
    for (std::size_t i = 0; i < payload; ++i) frame.push_back(static_cast<std::uint8_t>(i * 31 + i / 251 + number));
    const auto at = frame_at(nic) + number * 0x2000;
    guest.memory.write(at, frame);
    nic::gve::Descriptor16 piece{};
    store_le(piece, 0, 8, at);
    piece[8] = 0xec;
    store_le(piece, 12, 2, number);
    store_le(piece, 14, 2, frame.size());
    guest.memory.write(tx_ring(nic) + number % 64 * 16, piece);
    doorbell(nic, nic::gve::tx_doorbells, number + 1);
    return frame;
  }

  ArrayGuest guest;
  std::vector<std::uint8_t> vram;
  Machine machine;
  GpuPlug* gpu = nullptr;
  std::vector<NicPlug*> nics;
};

}  // namespace peerpath::machine
