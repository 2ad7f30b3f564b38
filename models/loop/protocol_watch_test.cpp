#include "loop/protocol_watch.hpp"

#include <gtest/gtest.h>

namespace peerpath::loop {
namespace {

using namespace literals;
using namespace std::chrono_literals;

struct Ignore : fabric::DeliverySink {
  void deliver(const fabric::Delivery&) override {}
};

TEST(ProtocolWatch, SaysWhichRuleWasBrokenAndWhere) {
  fabric::Topology t;
  const auto router = t.add_router("switch", {100ns});
  const auto a = t.add_endpoint("a", {.max_payload = 128_B}), b = t.add_endpoint("b", {});
  for (const auto end : {a, b}) t.connect(end, router, {.rate = 8_Gbps}, {.rate = 8_Gbps});
  Ignore sink;
  const auto fabric = fabric::make_fabric(t, sink);
  ProtocolWatch watch{t, *fabric, nullptr};
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

}  // namespace
}  // namespace peerpath::loop
