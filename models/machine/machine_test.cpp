#include "machine/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "fabric/reference/event_reference.hpp"
#include "machine/test_machine.hpp"

namespace peerpath::machine {
namespace {

constexpr auto to_bus = gpu::CopyDescriptor::destination_on_bus, from_bus = gpu::CopyDescriptor::source_on_bus;

void fill(std::span<std::uint8_t> bytes, int salt) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256 + salt);
}

TEST(Machine, RefusesWhatItCannotDo) {
  ArrayGuest guest;
  auto scenario = two_nics_and_a_gpu();
  std::get<device::RootComplexConfig>(scenario.devices[0].config).iommu.emplace();
  Machine machine{scenario, guest};
  EXPECT_EQ(machine.add_nic("gpu"), nullptr);
  EXPECT_EQ(machine.add_nic("no_such_nic"), nullptr);
  EXPECT_NE(machine.add_nic("nic0"), nullptr);
  EXPECT_EQ(machine.add_nic("nic0"), nullptr);
  const auto problems = machine.start();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].key, "/devices/rc/iommu");
}

TEST(Machine, ADoorbellIsAPostedWriteThatTakesItsWay) {
  Built built;
  EXPECT_EQ(built.machine.next(), never);
  built.machine.run_to(Instant{1us});
  built.write_le(Built::gpu_registers + 0x100, 8, 0x12345678);
  const auto ring = [&] { return built.gpu->gpu().read(0x100, 8); };
  EXPECT_EQ(ring(), 0u);
  built.machine.run_to(Instant{1us + 150ns});  // it is still in the root complex
  EXPECT_EQ(ring(), 0u);
  built.machine.run_to(Instant{2us});
  EXPECT_EQ(ring(), 0x12345678u);
  EXPECT_EQ(built.machine.next(), never);
}

