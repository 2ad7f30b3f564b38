// The machine as a caller in C has it: nanoseconds, a timer, and a guest behind callbacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "peerpath/base/byte_order.hpp"
#include "peerpath/c/machine.h"

namespace peerpath::machine {
namespace {

const std::string two_devices = R"({
  "devices": {
    "rc": {"kind": "root_complex"},
    "dram": {"kind": "host_memory", "at": "rc"},
    "cpu": {"kind": "host_cpu", "at": "rc"},
    "sw": {"kind": "pcie_switch"},
    "nic": {"kind": "nic"},
    "gpu": {"kind": "gpu"}
  },
  "links": [
    {"from": "rc", "to": "sw", "generation": 5, "width": 16},
    {"from": "sw", "to": "nic", "generation": 5, "width": 16},
    {"from": "sw", "to": "gpu", "generation": 3, "width": 1}
  ]
})";

/// A guest whose clock jumps from one timer to the next.
struct TimedGuest {
  static constexpr std::uint64_t registers = 0x8000'0000, vram_at = 0x100'0000'0000;

  TimedGuest() : memory(1 << 20), vram(1 << 16) {
    const auto guest = operations();
    machine = pp_machine_new(PP_ABI, two_devices.c_str(), &guest, this, &problem);
    if (machine == nullptr) {
      ADD_FAILURE() << problem;
      return;
    }
    const pp_nic_config nic{.abi = PP_ABI, .queues = 1, .max_mtu = 9000, .mac = {2, 0, 0, 0, 0, 1}, .coalesce = false};
    const pp_gpu_config gpu{.abi = PP_ABI, .vram_bar = 1, .vram = vram.data(), .vram_size = vram.size()};
    EXPECT_EQ(pp_machine_add_nic(machine, "nic", &nic, 1000, 1000), 0);
    EXPECT_EQ(pp_machine_add_nic(machine, "nic", &nic, 1000, 1000), -1);
    EXPECT_EQ(pp_machine_add_gpu(machine, "gpu", &gpu, 0), 1);
    EXPECT_EQ(pp_machine_add_gpu(machine, "sw", &gpu, 0), -1);
    EXPECT_TRUE(pp_machine_start(machine, &problem)) << problem;
    pp_machine_map(machine, 0, 1, 0, registers, PP_GPU_REGISTERS);
    pp_machine_map(machine, 0, 1, 1, vram_at, vram.size());
  }
  ~TimedGuest() {
    pp_machine_free(machine);
    std::free(problem);
  }
  TimedGuest(const TimedGuest&) = delete;
  TimedGuest& operator=(const TimedGuest&) = delete;

  static TimedGuest& of(void* guest) { return *static_cast<TimedGuest*>(guest); }
  static pp_machine_guest operations() {
    return {.reachable = [](void* g, uint32_t, uint64_t address, uint64_t size,
                            bool) { return address + size <= of(g).memory.size(); },
            .read =
                [](void* g, uint32_t, uint64_t address, void* into, size_t size) {
                  std::copy_n(of(g).memory.data() + address, size, static_cast<std::uint8_t*>(into));
                  return true;
                },
            .write =
                [](void* g, uint32_t, uint64_t address, const void* from, size_t size) {
                  std::copy_n(static_cast<const std::uint8_t*>(from), size, of(g).memory.data() + address);
                  of(g).seen.emplace_back(of(g).now, address, size);
                  return true;
                },
            .message = [](void*, uint32_t, uint32_t, uint64_t*, uint32_t*) { return false; },
            .interrupt = [](void*, uint32_t, uint64_t, uint32_t) {},
            .transmit = [](void*, uint32_t, const uint8_t*, size_t) {},
            .set_timer = [](void* g, int64_t when) { of(g).timer = when; }};
  }

  void store(std::uint64_t address, std::size_t size, std::uint64_t value) {
    std::array<std::uint8_t, 8> bytes{};
    store_le(bytes, 0, size, value);
    EXPECT_TRUE(pp_machine_write(machine, now, address, bytes.data(), size));
  }
  std::uint64_t load(std::uint64_t address, std::size_t size) {
    std::array<std::uint8_t, 8> bytes{};
    now = pp_machine_read(machine, now, address, bytes.data(), size);
    return load_le(bytes, 0, size);
  }
  void idle() {
    while (timer != PP_NEVER) {
      ASSERT_GT(timer, now);
      now = timer;
      pp_machine_advance(machine, now);
    }
  }
  void copy_to_memory(std::uint32_t length) {
    store_le(memory, 0x100, 8, 0), store_le(memory, 0x108, 8, 0x4000);
    store_le(memory, 0x110, 4, length), store_le(memory, 0x114, 4, 2);
    store(registers + 0x100, 8, 0x100);
    store(registers + 0x108, 4, 1);
    store(registers + 0x1000, 4, 1);
  }

