#include "devices/ats/ats_function.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace peerpath::ats {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr fabric::NodeId self{1}, agent{2}, gpu{3};
constexpr fabric::ChannelIndex own{1}, other{2}, translations{3};

/// Submits what a test wants when a frame comes.
struct Device final : device::Endpoint {
  std::vector<std::pair<fabric::ChannelIndex, fabric::Transaction>> wants;
  int deliveries = 0, computed = 0;
  void on_computed(const fabric::Delivery&) override { ++computed; }
  void on_delivery(const fabric::Delivery&, device::Outbox&) override { ++deliveries; }
  void on_wake(device::TimerId, Instant, device::Outbox&) override {}
  void on_frame(int, const device::Frame&, Instant, device::Outbox& out) override {
    for (const auto& [channel, transaction] : std::exchange(wants, {})) out.submit(channel, transaction);
  }
};

struct Sent final : device::Outbox {
  std::vector<std::pair<fabric::ChannelIndex, fabric::Transaction>> all;
  void submit(fabric::ChannelIndex channel, const fabric::Transaction& t) override { all.emplace_back(channel, t); }
  void respond(fabric::RequestId, Instant, pcie::Status) override {}
  void wake_at(device::TimerId, Instant) override {}
  void transmit(int, const device::Frame&, Instant) override {}
};

struct Ats : testing::Test {
  Device device;
  Sent out;
  AtsFunction ats{device, {.entries = 2}, self, agent, translations};

  void write(std::uint64_t address, Bytes bytes, fabric::ChannelIndex channel = own) {
    fabric::Transaction t;
    t.target = gpu;
    t.address = address;
    t.bytes = bytes;
    device.wants.emplace_back(channel, t);
  }
  void go() { ats.on_frame(0, {}, Instant{}, out); }
  void answer(std::uint64_t page, Instant done, pcie::Status status = pcie::Status::success) {
    fabric::Delivery d;
    d.status = status;
    d.kind = fabric::DeliveryKind::completed;
    d.requester = self;
    d.channel = translations;
    d.cookie = page;
    d.done = done;
    ats.on_delivery(d, out);
  }
};

TEST_F(Ats, TheDeviceHearsNothingOfPageRequestMessages) {
  fabric::Delivery message;
  message.kind = fabric::DeliveryKind::arrived;
  message.requester = self;
  message.channel = translations;
  ats.on_computed(message);
  EXPECT_EQ(device.computed, 0);
  message.channel = own;
  ats.on_computed(message);
  EXPECT_EQ(device.computed, 1);
}

TEST_F(Ats, AnAccessWaitsForItsTranslationAndGoesOutTranslated) {
  write(0x1000, 64_B);
  go();
  ASSERT_EQ(out.all.size(), 1U);
  EXPECT_EQ(out.all[0].first, translations);
  EXPECT_EQ(out.all[0].second.target, agent);
  EXPECT_EQ(out.all[0].second.bytes, 8_B);
  EXPECT_FALSE(out.all[0].second.translated);
  answer(1, Instant{700ns});
  ASSERT_EQ(out.all.size(), 2U);
  EXPECT_EQ(out.all[1].first, own);
  EXPECT_TRUE(out.all[1].second.translated);
  EXPECT_EQ(out.all[1].second.ready, Instant{700ns});
  EXPECT_EQ(device.deliveries, 0) << "the device hears nothing of it";
  write(0x1fc0, 64_B);
  go();
  EXPECT_EQ(out.all.size(), 3U) << "the page is held";
  EXPECT_EQ(ats.counters().hits, 1);
  EXPECT_EQ(ats.counters().requests, 1);
}

TEST_F(Ats, ChannelsKeepTheirOrderAndDoNotWaitForEachOther) {
  write(0x1000, 64_B);
  go();
  answer(1, Instant{1us});
  write(0x2000, 64_B);
  write(0x1000, 64_B);
  write(0x1000, 64_B, other);
  go();
  ASSERT_EQ(out.all.size(), 4U) << "a request, an access; then a request, and the other channel's access";
  EXPECT_EQ(out.all[3].first, other);
  answer(2, Instant{2us});
  ASSERT_EQ(out.all.size(), 6U);
  EXPECT_EQ(out.all[4].second.address, 0x2000U);
  EXPECT_EQ(out.all[5].second.address, 0x1000U);
}

TEST_F(Ats, AnAccessOfSeveralPagesWaitsForAllThoughTheyDoNotFit) {
  write(0x1000, 16_KiB);
  go();
  EXPECT_EQ(out.all.size(), 4U);
  for (const std::uint64_t page : {1U, 2U, 3U}) answer(page, Instant{1us});
  EXPECT_EQ(out.all.size(), 4U);
  answer(4, Instant{2us});
  ASSERT_EQ(out.all.size(), 5U);
  EXPECT_EQ(out.all[4].second.bytes, 16_KiB);
}