TEST(Machine, AReadOfTheProcessorTakesItsRoundTripBehindItsWrites) {
  Built built;
  built.machine.run_to(Instant{1us});
  built.write_le(Built::gpu_registers + 0x100, 8, 0xabcd);
  EXPECT_EQ(built.read_le(Built::gpu_registers + 0x100, 8), 0xabcdu);
  const auto round_trip = built.machine.now() - Instant{1us};
  EXPECT_GT(round_trip, 2 * 150ns);  // the root complex alone, both ways
  EXPECT_LT(round_trip, 2us);
  std::array<std::uint8_t, 4> nothing{};
  EXPECT_FALSE(built.machine.read(0x7000'0000, nothing));
  EXPECT_THAT(nothing, testing::Each(0xff));
  EXPECT_FALSE(built.machine.write(0x7000'0000, nothing));
}

TEST(Machine, ACopyMovesItsBytesTlpByTlp) {
  Built built;
  fill(std::span{built.vram}.first(4096), 1);
  built.copy(0, 0, 0x20000, 4096, to_bus);
  std::vector<std::size_t> seen;
  for (Instant next; (next = built.machine.next()) != never;) {
    built.machine.run_to(std::max(next, built.machine.now()) + Duration{1});
    seen.push_back(built.guest.writes.size());
  }
  const auto& writes = built.guest.writes;
  ASSERT_EQ(writes.size(), 4096u / 256 + 1);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(writes[i], std::pair(0x20000 + i * 256, std::size_t{256}));
  EXPECT_EQ(writes.back().first, Built::copy_completion);
  EXPECT_THAT(seen, testing::Contains(8u));  // half of it is there, and the other half is not
  EXPECT_TRUE(std::ranges::equal(std::span{built.guest.memory.bytes}.subspan(0x20000, 4096),
                                 std::span{built.vram}.first(4096)));
  EXPECT_EQ(built.machine.under_way(), 0u);
}

TEST(Machine, AReadTakesTheBytesThatAreThereWhenItsRequestArrives) {
  Built built;
  const auto source = std::span{built.guest.memory.bytes}.subspan(0x20000, 512);
  std::uint32_t number = 0;
  const auto result_of = [&](Duration changed) {
    fill(source, 1);
    std::ranges::fill(built.vram, std::uint8_t{0});
    const auto begin = built.machine.now();
    built.copy(number++, 0x20000, 0, 512, from_bus);
    built.machine.run_to(begin + changed);
    fill(source, 9);
    built.settle();
    return std::pair{built.vram[100], built.machine.now() - begin};
  };
  const auto early = result_of(0ns);
  const auto took = early.second;
  EXPECT_EQ(early.first, static_cast<std::uint8_t>(100 * 7 + 9));
  EXPECT_EQ(result_of(took).first, static_cast<std::uint8_t>(100 * 7 + 1));
  // Between the request's arrival and that of the data lie the memory's latency and the way back.
  const auto old_from = [&] {
    Duration low{}, high = took;
    while (high - low > 1ns) {
      const auto middle = low + (high - low) / 2;
      (result_of(middle).first == static_cast<std::uint8_t>(100 * 7 + 1) ? high : low) = middle;
    }
    return high;
  }();
  EXPECT_GT(took - old_from, 90ns + 150ns);
}

TEST(Machine, RequestsToNowhereAreRefused) {
  Built built;
  built.copy(0, 0, 0x7000'0000, 256, to_bus);  // no such memory
  built.settle();
  EXPECT_EQ(load_le(built.guest.memory.bytes, Built::copy_completion + 4, 4), 2u);
  built.copy(1, 0, Built::vram_base, 256, to_bus);  // its own BAR
  built.settle();
  EXPECT_EQ(load_le(built.guest.memory.bytes, Built::copy_completion + 4, 4), 2u);
  EXPECT_EQ(built.gpu->gpu().failed(), 2);
}

TEST(Machine, APeerWritesRegistersOnceAndHearsOfIt) {
  Built built;
  store_le(built.vram, 0, 4, 1);
  built.copy(0, 0, Built::nic_doorbells + 4 * nic::gve::rx_doorbells, 4, to_bus);  // of a NIC that is not set up
  built.settle();
  EXPECT_EQ(built.nics[0]->nic().statistics().bad_doorbells, 1);
  EXPECT_EQ(built.gpu->gpu().copies(), 1);
  EXPECT_EQ(load_le(built.guest.memory.bytes, Built::copy_completion + 4, 4), 0u);
}

TEST(Machine, AFrameGoesFromMemoryOverTheCableIntoVram) {
  Built built;
  built.bring_up(0), built.bring_up(1);
  built.post(1, 8, Built::vram_base + 0x1000);
  built.settle();
  const auto begin = built.machine.now();
  const auto frame = built.send(0, 0, 3000);
  built.settle();
  const auto headers = frame.size() - 3000;
  EXPECT_TRUE(std::ranges::equal(std::span{built.vram}.subspan(0x1000, 3000), std::span{frame}.subspan(headers)));
  EXPECT_EQ(built.guest.memory.bytes[Built::header(1, 0)], frame[0]);
  nic::gve::Descriptor32 completion{};
  built.guest.memory.read(Built::rx_completions(1), completion);
  EXPECT_EQ(nic::gve::decode_rx_completion(completion).payload_length, 3000u);
  EXPECT_GT(built.machine.now() - begin, 2 * 300ns);  // both pipelines
  EXPECT_EQ(built.nics[1]->nic().statistics().datapath.rx_frames, 1);
  EXPECT_EQ(built.nics[1]->nic().statistics().dma_errors, 0);
  EXPECT_EQ(built.machine.under_way(), 0u);
}

TEST(Machine, AnInterruptArrivesBehindTheCompletionThatItTellsOf) {
  Built built;
  built.bring_up(0), built.bring_up(1);
  built.doorbell(1, 2, 1);
  built.post(1, 8, Built::vram_base);
  built.settle();
  built.guest.interrupts.clear();
  const auto told = [&] { return load_le(built.guest.memory.bytes, Built::rx_completions(1) + 4, 2) != 0; };
  EXPECT_FALSE(told());
  built.send(0, 0, 500);
  for (Instant next; (next = built.machine.next()) != never;) {
    if (!built.guest.interrupts.empty()) {
      EXPECT_TRUE(told());
    }
    built.machine.run_to(std::max(next, built.machine.now()) + Duration{1});
  }
  EXPECT_THAT(built.guest.interrupts, testing::Contains(built.nics[1]->number().value() * 100u + 2));
}

/// All that is submitted, with its times.
struct Record final : fabric::DeliverySink {
  void deliver(const fabric::Delivery& d) override {
    if (d.kind != fabric::DeliveryKind::sent) all[d.cookie] = d;
  }
  std::map<std::uint64_t, fabric::Delivery> all;
};

void play(Built& built) {
  built.bring_up(0), built.bring_up(1);
  built.post(1, 40, Built::vram_base);
  fill(std::span{built.vram}.last(0x10000), 3);
  for (std::uint32_t i = 0; i < 12; ++i) {
    built.send(0, i, 200 + 700 * i % 4000);
    built.copy(i, Built::vram_size - 0x10000, 0x30000, 0x8000, to_bus);
    built.machine.run_to(built.machine.now() + 700ns);
  }
  built.settle();
}

TEST(Machine, ItsTransactionsHaveTheTimesOfTheReference) {
  Record record, repeated;
  Built built{two_nics_and_a_gpu(), &record};
  play(built);
  ASSERT_GT(record.all.size(), 200u);
  fabric::EventReference reference{built.machine.topology(), repeated};
  for (const auto& [number, d] : record.all) {
    fabric::Transaction t;
    t.cookie = number;
    t.target = d.target;
    t.op = d.op;
    t.purpose = d.purpose;
    t.answer = d.status;
    t.address = d.address;
    t.bytes = d.bytes;
    t.ready = d.ready;
    reference.submit(d.requester, d.channel, t);
  }
  reference.advance(built.machine.now() + 1ms);
  ASSERT_EQ(repeated.all.size(), record.all.size());
  for (const auto& [number, d] : record.all) EXPECT_EQ(repeated.all[number].done, d.done) << number;
}

TEST(Machine, HowLongStepsAreChangesNothing) {
  const auto run = [](Duration step) {
    Record record;
    Built built{two_nics_and_a_gpu(), &record};
    play(built);
    const auto begin = built.machine.now();
    for (std::uint32_t i = 12; i < 20; ++i) built.send(0, i, 900);
    while (built.machine.now() < begin + 20us) built.machine.run_to(built.machine.now() + step);
    std::vector<std::tuple<std::uint64_t, Instant, Instant>> times;
    for (const auto& [number, d] : record.all) times.emplace_back(number, d.ready, d.done);
    return std::tuple{times, built.guest.writes, built.guest.memory.bytes, built.vram};
  };
  const auto coarse = run(20us), fine = run(1ns);
  EXPECT_EQ(std::get<0>(coarse), std::get<0>(fine));
  EXPECT_EQ(std::get<1>(coarse), std::get<1>(fine));
  EXPECT_EQ(std::get<2>(coarse), std::get<2>(fine));
  EXPECT_EQ(std::get<3>(coarse), std::get<3>(fine));
}

TEST(Machine, NothingReachesTheGuestBeforeItSaysSo) {
  Built built;
  built.bring_up(0), built.bring_up(1);
  built.post(1, 40, Built::vram_base);
  for (std::uint32_t i = 0; i < 8; ++i) built.send(0, i, 1000);
  int silent = 0;
  for (Instant next; (next = built.machine.next()) != never;) {
    const auto writes = built.guest.writes.size(), interrupts = built.guest.interrupts.size();
    if (next > built.machine.now()) {
      built.machine.run_to(next - Duration{1});
      EXPECT_EQ(writes, built.guest.writes.size());
      EXPECT_EQ(interrupts, built.guest.interrupts.size());
      ++silent;
    }
    built.machine.run_to(std::max(next, built.machine.now()) + Duration{1});
  }
  EXPECT_GT(silent, 100);
}

}  // namespace
}  // namespace peerpath::machine
