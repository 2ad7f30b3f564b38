#include <gtest/gtest.h>

#include <sstream>

#include "observe/trace/pcapng_writer.hpp"
#include "observe/trace/tracer.hpp"

namespace peerpath::trace {
namespace {

TEST(Pcapng, BlocksAreWhatTheFormatSays) {
  std::ostringstream out;
  PcapngWriter writer{out, "p", "", 12};
  const auto section = out.str().size();
  EXPECT_EQ(section, 12 + 16 + 8 + 4U);  // block, its fields, one option of 1 B, end of options
  EXPECT_EQ(writer.add({LinkType::tlp, "a-b", "", 0, 16}), 0U);
  EXPECT_EQ(writer.add({LinkType::ethernet, "c", "", 0, 128}), 1U);
  const auto before = out.str().size();
  const std::uint8_t bytes[]{1, 2, 3, 4, 5};
  writer.packet(1, 0x0000000100000002, bytes, 99, PacketDirection::outbound, {});
  const std::string packet = out.str().substr(before);
  const std::string wanted{
      "\x06\0\0\0\x34\0\0\0"                       // enhanced packet block, 52 B
      "\x01\0\0\0\x01\0\0\0\x02\0\0\0"             // interface, time
      "\x05\0\0\0\x63\0\0\0"                       // captured, on the wire
      "\x01\x02\x03\x04\x05\0\0\0"                 // padded
      "\x02\0\x04\0\x02\0\0\0\0\0\0\0\x34\0\0\0",  // flags: outbound; end of options; 52 B
      52};
  EXPECT_EQ(packet, wanted);
}

TEST(Tracer, AStarStandsForAnyText) {
  EXPECT_TRUE(matches("gpu*-sw0", "gpu12-sw0"));
  EXPECT_TRUE(matches("*", "nic0-rc"));
  EXPECT_TRUE(matches("*-*", "nic0-rc"));
  EXPECT_FALSE(matches("gpu*-sw0", "gpu0-sw1"));
  EXPECT_FALSE(matches("gpu0", "gpu0-sw1"));
}

}  // namespace
}  // namespace peerpath::trace
