#include "study/text/text_table.hpp"

#include <gtest/gtest.h>

namespace peerpath::study {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesNoBlanksAtTheEnd) {
  TextTable table{{{"name", TextTable::Align::left}, {"value"}, {"note", TextTable::Align::left}}};
  table.add({"a", "1", "x"});
  table.add({"longer", "1000", ""});
  EXPECT_EQ(table.text(1),
            " name    value  note\n"
            " a           1  x\n"
            " longer   1000\n");
}

TEST(TextTable, CountsCharactersNotBytes) {
  TextTable table{{{"", TextTable::Align::left}, {""}}};
  table.add({"µs", "1"});
  table.add({"ns", "2"});
  EXPECT_EQ(table.text(), "µs  1\nns  2\n");
}

}  // namespace
}  // namespace peerpath::study
