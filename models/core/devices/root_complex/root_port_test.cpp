#include "core/devices/root_complex/root_port.hpp"

#include <gtest/gtest.h>

namespace peerpath::root_complex {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using pcie::TlpClass;

constexpr Instant at{1us};

fabric::GatedTlp tlp(TlpClass c, std::uint64_t address = 0) {
  return {.tlp_class = c, .address = address, .bytes = 64_B, .at = at};
}

device::RootComplexConfig with_iommu() { return {.iommu = device::IommuConfig{.walk_latency = 290ns}}; }

TEST(RootPort, NeedsNoGateWithoutAnIommu) {
  EXPECT_FALSE(RootPort::wanted({}));
  EXPECT_TRUE(RootPort::wanted(with_iommu()));
  RootPort port{{}};
  EXPECT_EQ(port.pass(tlp(TlpClass::posted)), at);
}

TEST(RootPort, TranslatesEveryUntranslatedRequest) {
  RootPort port{with_iommu()};
  EXPECT_EQ(port.pass(tlp(TlpClass::posted, 0x1000)), at + 290ns);
  EXPECT_EQ(port.pass(tlp(TlpClass::non_posted, 0x2000)), at + 290ns);
  EXPECT_EQ(port.pass(tlp(TlpClass::non_posted, 0x1000)), at + 290ns) << "its walk is under way";
  EXPECT_EQ(port.iommu()->counters().misses, 2);
}

TEST(RootPort, TranslatedRequestsCompletionsAndInterruptsPass) {
  RootPort port{with_iommu()};
  auto translated = tlp(TlpClass::posted);
  translated.translated = true;
  auto interrupt = tlp(TlpClass::posted);
  interrupt.purpose = pcie::Purpose::interrupt;
  for (const auto& t : {translated, interrupt, tlp(TlpClass::completion)}) EXPECT_EQ(port.pass(t), at);
  EXPECT_EQ(port.iommu()->counters().misses, 0);
}

}  // namespace
}  // namespace peerpath::root_complex
