#include "peerpath/base/units.hpp"

#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include "peerpath/base/address.hpp"
#include "peerpath/base/id.hpp"

namespace peerpath {
namespace {

TEST(Units, time_of_a_size_at_a_rate_is_exact_or_rounded_up) {
  EXPECT_EQ(1_B / 1_Gbps, Duration{8'000'000});
  EXPECT_EQ(1_B / BitRate{3}, Duration{2'666'666'666'666'667});
  EXPECT_EQ(0_B / 200_Gbps, Duration{0});
}

TEST(Units, a_terabyte_does_not_overflow) { EXPECT_EQ(1024_GiB / 200_Gbps, Duration{43'980'465'111'040'000}); }

TEST(UnitsDeathTest, a_time_beyond_counting_ends_the_program) {
  EXPECT_EQ(1_MiB / 1_Mbps, Duration{8'388'608'000'000'000});
  EXPECT_EXIT((void)(4_KiB / BitRate{1}), testing::ExitedWithCode(exit_bug), "exceeds the range.*units.hpp");
  EXPECT_EXIT((void)(4_KiB / BitRate{3}), testing::ExitedWithCode(exit_bug), "exceeds the range");
}

TEST(UnitsDeathTest, a_narrowed_value_is_the_same_or_ends_the_program) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(narrow(WideInt{most}), most);
  EXPECT_EQ(narrow(-WideInt{most} - 1), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(narrow<int>(WideInt{-7}), -7);
  EXPECT_EXIT((void)narrow(WideInt{most} + 1), testing::ExitedWithCode(exit_bug), "128-bit.*units_test.cpp");
  EXPECT_EXIT((void)narrow<int>(WideInt{1} << 31), testing::ExitedWithCode(exit_bug), "exceeds the range");
}

TEST(Units, bytes_count_like_integers) {
  EXPECT_EQ(4_KiB, 4096_B);
  EXPECT_EQ(2_MiB / 4_KiB, 512);
  EXPECT_EQ(100_B % 64_B, 36_B);
  EXPECT_EQ(3 * 2_B - 1_B, 5_B);
}

TEST(Units, address_arithmetic_stays_in_its_space) {
  const BusAddress bar{0x1000};
  EXPECT_EQ((bar + 16_B).value(), 0x1010u);
  EXPECT_EQ((bar + 16_B) - bar, 16_B);
}

TEST(Units, address_spaces_and_ids_do_not_convert) {
  EXPECT_FALSE((std::is_convertible_v<BusAddress, HostAddress>));
  EXPECT_FALSE((std::is_constructible_v<GpuAddress, BusAddress>));
  EXPECT_FALSE((std::is_constructible_v<Id<struct A>, Id<struct B>>));
  EXPECT_FALSE((std::is_convertible_v<int, Bytes>));
}

TEST(Time, a_gen5_x16_symbol_keeps_its_digits) {
  EXPECT_EQ(femtoseconds(Instant{} + std::chrono::duration<int, std::pico>{254}), 254'000);
  EXPECT_LT(Instant{std::chrono::hours{2}}, never);
}

}  // namespace
}  // namespace peerpath
