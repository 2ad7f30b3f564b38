#include "core/pcie/link_rate.hpp"

#include <gtest/gtest.h>

namespace peerpath::pcie {
namespace {

using namespace literals;
using namespace std::chrono_literals;

TEST(LinkRate, LineCodingLeavesTheKnownRates) {
  EXPECT_EQ(coded_rate({1, 1}).bps(), 2'000'000'000);
  EXPECT_EQ(coded_rate({2, 8}).bps(), 32'000'000'000);
  EXPECT_EQ(coded_rate({3, 8}).bps(), 63'015'384'615);
  EXPECT_EQ(coded_rate({4, 16}).bps(), 252'061'538'461);
  EXPECT_EQ(coded_rate({5, 16}).bps(), 504'123'076'923);
  EXPECT_EQ(coded_rate({6, 16}).bps(), 944'000'000'000);
}

TEST(LinkRate, SymbolTimesFollowTheGeneration) {
  EXPECT_EQ(symbol_time(1), 4ns);
  EXPECT_EQ(symbol_time(2), 2ns);
  EXPECT_EQ(symbol_time(3), 1ns);
  EXPECT_EQ(symbol_time(5), Duration{250'000});
}

TEST(LinkRate, AckLimitsAreThoseOfTheSpecTables) {
  struct Row {
    int generation, width;
    Bytes max_payload;
    int symbols;
  };
  for (const auto& row : {Row{3, 4, 128_B, 169}, Row{3, 4, 256_B, 214}, Row{3, 4, 512_B, 250}, Row{3, 8, 128_B, 163},
                          Row{3, 8, 256_B, 203}, Row{3, 8, 512_B, 182}, Row{4, 16, 128_B, 144}, Row{4, 16, 256_B, 168},
                          Row{4, 16, 512_B, 182}, Row{5, 16, 1024_B, 246}, Row{5, 16, 4096_B, 630},
                          Row{1, 1, 128_B, 237}, Row{1, 8, 256_B, 107}, Row{1, 16, 128_B, 48}, Row{2, 1, 128_B, 288}})
    EXPECT_EQ(ack_limit_symbols({row.generation, row.width}, row.max_payload), row.symbols)
        << "gen" << row.generation << " x" << row.width << " MPS " << row.max_payload.count();
}

TEST(LinkRate, CountedDllpsLeaveTheSenderAllButSkp) {
  const auto timing = link_timing({4, 16}, 256_B, DllpAccounting::counted);
  EXPECT_EQ(timing.rate.bps(), 251'405'981'794);
  EXPECT_EQ(timing.ack_interval, 84ns);
  EXPECT_EQ(timing.fc_interval, 84ns);
  EXPECT_EQ(timing.framing, 8_B);
}

TEST(LinkRate, PublishedGuideRatesTaxTheSender) {
  // TLP-layer bandwidth of the published model, three decimals of Gb/s.
  const auto gbps = [](LinkShape shape) {
    return static_cast<double>(link_timing(shape, 256_B, DllpAccounting::published).rate.bps()) / 1e9;
  };
  EXPECT_NEAR(gbps({3, 8}), 57.88, 0.01);
  EXPECT_NEAR(gbps({3, 16}), 113.7, 0.05);
  EXPECT_NEAR(gbps({4, 16}), 227.4, 0.05);
  EXPECT_NEAR(gbps({5, 16}), 454.8, 0.1);
  EXPECT_EQ(link_timing({4, 16}, 256_B, DllpAccounting::published).ack_interval, Duration{0});
}

TEST(LinkRate, FlitModeHasNeitherFramingNorDllps) {
  for (const auto accounting : {DllpAccounting::counted, DllpAccounting::published, DllpAccounting::none}) {
    const auto timing = link_timing({6, 16}, 256_B, accounting);
    EXPECT_EQ(timing.framing, 0_B);
    EXPECT_EQ(timing.ack_interval, Duration{0});
    EXPECT_EQ(timing.rate.bps(), 941'544'863'459);
  }
}

TEST(LinkRate, LinkShareScalesTheRateAlone) {
  const auto whole = link_timing({3, 8}, 256_B, DllpAccounting::counted);
  const auto part = link_timing({3, 8}, 256_B, DllpAccounting::counted, 0.75);
  EXPECT_NEAR(static_cast<double>(part.rate.bps()), 0.75 * static_cast<double>(whole.rate.bps()), 1.0);
  EXPECT_EQ(part.ack_interval, whole.ack_interval);
}

}  // namespace
}  // namespace peerpath::pcie
