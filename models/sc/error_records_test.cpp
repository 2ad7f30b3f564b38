#include "sc/error_records.hpp"

#include <gtest/gtest.h>

namespace peerpath::sc {
namespace {

using namespace literals;
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
  // Fmt 010, 64 double words; requester 00:03.0, all bytes
  EXPECT_EQ(header_log(failed(pcie::Operation::memory_write, 0x1000, 4096_B), 256_B, 512_B),
            (Words{0x40000040, 0x001800ff, 0x1000, 0}));
}

TEST(HeaderLog, OfAReadAbove4GiBHasFour) {
  EXPECT_EQ(header_log(failed(pcie::Operation::memory_read, 0x12'3456'7880, 4096_B), 256_B, 512_B),
            (Words{0x20000060, 0x001800ff, 0x12, 0x34567880}));  // to the next multiple of MRRS
}

TEST(HeaderLog, OfASpoofedWriteHasTheIdThatItCarried) {
  auto spoofed = failed(pcie::Operation::memory_write, 0x1000, 4096_B, pcie::Status::completer_abort);
  spoofed.spoofed = true;
  EXPECT_EQ(header_log(spoofed, 256_B, 512_B), (Words{0x40000040, 0xff0000ff, 0x1000, 0}));
}

TEST(HeaderLog, OfAPoisonedWriteHasTheEpBit) {
  EXPECT_EQ(header_log(failed(pcie::Operation::memory_write, 0, 4_B, pcie::Status::poisoned), 256_B, 512_B),
            (Words{0x40004001, 0x0018000f, 0, 0}));
}

}  // namespace
}  // namespace peerpath::sc
