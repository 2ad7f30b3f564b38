#include "peerpath/base/ring.hpp"

#include <algorithm>
#include <deque>

#include <gtest/gtest.h>

#include "peerpath/base/random.hpp"

namespace peerpath {
namespace {

TEST(Ring, does_what_a_deque_does_while_it_wraps_and_grows) {
  Ring<int> ring;
  std::deque<int> wanted;
  std::size_t most = 0;
  Random random{1, "ring"};
  for (int i = 0; i < 5000; ++i) {
    const bool filling = i / 500 % 2 == 0;
    if (wanted.empty() || random.below(4) < (filling ? 3u : 1u)) {
      ring.push(i);
      wanted.push_back(i);
    } else {
      ring.pop();
      wanted.pop_front();
    }
    most = std::max(most, wanted.size());
    ASSERT_EQ(ring.size(), wanted.size());
    ASSERT_EQ(ring.empty(), wanted.empty());
    if (wanted.empty()) continue;
    ASSERT_EQ(ring.front(), wanted.front());
    ASSERT_EQ(ring.back(), wanted.back());
    ASSERT_EQ(ring[wanted.size() / 2], wanted[wanted.size() / 2]);
  }
  EXPECT_GT(most, 16u);  // it has grown more than once
  ring.push(1);
  ring.clear();
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace peerpath
