#include "peerpath/base/nearest.hpp"

#include <gtest/gtest.h>

namespace peerpath {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("nic", ""), 3u);
  EXPECT_EQ(edit_distance("nic", "nic"), 0u);
  EXPECT_EQ(edit_distance("nic", "nice"), 1u);
  EXPECT_EQ(edit_distance("gpu", "cpu"), 1u);
  EXPECT_EQ(edit_distance("siwtch", "switch"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, FindsTheClosestAndIgnoresTheFar) {
  const std::vector<std::string> names{"devices", "links", "traffic", "expect"};
  EXPECT_EQ(nearest("trafic", names), "traffic");
  EXPECT_EQ(nearest("lnik", std::vector<std::string_view>{"link"}), "link");
  EXPECT_EQ(nearest("colour", names), "");
  EXPECT_EQ(nearest("", names), "");
}

TEST(Nearest, GivesUpOnAbsurdlyLongWords) {
  EXPECT_EQ(nearest(std::string(300, 'x'), std::vector<std::string>{std::string(300, 'x')}), "");
}

}  // namespace
}  // namespace peerpath