TEST_F(Ats, APageIsAskedForOnceAtATimeAndAgainAfterItWasTakenBack) {
  write(0x1000, 64_B);
  write(0x1040, 64_B, other);
  go();
  EXPECT_EQ(out.all.size(), 1U);
  answer(1, Instant{1us});
  EXPECT_EQ(out.all.size(), 3U);
  ats.invalidate(0x1000, 1);
  write(0x1000, 64_B);
  go();
  EXPECT_EQ(out.all.back().first, translations);
}

TEST_F(Ats, AllIsTakenBackWhenTheHostFlushes) {
  ats.flush_every(10us);
  write(0x1000, 64_B);
  go();
  answer(1, Instant{700ns});
  const auto write_at = [&](Instant ready) {
    write(0x1000, 64_B);
    device.wants.back().second.ready = ready;
    go();
  };
  write_at(Instant{9999ns});
  EXPECT_EQ(ats.counters().requests, 1);
  write_at(Instant{10us});
  EXPECT_EQ(ats.counters().requests, 2);
  answer(1, Instant{11us});
  write_at(Instant{12us});
  EXPECT_EQ(ats.counters().requests, 2);
}

TEST_F(Ats, AfterUnsupportedRequestItGoesOnWithoutTranslations) {
  write(0x1000, 64_B);
  go();
  answer(1, Instant{1us});
  write(0x2000, 64_B);
  write(0x1000, 64_B);
  write(0x3000, 64_B, other);
  go();
  ASSERT_EQ(out.all.size(), 4U) << "two more translation requests";
  answer(2, Instant{2us}, pcie::Status::unsupported_request);
  ASSERT_EQ(out.all.size(), 7U) << "all that waited";
  for (std::size_t i = 4; i < 7; ++i) EXPECT_FALSE(out.all[i].second.translated);
  answer(3, Instant{3us});
  write(0x1000, 64_B);
  write(0x3000, 64_B);
  go();
  ASSERT_EQ(out.all.size(), 9U) << "nothing waits any more";
  for (std::size_t i = 7; i < 9; ++i) {
    EXPECT_EQ(out.all[i].first, own);
    EXPECT_FALSE(out.all[i].second.translated);
  }
}

TEST_F(Ats, AnotherFailureIsOfThatTranslationAlone) {
  for (const auto status : {pcie::Status::completer_abort, pcie::Status::no_answer}) {
    out.all.clear();
    write(0x1000, 16_KiB);
    write(0x8000, 64_B);
    go();
    ASSERT_EQ(out.all.size(), 5U);
    answer(2, Instant{1us}, status);
    ASSERT_EQ(out.all.size(), 6U) << "does not wait for its other pages";
    EXPECT_EQ(out.all[5].second.bytes, 16_KiB);
    EXPECT_FALSE(out.all[5].second.translated);
    answer(8, Instant{2us});
    ASSERT_EQ(out.all.size(), 7U);
    EXPECT_TRUE(out.all[6].second.translated);
    for (const std::uint64_t page : {1U, 3U, 4U}) answer(page, Instant{3us});
    write(0x2000, 64_B);
    go();
    EXPECT_EQ(out.all.back().first, translations) << "it is asked for again";
    answer(2, Instant{4us}, status);
    ats.invalidate(0x1000, 0x8000);
  }
}

TEST_F(Ats, WithPageRequestsAPageIsAskedForBeforeItIsTranslated) {
  AtsFunction paging{device, {.entries = 2, .page_request = 10us}, self, agent, translations};
  write(0x1000, 64_B);
  paging.on_frame(0, {}, Instant{}, out);
  ASSERT_EQ(out.all.size(), 1U);
  fabric::Delivery d;
  d.kind = fabric::DeliveryKind::completed;
  d.requester = self;
  d.channel = translations;
  d.cookie = 1;
  d.done = Instant{1us};
  paging.on_delivery(d, out);
  ASSERT_EQ(out.all.size(), 3U) << "the message, and the translation request that follows its response";
  EXPECT_EQ(out.all[1].second.op, pcie::Operation::message);
  EXPECT_EQ(out.all[2].second.ready, Instant{11us});
  EXPECT_NE(out.all[2].first, translations) << "where it would hold up requests for other pages until then";
  d.channel = out.all[2].first;
  d.done = Instant{12us};
  paging.on_delivery(d, out);
  ASSERT_EQ(out.all.size(), 4U);
  EXPECT_EQ(out.all[3].first, own);
  EXPECT_EQ(paging.counters().page_requests, 1);
}

TEST_F(Ats, InterruptsAreNotTranslated) {
  write(0xfee00000, 4_B);
  device.wants.back().second.purpose = pcie::Purpose::interrupt;
  go();
  ASSERT_EQ(out.all.size(), 1U);
  EXPECT_EQ(out.all[0].first, own);
  EXPECT_FALSE(out.all[0].second.translated);
}

TEST_F(Ats, WhatConcernsTheDeviceReachesIt) {
  fabric::Delivery d;
  d.kind = fabric::DeliveryKind::completed;
  d.requester = self;
  d.channel = own;
  ats.on_delivery(d, out);
  EXPECT_EQ(device.deliveries, 1);
}

}  // namespace
}  // namespace peerpath::ats