  std::vector<std::uint8_t> memory, vram;
  std::vector<std::tuple<std::int64_t, std::uint64_t, std::size_t>> seen;  ///< writes, with the guest's time
  std::int64_t now = 0, timer = PP_NEVER;
  char* problem = nullptr;
  pp_machine* machine = nullptr;
};

TEST(MachineInC, ATimerBringsTheGuestBackInTimeForEachTlp) {
  TimedGuest guest;
  for (std::size_t i = 0; i < guest.vram.size(); ++i) guest.vram[i] = static_cast<std::uint8_t>(i * 13 + i / 256);
  guest.now = 5000;
  guest.copy_to_memory(4096);
  EXPECT_TRUE(guest.seen.empty());
  guest.idle();
  ASSERT_EQ(guest.seen.size(), 16u);
  EXPECT_TRUE(std::equal(guest.vram.begin(), guest.vram.begin() + 4096, guest.memory.begin() + 0x4000));
  // A link of Gen3 x1 takes 256 bytes and their header in 275 ns, at 0.985 GB/s; the guest sees each within one more.
  for (std::size_t i = 1; i < guest.seen.size(); ++i) {
    const auto gap = std::get<0>(guest.seen[i]) - std::get<0>(guest.seen[i - 1]);
    EXPECT_GE(gap, 250) << i;
    EXPECT_LE(gap, 300) << i;
  }
  pp_gpu_counters counters{};
  pp_machine_count_gpu(guest.machine, 1, &counters);
  EXPECT_EQ(counters.copies, 1u);
  EXPECT_EQ(pp_machine_faults(guest.machine), 0u);
}

TEST(MachineInC, AReadSaysWhenItEnds) {
  TimedGuest guest;
  guest.now = 1000;
  EXPECT_EQ(guest.load(TimedGuest::registers, 4), 0x5547'5050u);
  EXPECT_GT(guest.now, 1000 + 2 * 150);
  EXPECT_LT(guest.now, 3000);
  const auto before = guest.now;
  EXPECT_EQ(guest.load(0x1234, 4), 0xffff'ffffu);
  EXPECT_EQ(guest.now, before);
}

TEST(MachineInC, AGuestThatLooksOftenerSeesTheSame) {
  const auto run = [](std::int64_t step) {
    TimedGuest guest;
    guest.now = 100;
    guest.copy_to_memory(8192);
    while (step > 0 && guest.now < 3000)
      pp_machine_advance(guest.machine, guest.now += std::min(step, guest.timer - guest.now));
    guest.idle();
    return guest.seen;
  };
  const auto seen = run(0);
  EXPECT_EQ(seen.size(), 32u);
  EXPECT_EQ(run(1), seen);
  EXPECT_EQ(run(37), seen);
}

TEST(MachineInC, WhatIsWrongIsSaid) {
  const auto operations = TimedGuest::operations();
  const auto problem_of = [&](std::uint32_t abi, const std::string& scenario) {
    char* problem = nullptr;
    auto* machine = pp_machine_new(abi, scenario.c_str(), &operations, nullptr, &problem);
    EXPECT_EQ(machine, nullptr);
    pp_machine_free(machine);
    const std::string text = problem == nullptr ? "" : problem;
    std::free(problem);
    return text;
  };
  EXPECT_THAT(problem_of(PP_ABI - 1, two_devices), testing::HasSubstr("abi"));
  EXPECT_THAT(problem_of(PP_ABI, "{"), testing::Not(""));
  EXPECT_THAT(problem_of(PP_ABI, R"({"extends": "/etc/passwd"})"), testing::HasSubstr("there is no file"));
  auto with_iommu = two_devices;
  with_iommu.insert(with_iommu.find("\"root_complex\"") + 14, R"(, "iommu": {})");
  char* problem = nullptr;
  auto* machine = pp_machine_new(PP_ABI, with_iommu.c_str(), &operations, nullptr, &problem);
  ASSERT_NE(machine, nullptr) << problem;
  EXPECT_FALSE(pp_machine_start(machine, &problem));
  EXPECT_THAT(problem, testing::HasSubstr("IOMMU"));
  std::free(problem);
  pp_machine_advance(machine, 1000);  // no event is due
  pp_machine_free(machine);
}

TEST(MachineInC, ADeviceThatIsResetForgetsItsWork) {
  TimedGuest guest;
  guest.now = 100;
  guest.copy_to_memory(8192);
  guest.now += 1500;
  pp_machine_advance(guest.machine, guest.now);
  pp_machine_reset_device(guest.machine, guest.now, 1);
  guest.idle();
  EXPECT_LE(guest.seen.size(), 32u);
  EXPECT_EQ(guest.load(TimedGuest::registers + 0x18, 8), 0u);
  guest.copy_to_memory(256);
  guest.idle();
  EXPECT_EQ(guest.load(TimedGuest::registers + 0x18, 8), 1u);
}

}  // namespace
}  // namespace peerpath::machine
