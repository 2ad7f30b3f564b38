#include "scenario/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "peerpath/scenario/describe.hpp"

namespace peerpath::scenario {
namespace {

using namespace std::chrono_literals;

template <class T>
std::string hint(std::string_view text) {
  const auto value = parse_quantity<T>(text);
  return value ? "accepted" : value.error();
}

TEST(Quantity, KnowsBinaryAndDecimalUnits) {
  EXPECT_EQ(parse_quantity<Bytes>("4KiB"), 4096_B);
  EXPECT_EQ(parse_quantity<Bytes>("4kB"), 4000_B);
  EXPECT_EQ(parse_quantity<Bytes>("1.5MiB"), 1536_KiB);
  EXPECT_EQ(parse_quantity<BitRate>("200Gbps"), 200_Gbps);
  EXPECT_EQ(parse_quantity<BitRate>("1.6Tbps"), 1600_Gbps);
  EXPECT_EQ(parse_quantity<Duration>("2.5us"), 2500ns);
  EXPECT_EQ(parse_quantity<Duration>("0.001ps"), Duration{1});
}

TEST(Quantity, IsExactUpToTheLargestInteger) {
  EXPECT_EQ(parse_quantity<Bytes>("9223372036854775807B"), Bytes{std::numeric_limits<std::int64_t>::max()});
  EXPECT_EQ(hint<Bytes>("9223372036854775808B"), "is too large; the most is \"8388607TiB\"");
  EXPECT_EQ(parse_quantity<Duration>("9223s"), Duration{9223} * 1'000'000'000'000'000);
  EXPECT_EQ(hint<Duration>("9224s"), "is too large; the most is \"9223s\"");
  EXPECT_EQ(hint<Duration>("0.0001fs"), "is not a whole number of femtoseconds");
}

TEST(Quantity, RefusesWhatCouldMeanTwoThings) {
  EXPECT_EQ(hint<Bytes>("4K"), "is ambiguous; write \"4KiB\" for 1024 B or \"4kB\" for powers of 1000");
  EXPECT_EQ(hint<Bytes>("4M"), "is ambiguous; write \"4MiB\" for 1024 KiB or \"4MB\" for powers of 1000");
  EXPECT_EQ(hint<BitRate>("200G"), "has no unit of a rate; write \"200Gbps\"");
  EXPECT_EQ(hint<BitRate>("25GBps"), "counts bytes; a rate is in bits per second, such as \"200Gbps\"");
  EXPECT_EQ(hint<BitRate>("25GB/s"), "counts bytes; a rate is in bits per second, such as \"200Gbps\"");
  EXPECT_EQ(hint<BitRate>("200gbps"), "has its unit spelt wrongly; write \"200Gbps\"");
  EXPECT_EQ(hint<BitRate>("200Gb/s"), "is spelt \"200Gbps\" here");
  EXPECT_EQ(hint<Duration>("5m"), "has no unit of a time; write \"5ms\"");
  EXPECT_EQ(hint<Duration>("5\u00b5s"), "is spelt \"5us\" here");
}

TEST(Quantity, RefusesWhatIsNone) {
  for (const auto* text : {"", " ", "B", ".", "1.", ".5B", "1..2B", "1e3B", "0x10B", "+1B", "4KiB ", " 4KiB", "4 096B"})
    EXPECT_NE(hint<Bytes>(text), "accepted") << text;
  EXPECT_EQ(hint<Bytes>("-4KiB"), "is negative; a size cannot be");
  EXPECT_EQ(hint<Duration>("500"), "has no unit; write e.g. \"500ns\"");
  EXPECT_EQ(hint<Duration>("500 ns"), "has a space in it; write \"500ns\"");
}

TEST(Quantity, IsSpeltInTheLargestUnitThatFits) {
  EXPECT_EQ(to_text(4096_B), "4KiB");
  EXPECT_EQ(to_text(9000_B), "9000B");
  EXPECT_EQ(to_text(Bytes{141'000'000'000}), "141GB");
  EXPECT_EQ(to_text(0_B), "0B");
  EXPECT_EQ(to_text(200_Gbps), "200Gbps");
  EXPECT_EQ(to_text(BitRate{12'500'000'000}), "12500Mbps");
  EXPECT_EQ(to_text(Duration{1500ns}), "1500ns");
  EXPECT_EQ(to_text(Duration{0}), "0ns");
  EXPECT_EQ(to_text(BusAddress{0x40'0000'0000}), "0x4000000000");
}

TEST(Quantity, ARateBeyondHardwareHasTheSmallerUnitThatFits) {
  using namespace literals;
  EXPECT_EQ(in_smaller_unit(200'000_Gbps, 1600_Gbps), "; did you mean \"200000Mbps\"?");
  EXPECT_EQ(in_smaller_unit(4'000'000_Gbps, 1600_Gbps), "; did you mean \"4000000kbps\"?");
  EXPECT_EQ(in_smaller_unit(BitRate{1'600'000'000'001}, 1600_Gbps), "") << "there is no smaller unit";
}

TEST(Quantity, SpeltAndReadAgainIsTheSame) {
  for (const std::int64_t n :
       std::initializer_list<std::int64_t>{1LL, 1000LL, 1024LL, 1536LL, 1'000'000LL, 1LL << 40, 123'456'789LL,
                                           std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(parse_quantity<Bytes>(to_text(Bytes{n})), Bytes{n});
    EXPECT_EQ(parse_quantity<BitRate>(to_text(BitRate{n})), BitRate{n});
    EXPECT_EQ(parse_quantity<Duration>(to_text(Duration{n})), Duration{n});
    EXPECT_EQ(parse_quantity<BusAddress>(to_text(BusAddress{static_cast<std::uint64_t>(n)})),
              BusAddress{static_cast<std::uint64_t>(n)});
  }
}

}  // namespace
}  // namespace peerpath::scenario
