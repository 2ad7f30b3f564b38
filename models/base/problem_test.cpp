#include "peerpath/base/problem.hpp"

#include <gtest/gtest.h>

namespace peerpath {
namespace {

TEST(Problem, has_the_form_that_editors_jump_to) {
  EXPECT_EQ(to_string(Problem{"a.json", 3, 7, "/devices/nic0/mps", "must be at least 128B"}),
            "a.json:3:7: /devices/nic0/mps: must be at least 128B");
}

TEST(Problem, of_a_whole_file_has_no_line) {
  EXPECT_EQ(to_string(Problem{"a.json", 0, 0, "", "is empty"}), "a.json: is empty");
}

TEST(Problem, of_the_command_line_has_no_file) {
  EXPECT_EQ(to_string(Problem{"", 0, 0, "--seed", "is not a number"}), "--seed: is not a number");
}

}  // namespace
}  // namespace peerpath
