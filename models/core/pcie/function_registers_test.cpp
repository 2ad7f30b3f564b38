#include "core/pcie/function_registers.hpp"

#include <gtest/gtest.h>

namespace peerpath::pcie {
namespace {

using namespace std::chrono_literals;

FunctionIdentity endpoint() {
  return {.vendor = 0x1ae0,
          .device = 0x0042,
          .class_code = 0x020000,
          .revision = 1,
          .max_payload_supported = 512_B,
          .link = {4, 16},
          .msi_x_vectors = 64,
          .msi_x_bar = 1,
          .bars = {{.index = 0, .size = 64_KiB}, {.index = 2, .size = 8_GiB, .prefetchable = true}}};
}

TEST(FunctionRegisters, ComeOutOfResetAsTheSpecificationSays) {
  const FunctionRegisters nic{endpoint()};
  EXPECT_EQ(nic.space().read(0x00, 4), 0x0042'1ae0U);
  EXPECT_EQ(nic.space().read(0x08, 4), 0x0200'0001U);
  EXPECT_EQ(nic.max_payload(), 128_B);
  EXPECT_EQ(nic.max_read_request(), 512_B);
  EXPECT_TRUE(nic.relaxed_ordering());
  EXPECT_FALSE(nic.id_based_ordering());
  EXPECT_EQ(nic.tags(), 32);
  EXPECT_EQ(nic.completion_timeout(), Duration{25ms});
  EXPECT_FALSE(nic.memory_enabled());
  EXPECT_EQ(nic.link(), (LinkShape{4, 16}));
  const auto express = *nic.space().find_capability(capability_pci_express);
  EXPECT_EQ(nic.space().read(express + 2, 2), 0x0002U);          // version 2, endpoint
  EXPECT_EQ(nic.space().read(express + 4, 4) & 7, 2U);           // 512 B
  EXPECT_EQ(nic.space().read(express + 12, 4) & 0x3ff, 0x104U);  // x16 at 16 GT/s
  const auto msi_x = *nic.space().find_capability(capability_msi_x);
  EXPECT_EQ(nic.space().read(msi_x + 2, 2), 63U);
  EXPECT_EQ(nic.space().read(msi_x + 8, 4), 0x8001U);
}

TEST(FunctionRegisters, TakeMpsUpToWhatTheFunctionCanDo) {
  FunctionRegisters nic{endpoint()};
  EXPECT_TRUE(nic.select_max_payload(512_B));
  EXPECT_FALSE(nic.select_max_payload(1_KiB));
  EXPECT_FALSE(nic.select_max_payload(300_B));
  EXPECT_EQ(nic.max_payload(), 512_B);
  EXPECT_TRUE(nic.select_max_read_request(4_KiB));
  EXPECT_EQ(nic.max_read_request(), 4_KiB);
  EXPECT_EQ(nic.max_payload(), 512_B);
}

TEST(FunctionRegisters, DeviceControlReadsAsLinuxWritesIt) {
  FunctionRegisters nic{endpoint()};
  const auto express = *nic.space().find_capability(capability_pci_express);
  nic.space().write(express + 8, 2, 0x5136);  // MRRS 4096, ExtTag, MPS 256, RO, three error reports
  EXPECT_EQ(nic.max_read_request(), 4_KiB);
  EXPECT_EQ(nic.max_payload(), 256_B);
  EXPECT_TRUE(nic.relaxed_ordering());
  EXPECT_TRUE(nic.extended_tags());
  EXPECT_EQ(nic.tags(), 256);
  nic.space().write(express + 40, 2, 0x1119);  // 10-bit tags, IDO, timeout disabled
  EXPECT_EQ(nic.completion_timeout(), std::nullopt);
  EXPECT_TRUE(nic.id_based_ordering());
  EXPECT_EQ(nic.tags(), 256);  // it has no 10-bit tags to enable
}

TEST(FunctionRegisters, TenBitTagsWhereTheFunctionHasThem) {
  auto identity = endpoint();
  identity.ten_bit_tags = true;
  FunctionRegisters nic{identity};
  nic.space().write(*nic.space().find_capability(capability_pci_express) + 40, 2, 0x1000);
  EXPECT_EQ(nic.tags(), 768);
}

TEST(FunctionRegisters, ABarTellsItsSizeWhenAllOnesAreWritten) {
  FunctionRegisters nic{endpoint()};
  for (const int at : {0x10, 0x18, 0x1c}) nic.space().write(at, 4, 0xffff'ffff);
  EXPECT_EQ(nic.space().read(0x10, 4), 0xffff'0000U);
  EXPECT_EQ(nic.space().read(0x18, 4), 0x0000'000cU);  // 64 bits, prefetchable
  EXPECT_EQ(nic.space().read(0x1c, 4), 0xffff'fffeU);  // 8 GiB
  EXPECT_EQ(nic.space().read(0x14, 4), 0U);            // no such BAR
  nic.set_bar(2, BusAddress{0x120'0000'0000});
  EXPECT_EQ(nic.bar(2).value(), 0x120'0000'0000U);
  EXPECT_EQ(nic.space().read(0x18, 4), 0xcU);
}

TEST(FunctionRegisters, ABridgeHoldsItsBusesAndWindows) {
  FunctionRegisters port{{.kind = FunctionKind::downstream_port, .acs_capabilities = 0x5f}};
  EXPECT_EQ(port.space().read(0x0e, 1), 1U);
  EXPECT_EQ(port.memory_window().size, 0_B);
  EXPECT_EQ(port.prefetchable_window().size, 0_B);
  Function f{.name = "down0", .kind = FunctionKind::downstream_port};
  f.secondary_bus = 3;
  f.subordinate_bus = 7;
  f.memory = {BusAddress{0xc010'0000}, 2_MiB};
  f.prefetchable = {BusAddress{0x120'0000'0000}, 128_GiB};
  port.set_bridge(2, f);
  EXPECT_EQ(port.secondary_bus(), 3);
  EXPECT_EQ(port.subordinate_bus(), 7);
  EXPECT_EQ(port.memory_window().base, f.memory.base);
  EXPECT_EQ(port.memory_window().size, f.memory.size);
  EXPECT_EQ(port.prefetchable_window().base, f.prefetchable.base);
  EXPECT_EQ(port.prefetchable_window().size, f.prefetchable.size);
}

TEST(FunctionRegisters, AcsKeepsTheControlsThatThePortOffers) {
  FunctionRegisters port{{.kind = FunctionKind::downstream_port,
                          .acs_capabilities = acs::source_validation | acs::request_redirect |
                                              acs::completion_redirect | acs::upstream_forwarding}};
  const auto at = *port.space().find_extended_capability(extended_capability_acs);
  port.space().write(at + 6, 2, 0xffff);
  EXPECT_EQ(port.acs_control(), 0x1d);
  const FunctionRegisters without{endpoint()};
  EXPECT_EQ(without.acs_control(), 0);
}

TEST(FunctionRegisters, AerNotesAnErrorUntilSoftwareClearsIt) {
  FunctionRegisters nic{endpoint()};
  nic.report(aer::unsupported_request | aer::completion_timeout);
  const auto at = *nic.space().find_extended_capability(extended_capability_aer);
  EXPECT_EQ(nic.space().read(at + 4, 4), 0x0010'4000U);
  nic.space().write(at + 4, 4, aer::unsupported_request);
  EXPECT_EQ(nic.space().read(at + 4, 4), aer::completion_timeout);
}

}  // namespace
}  // namespace peerpath::pcie
