// What a root port passes on to memory is held to the law of its credits, played on the fabric.
#include <gtest/gtest.h>

#include "analytic/bounds.hpp"
#include "devices/root_complex/root_port.hpp"

namespace peerpath::root_complex {
namespace {

using namespace literals;
using namespace std::chrono_literals;

struct Law {
  int credits;
  Duration latency;
  int cpu_load_percent;
  fabric::Mode mode;
};

class CreditLaw : public testing::TestWithParam<Law>, fabric::DeliverySink {
 protected:
  Instant end_{};

  /// Payload rate of 4000 accesses of 512 B, far more than the link of 400 Gb/s holds at a time.
  BitRate play(pcie::Operation op) {
    const auto [credits, latency, load, mode] = GetParam();
    RootPort port{{.credits = device::CreditsConfig{.write_credits = credits,
                                                    .write_latency = latency,
                                                    .read_credits = credits,
                                                    .read_latency = latency,
                                                    .cpu_load_percent = load}}};
    fabric::Topology t;
    const auto root = t.add_router("rc", {100ns});
    const auto card = t.add_endpoint("card", {.max_read_request = 512_B, .tags = 768});
    const auto memory = t.add_endpoint("memory", {});
    port.set_memory(memory);
    const fabric::LinkDirection line{
        .rate = 400_Gbps, .propagation = 10ns, .credits = {{{64, 1024}, {64, 64}, {0, 0}}}, .update_fc = 50ns};
    auto up = line;
    up.gate = &port;
    t.connect(card, root, up, line);
    t.connect(root, memory, line, line);
    const auto fabric = fabric::make_fabric(t, *this, mode);
    constexpr int accesses = 4000;
    for (int i = 0; i < accesses; ++i) {
      fabric::Transaction access;
      access.target = memory;
      access.op = op;
      access.address = static_cast<std::uint64_t>(i) * 512;
      access.bytes = 512_B;
      fabric->submit(card, fabric::ChannelIndex{1}, access);
    }
    fabric->advance(Instant{10ms});
    return BitRate{static_cast<std::int64_t>(accesses * 512.0 * 8 * 1e15 / static_cast<double>(femtoseconds(end_)))};
  }

 private:
  void deliver(const fabric::Delivery& d) override { end_ = std::max(end_, d.done); }
};

TEST_P(CreditLaw, BoundsWritesAndReadsAndIsReached) {
  const auto& law = GetParam();
  const auto loaded = law.latency * 100 / (100 - law.cpu_load_percent);
  const auto bound = static_cast<double>(analytic::credit_rate_bound(law.credits, loaded).bps());
  for (const auto op : {pcie::Operation::memory_write, pcie::Operation::memory_read}) {
    end_ = {};
    const auto rate = static_cast<double>(play(op).bps());
    EXPECT_LE(rate, bound * 1.01);  // the credits that are there at the beginning, over 4000 accesses
    EXPECT_GE(rate, bound * 0.97);
  }
}

INSTANTIATE_TEST_SUITE_P(Published, CreditLaw,
                         testing::Values(Law{92, 300ns, 0, fabric::Mode::train}, Law{92, 300ns, 0, fabric::Mode::event},
                                         Law{65, 300ns, 0, fabric::Mode::train},
                                         Law{92, 300ns, 33, fabric::Mode::train},
                                         Law{16, 500ns, 0, fabric::Mode::event}),
                         [](const auto& info) { return "case" + std::to_string(info.index); });

}  // namespace
}  // namespace peerpath::root_complex
