#include "core/host/associative_cache.hpp"

#include <gtest/gtest.h>

namespace peerpath::host {
namespace {

using device::Replacement;

TEST(AssociativeCache, HoldsWhatWasPutInUntilItsSetIsFull) {
  AssociativeCache cache{4, 2, Replacement::lru};
  cache.insert(1);
  cache.insert(5);
  cache.insert(2);
  EXPECT_TRUE(cache.find(1) && cache.find(5) && cache.find(2));
  cache.insert(9);  // the set of 1 and 5
  EXPECT_FALSE(cache.find(1));
  EXPECT_TRUE(cache.find(5) && cache.find(9) && cache.find(2));
}

TEST(AssociativeCache, LruSparesWhatWasUsedAndFifoDoesNot) {
  for (const auto replacement : {Replacement::lru, Replacement::fifo}) {
    AssociativeCache cache{1, 2, replacement};
    cache.insert(1);
    cache.insert(2);
    EXPECT_TRUE(cache.find(1));
    cache.insert(3);
    EXPECT_EQ(cache.find(1).has_value(), replacement == Replacement::lru);
    EXPECT_EQ(cache.find(2).has_value(), replacement == Replacement::fifo);
  }
}

TEST(AssociativeCache, RandomReplacementFillsWhatIsEmptyFirst) {
  AssociativeCache cache{1, 8, Replacement::random};
  for (std::uint64_t key = 0; key < 8; ++key) cache.insert(key);
  for (std::uint64_t key = 0; key < 8; ++key) EXPECT_TRUE(cache.find(key));
  cache.insert(8);
  int held = 0;
  for (std::uint64_t key = 0; key < 8; ++key) held += cache.find(key) ? 1 : 0;
  EXPECT_EQ(held, 7);
}

TEST(AssociativeCache, AFewWaysCanBeAllThatAnInsertionMayFill) {
  AssociativeCache cache{1, 4, Replacement::lru};
  cache.insert(1, 2);
  cache.insert(2, 2);
  cache.insert(3, 2);
  EXPECT_FALSE(cache.find(1));
  cache.insert(4);
  cache.insert(5);
  EXPECT_TRUE(cache.find(2) && cache.find(3) && cache.find(4) && cache.find(5));
}

TEST(AssociativeCache, ForgetsOneOrAll) {
  AssociativeCache cache{1, 4, Replacement::lru};
  cache.insert(1);
  cache.insert(2);
  cache.erase(1);
  cache.erase(7);
  EXPECT_FALSE(cache.find(1));
  EXPECT_TRUE(cache.find(2));
  cache.clear();
  EXPECT_FALSE(cache.find(2));
}

}  // namespace
}  // namespace peerpath::host
