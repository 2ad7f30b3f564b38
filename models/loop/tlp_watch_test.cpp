#include "loop/tlp_watch.hpp"

#include <gtest/gtest.h>

namespace peerpath::loop {
namespace {

using namespace literals;
using namespace std::chrono_literals;

struct Ignore : fabric::DeliverySink {
  void deliver(const fabric::Delivery&) override {}
};

TEST(TlpWatch, SaysWhichRuleWasBrokenAndWhere) {
  fabric::Topology t;
  const auto router = t.add_router("switch", {100ns});
  const auto a = t.add_endpoint("a", {.max_payload = 128_B}), b = t.add_endpoint("b", {});
  for (const auto end : {a, b}) t.connect(end, router, {.rate = 8_Gbps}, {.rate = 8_Gbps});
  Ignore sink;
  const auto fabric = fabric::make_fabric(t, sink);
  TlpWatch watch{t, *fabric, {.checker = true}};
  fabric::TlpRecord tlp;
  tlp.requester = a;
  tlp.target = b;
  tlp.cookie = watch.number({.target = b, .bytes = 256_B});
  tlp.payload = 256_B;
  watch.observe(tlp);
  EXPECT_TRUE(watch.violations().empty());  // until all that started before is known
  watch.reached(Instant{1us});
  ASSERT_EQ(watch.violations().size(), 1U);
  EXPECT_EQ(watch.violations()[0], "max_payload: posted TLP of a on the link a -> switch at 0 fs carries 256 B");
}

TEST(TlpWatch, ShowsTlpsInTheOrderOfTheirStartsWithTheirTransactions) {
  struct Listener : fabric::TlpListener {
    void see(const fabric::TlpRecord& tlp, const fabric::Transaction& asked) override {
      seen.emplace_back(tlp.start, asked.cookie);
    }
    void reached(Instant horizon) override { until = horizon; }
    std::vector<std::pair<Instant, std::uint64_t>> seen;
    Instant until{};
  };
  fabric::Topology t;
  const auto router = t.add_router("switch", {100ns});
  const auto a = t.add_endpoint("a", {}), b = t.add_endpoint("b", {});
  for (const auto end : {a, b}) t.connect(end, router, {.rate = 8_Gbps}, {.rate = 8_Gbps});
  Ignore sink;
  Listener listener;
  const auto fabric = fabric::make_fabric(t, sink);
  TlpWatch watch{t, *fabric, {.listener = &listener}};
  fabric::TlpRecord tlp;
  tlp.requester = a;
  tlp.target = b;
  for (const auto start : {300ns, 100ns, 2000ns}) {
    tlp.cookie = watch.number({.cookie = static_cast<std::uint64_t>(start.count()), .target = b, .bytes = 256_B});
    tlp.start = Instant{start};
    watch.observe(tlp);
  }
  watch.reached(Instant{1us});
  const std::vector<std::pair<Instant, std::uint64_t>> wanted{{Instant{100ns}, 100U}, {Instant{300ns}, 300U}};
  EXPECT_EQ(listener.seen, wanted);
  EXPECT_EQ(listener.until, Instant{1us});
}

}  // namespace
}  // namespace peerpath::loop
