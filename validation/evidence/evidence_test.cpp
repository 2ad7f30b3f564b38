#include <gmock/gmock.h>

#include "validation/evidence/results.hpp"
#include "validation/evidence/tables.hpp"

namespace peerpath::evidence {
namespace {

using testing::HasSubstr;

constexpr const char* two_sets = R"({"peerpath_evidence":1,
  "held_to":{"gpu":{"laws: median error":4}},
  "sets":[{"name":"a","kind":"gpu","file":"a.jsonl","machine":"m","split":"a third","calibration":"c.json",
           "known":{"laws: median error":{"size":5,"reason":"cold"}}},
          {"name":"b","kind":"gpu","file":"b.jsonl","machine":"m","split":"nothing","calibration":"c.json"}]})";

Verdict verdict_of(const std::string& set, double value, std::string_view name = gpu_row::median) {
  const auto evidence = *read_evidence(two_sets, "e.json");
  const std::vector<Row> rows{{set, std::string{name}, value}};
  return judge(evidence, rows).front().verdict;
}

TEST(Evidence, ARowIsHeldToItsBoundAndAListedDeviationToItsSize) {
  EXPECT_EQ(verdict_of("b", 3.9), Verdict::pass);
  EXPECT_EQ(verdict_of("b", 4.1), Verdict::fail);
  EXPECT_EQ(verdict_of("a", 3.9), Verdict::pass);
  EXPECT_EQ(verdict_of("a", 4.9), Verdict::known);
  EXPECT_EQ(verdict_of("a", 5.05), Verdict::known);
  EXPECT_EQ(verdict_of("a", 5.2), Verdict::grown);
  EXPECT_EQ(verdict_of("a", 99, gpu_row::worst), Verdict::reported);
  EXPECT_EQ(verdict_of("nowhere", 0), Verdict::fail);
}

TEST(Evidence, ARowThatBringsItsBoundIsHeldToIt) {
  const auto evidence = *read_evidence(two_sets, "e.json");
  const std::vector<Row> rows{{"b", "PB-01", 4, 3.0}, {"b", "PB-02", 2, 3.0}};
  const auto judged = judge(evidence, rows);
  EXPECT_EQ(judged[0].verdict, Verdict::fail);
  EXPECT_EQ(judged[1].verdict, Verdict::pass);
}

TEST(Evidence, WhatIsIncompleteIsRefusedWithItsPlace) {
  const auto refused = [](const std::string& from, const std::string& to) {
    std::string text{two_sets};
    text.replace(text.find(from), from.size(), to);
    const auto read = read_evidence(text, "e.json");
    return read ? "" : to_string(read.error().front());
  };
  EXPECT_THAT(refused("\"name\":\"b\"", "\"name\":\"a\""), HasSubstr("is there twice"));
  EXPECT_THAT(refused("\"kind\":\"gpu\"", "\"kind\":\"cpu\""), HasSubstr("a/kind: \"cpu\" is no kind of set"));
  EXPECT_THAT(refused("\"size\":5,", ""), HasSubstr("a/known/laws: median error: requires a size"));
  EXPECT_THAT(refused(",\"reason\":\"cold\"", ""), HasSubstr("and a reason"));
  EXPECT_THAT(refused("\"split\":\"nothing\",", ""), HasSubstr("b/split: is missing"));
  EXPECT_THAT(refused("\"peerpath_evidence\":1", "\"peerpath_evidence\":2"), HasSubstr("not schema version 1"));
}

TEST(Results, AreReadBackAsTheyWere) {
  const std::vector<Row> rows{{"a", "laws: median error", 1.25, {}, 171}, {"a", "PB-01", 2, 3.5, 4}};
  const auto read = read_results(results_json(rows), "r.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(results_json(*read), results_json(rows));
  EXPECT_EQ(find(*read, "a", "PB-01")->most, 3.5);
  auto now = rows;
  now[1].value = 2.5;
  now.push_back({"a", "new", 1});
  const auto changed = changes(*read, now);
  ASSERT_EQ(changed.size(), 2u);
  EXPECT_EQ(changed[0].kept, 2);
  EXPECT_FALSE(changed[1].kept);
}

TEST(Tables, ABlockIsReplacedAndTheRestKept) {
  const Blocks blocks{{"gpu", "| new |\n"}};
  EXPECT_EQ(*with_tables("a\n<!-- evidence: gpu -->\n| old |\n<!-- end -->\nb\n", "d.md", blocks),
            "a\n<!-- evidence: gpu -->\n| new |\n<!-- end -->\nb\n");
  EXPECT_EQ(*with_tables("nothing\n", "d.md", blocks), "nothing\n");
  EXPECT_THAT(to_string(with_tables("<!-- evidence: cpu -->\n<!-- end -->", "d.md", blocks).error().front()),
              HasSubstr("cpu: there is no such table"));
  EXPECT_THAT(to_string(with_tables("<!-- evidence: gpu -->\n", "d.md", blocks).error().front()),
              HasSubstr("has no end"));
}

TEST(Tables, WhatMissesItsBoundIsBoldAndListed) {
  const auto evidence = *read_evidence(two_sets, "e.json");
  const std::vector<Row> rows{{"a", std::string{gpu_row::median}, 4.96, {}, 7},
                              {"b", std::string{gpu_row::median}, 1.04, {}, 8}};
  const auto judged = judge(evidence, rows);
  const auto made = tables(evidence, judged);
  EXPECT_THAT(made.at("gpu"), HasSubstr("| `a` | 7 | **5.0** |"));
  EXPECT_THAT(made.at("gpu"), HasSubstr("| `b` | 8 | 1.0 |"));
  EXPECT_THAT(made.at("known"), HasSubstr("| `a` | laws: median error | 5.0 | 4 | cold |"));
  EXPECT_THAT(made.at("accuracy"), HasSubstr("2 GPU datasets, 15 points | median error 1.0 to 5.0 %"));
}

}  // namespace
}  // namespace peerpath::evidence
