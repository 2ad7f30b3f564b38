#include "observe/trace/header.hpp"

#include <gtest/gtest.h>

#include "observe/trace/test_scene.hpp"

namespace peerpath::trace {
namespace {

using namespace literals;
using pcie::TlpClass;
using Octets = std::vector<std::uint8_t>;

Tlp tlp_of(TlpClass tlp_class, const fabric::Transaction& asked, Bytes payload) {
  const TestScene t;
  Tlp tlp{.record = t.record(t.to_nic, false, tlp_class, 1, asked, asked.address, payload, 0), .asked = asked};
  tlp.bytes = asked.bytes;
  return tlp;
}

// Octets worked out by hand from PCIe Base Spec 2.2.1 to 2.2.9.

TEST(TraceHeader, OfAWriteAbove4GiBHasFourDoubleWords) {
  fabric::Transaction write;
  write.op = pcie::Operation::memory_write;
  write.target = TestScene::gpu;
  write.address = 0x123456789000;
  write.bytes = 256_B;
  write.relaxed_ordering = true;
  EXPECT_EQ(tlp_header(tlp_of(TlpClass::posted, write, 256_B), false),
            (Octets{0x60, 0x00, 0x20, 0x40, 0x00, 0x08, 0x00, 0xff, 0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0x90, 0x00}));
}

TEST(TraceHeader, OfAReadSaysLengthTagAndByteEnables) {
  fabric::Transaction read;
  read.op = pcie::Operation::memory_read;
  read.target = TestScene::gpu;
  read.address = 0x2001;
  read.bytes = 6_B;  // bytes 1 to 6: two double words
  read.traffic_class = 3;
  auto tlp = tlp_of(TlpClass::non_posted, read, 0_B);
  tlp.tag = 0x2ab;
  EXPECT_EQ(tlp_header(tlp, true), (Octets{0x00, 0xb0, 0x80, 0x02, 0x00, 0x08, 0xab, 0x7e, 0x00, 0x00, 0x20, 0x00}));
}

TEST(TraceHeader, OfACompletionSaysWhoAnsweredWhomAndWhatIsLeft) {
  fabric::Transaction read;
  read.op = pcie::Operation::memory_read;
  read.target = TestScene::gpu;
  read.address = 0x10c4;
  auto tlp = tlp_of(TlpClass::completion, read, 64_B);
  tlp.remaining = 4096_B;  // written as 0
  tlp.tag = 5;
  EXPECT_EQ(tlp_header(tlp, false), (Octets{0x4a, 0x00, 0x00, 0x10, 0x00, 0x10, 0x00, 0x00, 0x00, 0x08, 0x05, 0x44}));
  tlp.record.payload = 0_B;
  tlp.remaining = 0_B;
  tlp.status = pcie::Status::completer_abort;
  EXPECT_EQ(tlp_header(tlp, false), (Octets{0x0a, 0x00, 0x00, 0x00, 0x00, 0x10, 0x80, 0x00, 0x00, 0x08, 0x05, 0x00}));
}

}  // namespace
}  // namespace peerpath::trace
