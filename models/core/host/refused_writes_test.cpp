#include "core/host/refused_writes.hpp"

#include <gtest/gtest.h>

namespace peerpath::host {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// Lets two TLPs at a time go on, a nanosecond later.
struct Pairs final : fabric::Gate {
  Instant pass(const fabric::GatedTlp& tlp) override { return tlp.at + 1ns; }
  fabric::GatedRun pass_run(const fabric::GatedTlp& tlp, Duration, std::int32_t count) override {
    return {pass(tlp), std::min(count, 2)};
  }
};

fabric::GatedTlp write(std::uint64_t address, Bytes bytes, bool refused) {
  fabric::GatedTlp tlp;
  tlp.purpose = pcie::Purpose::payload;
  tlp.refused = refused;
  tlp.address = address;
  tlp.bytes = bytes;
  tlp.at = Instant{5ns};
  return tlp;
}

TEST(RefusedWrites, AreCountedInDoubleWords) {
  RefusedWrites gate{nullptr};
  EXPECT_EQ(gate.pass(write(0, 256_B, true)), Instant{5ns});
  EXPECT_EQ(gate.pass(write(0, 256_B, false)), Instant{5ns});
  EXPECT_EQ(gate.bytes(), 256_B);
  gate.pass(write(3, 2_B, true));
  EXPECT_EQ(gate.bytes(), 264_B);
  auto doorbell = write(0, 4_B, true);
  doorbell.purpose = pcie::Purpose::doorbell;
  gate.pass(doorbell);
  EXPECT_EQ(gate.bytes(), 264_B);
}

TEST(RefusedWrites, AreCountedAsFarAsTheNextGateAnswers) {
  Pairs pairs;
  RefusedWrites gate{&pairs};
  const auto run = gate.pass_run(write(0, 256_B, true), 10ns, 5);
  EXPECT_EQ(run.first, Instant{6ns});
  EXPECT_EQ(run.count, 2);
  EXPECT_EQ(gate.bytes(), 512_B);
}

}  // namespace
}  // namespace peerpath::host
