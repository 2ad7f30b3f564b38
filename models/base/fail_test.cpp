#include "peerpath/base/fail.hpp"

#include <gtest/gtest.h>

#include "peerpath/base/bug.hpp"

namespace peerpath {
namespace {

TEST(FailDeathTest, says_what_and_where_and_ends_with_the_status_of_a_bug) {
  EXPECT_EXIT(fail("queue is empty"), testing::ExitedWithCode(exit_bug), "internal error: queue is empty .*fail_test");
}

TEST(FailDeathTest, require_fails_only_when_the_condition_does_not_hold) {
  require(true, "never printed");
  EXPECT_EXIT(require(1 > 2, "order"), testing::ExitedWithCode(exit_bug), "internal error: order");
}

TEST(FailDeathTest, within_another_program_it_throws) {
  {
    const BugsAreThrown here;
    EXPECT_THROW(fail("queue is empty"), Bug);
    { const BugsAreThrown again; }
    EXPECT_THROW(require(false, "order"), Bug);
  }
  EXPECT_EXIT(fail("queue is empty"), testing::ExitedWithCode(exit_bug), "internal error");
}

}  // namespace
}  // namespace peerpath
