#include "platform/error_records.hpp"

#include <gtest/gtest.h>

namespace peerpath::platform {
namespace {

using namespace literals;
constexpr HeaderFields mps_256{.max_payload = 256_B, .max_read_request = 512_B, .requester = {3, 0, 0}};
using Words = std::array<std::uint32_t, 4>;

fabric::Delivery failed(pcie::Operation op, std::uint64_t address, Bytes bytes,
                        pcie::Status status = pcie::Status::unsupported_request) {
  fabric::Delivery d;
  d.op = op;
  d.address = address;
  d.bytes = bytes;
  d.status = status;
  d.requester = fabric::NodeId{3};
  return d;
}

TEST(HeaderLog, OfAWriteBelow4GiBHasThreeDoubleWords) {
  // Fmt 010, 64 double words; requester 03:00.0, all bytes
  EXPECT_EQ(header_log(failed(pcie::Operation::memory_write, 0x1000, 4096_B), mps_256),
            (Words{0x40000040, 0x030000ff, 0x1000, 0}));
}

TEST(HeaderLog, OfAReadAbove4GiBHasFour) {
  EXPECT_EQ(header_log(failed(pcie::Operation::memory_read, 0x12'3456'7880, 4096_B), mps_256),
            (Words{0x20000060, 0x030000ff, 0x12, 0x34567880}));  // to the next multiple of MRRS
}

TEST(HeaderLog, EnablesTheBytesThatAreAskedFor) {
  const auto enables = [](std::uint64_t address, Bytes bytes) {
    return header_log(failed(pcie::Operation::memory_write, address, bytes), mps_256)[1] & 0xff;
  };
  EXPECT_EQ(enables(0x1001, 2_B), 0x06U);
  EXPECT_EQ(enables(0x1003, 1_B), 0x08U);
  EXPECT_EQ(enables(0x1000, 65_B), 0x1fU);
  EXPECT_EQ(enables(0x1002, 65_B), 0x7cU);  // two of the first, 60 between, three of the last
  EXPECT_EQ(enables(0x1000, 0_B), 0x00U);
}

TEST(HeaderLog, HasTheTrafficClassAndTheAttributes) {
  auto fields = mps_256;
  fields.traffic_class = 5;
  fields.relaxed_ordering = fields.id_based_ordering = fields.digest = true;
  // TC 22:20, IDO 18, TD 15, RO 13
  EXPECT_EQ(header_log(failed(pcie::Operation::memory_write, 0x1000, 4_B), fields)[0], 0x4054a001U);
}

TEST(HeaderLog, HasTheAddressType) {
  auto access = failed(pcie::Operation::memory_write, 0x1000, 256_B);
  access.translated = true;
  EXPECT_EQ(header_log(access, mps_256)[0], 0x40000840U);
  auto asking = failed(pcie::Operation::memory_read, 0x1000, 8_B);
  asking.translation = true;
  EXPECT_EQ(header_log(asking, mps_256)[0], 0x00000402U);
}

TEST(HeaderLog, OfASpoofedWriteHasTheIdThatItCarried) {
  auto spoofed = failed(pcie::Operation::memory_write, 0x1000, 4096_B, pcie::Status::completer_abort);
  spoofed.spoofed = true;
  EXPECT_EQ(header_log(spoofed, mps_256), (Words{0x40000040, 0xff0000ff, 0x1000, 0}));
}

TEST(HeaderLog, OfAPoisonedWriteHasTheEpBit) {
  EXPECT_EQ(header_log(failed(pcie::Operation::memory_write, 0, 4_B, pcie::Status::poisoned), mps_256),
            (Words{0x40004001, 0x0300000f, 0, 0}));
}

}  // namespace
}  // namespace peerpath::platform
