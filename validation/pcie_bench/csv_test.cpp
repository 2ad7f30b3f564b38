#include "validation/pcie_bench/csv.hpp"

#include <gtest/gtest.h>

namespace peerpath::pcie_bench {
namespace {

TEST(Csv, ReadsATable) {
  const auto table = parse_csv("Test,SZ\nA,64\r\nB,65\n", "f.csv", {"SZ", "Test"});
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 2u);
  EXPECT_EQ(cell(*table, table->rows[0], "SZ"), "64");
  Problems problems;
  EXPECT_EQ(positive_number(*table, table->rows[1], "SZ", problems), 65.0);
  EXPECT_TRUE(problems.empty());
}

std::string first_problem(std::string_view text) {
  const auto table = parse_csv(text, "f.csv", {"SZ"});
  return table ? "" : to_string(table.error().front());
}

TEST(Csv, SaysWhereATableIsBroken) {
  EXPECT_NE(first_problem("").find("f.csv"), std::string::npos);
  EXPECT_NE(first_problem("Test,SZ\n").find("no results"), std::string::npos);
  EXPECT_NE(first_problem("Test\nA\n").find("\"SZ\" is missing"), std::string::npos);
  EXPECT_NE(first_problem("Test,SZ\nA,64\nB\n").find("f.csv:3"), std::string::npos);
  EXPECT_NE(first_problem("Test,SZ\nA,64\nB,6").find("truncated"), std::string::npos);
}

TEST(Csv, RefusesWhatIsNotANumberAboveZero) {
  const auto table = parse_csv("SZ\nnan\ninf\n-1\n0\n12x\n\n", "f.csv", {"SZ"});
  ASSERT_TRUE(table);
  for (const auto& row : table->rows) {
    Problems problems;
    positive_number(*table, row, "SZ", problems);
    ASSERT_EQ(problems.size(), 1u) << cell(*table, row, "SZ");
    EXPECT_EQ(problems.front().line, row.line);
  }
}

}  // namespace
}  // namespace peerpath::pcie_bench
