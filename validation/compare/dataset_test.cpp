#include "validation/compare/dataset.hpp"

#include <gmock/gmock.h>

namespace peerpath::compare {
namespace {

using testing::HasSubstr;

constexpr const char* header =
    R"({"peerpath_dataset":1,"started":"2026-01-01T00:00:00Z","command":"peerpath measure","host":{"processor":"p","kernel":"6"},)"
    R"("driver":{"interface":"cuda","version":13000},"gpus":[{"name":"H200","pcie":{"function":{"generation":5,"width":16,)"
    R"("max_payload":256,"max_read_request":4096}}}],"plan":[{"experiment":"copy","points":2}]})"
    "\n";
constexpr const char* first =
    R"({"point":1,"experiment":"copy","settings":{"bytes":64},"unit":"ns","median":32.0,"least":30,"p10":31,"p90":33,"most":40,"samples":9,"bytes":64,"rate_unit":"GB/s","rate":2.0})"
    "\n";
constexpr const char* second =
    R"({"point":2,"experiment":"copy","settings":{"bytes":128},"unit":"ns","median":64.0,"least":30,"p10":31,"p90":73,"most":80,"samples":9,"bytes":128,"rate_unit":"GB/s","rate":2.0})"
    "\n";
constexpr const char* end = "{\"end\":2,\"failed\":0,\"seconds\":1}\n";

std::string with(std::string line, const std::string& what, const std::string& instead) {
  const auto at = line.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return line.replace(at, what.size(), instead);
}

/// The problems of a dataset, each as the user sees it.
std::vector<std::string> problems_of(const std::string& text) {
  const auto read = read_dataset(text, "d.jsonl");
  std::vector<std::string> all;
  if (!read)
    for (const auto& problem : read.error()) all.push_back(to_string(problem));
  return all;
}

TEST(Dataset, IsRead) {
  const auto read = read_dataset(std::string{header} + first + second + end, "d.jsonl");
  ASSERT_TRUE(read) << to_string(read.error().front());
  ASSERT_EQ(read->points.size(), 2u);
  EXPECT_EQ(read->points[1].at("bytes"), 128);
  EXPECT_DOUBLE_EQ(read->points[1].rate(), 2);
  EXPECT_EQ(read->gpus.front().max_read_request, 4096);
}

TEST(Dataset, ThoseInTheRepositoryAreWhole) {
  for (const auto* name : {"one_gpu", "two_gpus_b", "four_gpus_a", "four_gpus_b"}) {
    const auto read = load_dataset(PEERPATH_DATA "/h200/" + std::string{name} + ".jsonl");
    ASSERT_TRUE(read) << to_string(read.error().front());
    EXPECT_GE(read->points.size(), 250u);
    EXPECT_TRUE(read->failed.empty());
  }
}

TEST(Dataset, ValuesOfAnotherKindAreRefusedWithTheirLine) {
  for (const auto& [what, instead] : {std::pair{"\"point\":1", "\"point\":\"1\""},
                                      {"\"experiment\":\"copy\"", "\"experiment\":5"},
                                      {"\"unit\":\"ns\"", "\"unit\":5"},
                                      {"\"rate_unit\":\"GB/s\"", "\"rate_unit\":[]"}})
    EXPECT_THAT(problems_of(std::string{header} + with(first, what, instead) + second + end),
                testing::Contains(HasSubstr("d.jsonl:2:1: a value of another kind than it should be: type must be")))
        << instead;
  EXPECT_THAT(
      problems_of(std::string{header} + with(first, "\"bytes\":64}", "\"bytes\":18446744073709551615}") + second + end),
      testing::Contains(HasSubstr("d.jsonl:2:1: settings: bytes is not a whole number that can be counted")));
}

TEST(Dataset, LinksAndSizesThatPcieDoesNotHaveAreRefused) {
  for (const auto& [what, instead] : {std::pair{"\"generation\":5", "\"generation\":9"},
                                      {"\"width\":16", "\"width\":0"},
                                      {"\"width\":16", "\"width\":3"}})
    EXPECT_THAT(problems_of(with(header, what, instead) + first + second + end),
                testing::ElementsAre(HasSubstr("d.jsonl:1:1: gpus: H200 has a link of generation")))
        << instead;
  for (const auto& [what, instead] :
       {std::pair{"\"max_payload\":256", "\"max_payload\":0"}, {"request\":4096", "request\":700"}})
    EXPECT_THAT(problems_of(with(header, what, instead) + first + second + end),
                testing::ElementsAre(HasSubstr("; it is 128, 256, 512, 1024, 2048 or 4096")))
        << instead;
}

TEST(Dataset, WhatIsNoDatasetIsRefusedAtItsFirstLine) {
  EXPECT_THAT(problems_of("{\n  \"devices\": 5\n}\n"),
              testing::ElementsAre(HasSubstr("d.jsonl:1:1: not JSON: syntax error while parsing object key")));
}

TEST(Dataset, AnotherSchemaVersionIsRefused) {
  EXPECT_THAT(problems_of(with(header, "dataset\":1", "dataset\":2") + first + second + end),
              testing::ElementsAre(HasSubstr("d.jsonl:1:1: peerpath_dataset: schema version 2; this program reads 1")));
}

TEST(Dataset, AHoleIsRefused) {
  EXPECT_THAT(problems_of(std::string{header} + second + end),
              testing::Contains(HasSubstr("d.jsonl:2:1: point: is 2 where 1 comes next")));
  EXPECT_THAT(problems_of(std::string{header} + first + with(end, "2", "1")),
              testing::Contains(HasSubstr("plan: copy has 1 of 2 points")));
  EXPECT_THAT(problems_of(std::string{header} + with(first, R"("p10":31,)", "") + second + end),
              testing::Contains(HasSubstr("d.jsonl:2:1: p10: is missing")));
}

TEST(Dataset, WhatIsNoNumberIsRefused) {
  for (const auto* wrong : {"null", "\"fast\""})
    EXPECT_THAT(problems_of(std::string{header} + with(first, "32.0", wrong) + second + end),
                testing::Contains(HasSubstr("d.jsonl:2:1: median: is")))
        << wrong;
  for (const auto* wrong : {"NaN", "1e999"})
    EXPECT_THAT(problems_of(std::string{header} + with(first, "32.0", wrong) + second + end),
                testing::Contains(HasSubstr("d.jsonl:2:1: not JSON")))
        << wrong;
}

TEST(Dataset, APointWithADifferenceBelowTheNoiseIsSetAside) {
  for (const auto* least : {"-4.5", "0"}) {
    const auto read = read_dataset(
        std::string{header} + with(first, ":30,", ":" + std::string{least} + ",") + second + end, "d.jsonl");
    ASSERT_TRUE(read) << to_string(read.error().front());
    ASSERT_EQ(read->points.size(), 1u);
    EXPECT_EQ(read->points.front().number, 2);
    ASSERT_EQ(read->below_noise.size(), 1u);
    EXPECT_THAT(to_string(read->below_noise.front()),
                HasSubstr("d.jsonl:2:1: copy: is set aside: a sample of " + std::string{least} + " ns"));
  }
  EXPECT_THAT(
      problems_of(std::string{header} + with(first, "32.0", "-32.0") + second + end),
      testing::ElementsAre(HasSubstr("d.jsonl:2:1: median: least, p10, median, p90 and most are not in order")));
  EXPECT_THAT(problems_of(std::string{header} + with(first, "\"rate\":2.0", "\"rate\":-2.0") + second + end),
              testing::ElementsAre(HasSubstr("d.jsonl:2:1: rate: is -2.0, not above 0")));
}

TEST(Dataset, SwappedUnitsAreRefused) {
  EXPECT_THAT(problems_of(std::string{header} + with(first, R"("unit":"ns")", R"("unit":"us")") + second + end),
              testing::Contains(HasSubstr("d.jsonl:2:1: unit: is \"us\"; values here are in ns")));
  EXPECT_THAT(problems_of(std::string{header} + with(first, R"("rate":2.0)", R"("rate":32.0)") + second + end),
              testing::Contains(HasSubstr("d.jsonl:2:1: rate: 32.0")));
  EXPECT_THAT(problems_of(std::string{header} + with(first, R"("GB/s")", R"("Gb/s")") + second + end),
              testing::Contains(HasSubstr("d.jsonl:2:1: rate_unit")));
}

TEST(Dataset, ATruncatedFileIsRefused) {
  const auto whole = std::string{header} + first + second + end;
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(problems_of(whole.substr(0, length)).empty()) << length;
  EXPECT_THAT(
      problems_of(std::string{header} + first + second),
      testing::ElementsAre(HasSubstr("d.jsonl:3:1: end: the last line is missing: measuring was cut short after 2")));
}

TEST(Dataset, TheSamePointTwiceIsRefused) {
  EXPECT_THAT(problems_of(std::string{header} + first + with(second, "\"bytes\":128}", "\"bytes\":64}") + end),
              testing::Contains(HasSubstr("twice")));
}

}  // namespace
}  // namespace peerpath::compare
