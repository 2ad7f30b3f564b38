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

TEST(Problem, is_one_line_without_anything_that_a_terminal_obeys) {
  EXPECT_EQ(to_string(Problem{"a\x1b[2J.json", 1, 2, "/devices/x\ny: ok",
                              "unknown key \"\x9b"
                              "2J\"\r"}),
            "a\\x1b[2J.json:1:2: /devices/x\\ny: ok: unknown key \"\\x9b2J\"\\r");
}

TEST(Printable, keeps_text_and_spells_control_characters_out) {
  EXPECT_EQ(printable("Gr\u00f6\u00dfe \u4e2d \U0001f600~"), "Gr\u00f6\u00dfe \u4e2d \U0001f600~");
  EXPECT_EQ(printable(std::string_view{"a\0b\x7f\u009bm", 7}), "a\\x00b\\x7f\\u009bm");
  EXPECT_EQ(printable("\xff \xc3( \xe2\x82"), "\\xff \\xc3( \\xe2\\x82");
  EXPECT_EQ(printable("one\n\ttwo\x1b", "\n\t"), "one\n\ttwo\\x1b");
}

}  // namespace
}  // namespace peerpath
