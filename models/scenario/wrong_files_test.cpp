// Each wrong scenario in testdata/wrong has its whole list of problems beside it, where {kinds} stands for the kinds of
// devices that there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "peerpath/base/temporary_folder.hpp"
#include "peerpath/scenario/describe.hpp"
#include "scenario/test_files.hpp"

namespace peerpath::scenario {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string with_kinds(std::string text) {
  std::string kinds;
  for (const auto& kind : device_kinds()) kinds += (kinds.empty() ? "" : ", ") + kind.name;
  constexpr std::string_view place{"{kinds}"};
  for (auto at = text.find(place); at != text.npos; at = text.find(place)) text.replace(at, place.size(), kinds);
  return text;
}

std::vector<std::string> wrong_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{testdata() / "wrong"})
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class WrongFile : public testing::TestWithParam<std::string> {};

TEST_P(WrongFile, GivesEveryProblemWithItsPlace) {
  fs::current_path(testdata());  // so that problems spell the files as the lists do
  LoadOptions options;
  options.search = {shipped_scenarios()};  // as the program has it, which so knows the right spelling of files
  const auto loaded = load(fs::path{"wrong"} / (GetParam() + ".json"), options);
  ASSERT_FALSE(loaded.has_value());
  const auto wanted = with_kinds(text_of(testdata() / "wrong" / (GetParam() + ".problems")));
  EXPECT_FALSE(wanted.empty());
  EXPECT_EQ(lines_of(loaded.error()), wanted);
}

INSTANTIATE_TEST_SUITE_P(, WrongFile, testing::ValuesIn(wrong_files()), [](const auto& info) { return info.param; });

TEST(WrongFiles, AreAtLeastThirty) { EXPECT_GE(wrong_files().size(), 30U); }

TEST(GoodFile, IsWhatTheWrongOnesChange) {
  const auto loaded = load(testdata() / "good.json");
  EXPECT_TRUE(loaded.has_value()) << lines_of(loaded.error());
}

std::string problems_of(std::string_view text) {
  const auto loaded = load_text(text, "big.json", in_memory({}));
  return loaded ? "" : lines_of(loaded.error());
}

TEST(HugeInput, OfHundredMegabytesIsRefusedUnread) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "huge_scenario.json";
  std::ofstream{path} << "{";
  fs::resize_file(path, 100'000'000);  // sparse: takes no space
  const auto loaded = load(path);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(lines_of(loaded.error()), path.string() + ": is larger than 16MiB, the limit for scenario files\n");
}

TEST(HugeInput, OfManyValuesIsRefused) {
  std::string text = "[0";
  for (int i = 0; i < 1'000'001; ++i) text += ",0";
  EXPECT_EQ(problems_of(text + "]"), "big.json:1:2000000: more than 1000000 values in one file\n");
}

TEST(HugeInput, NestedTooDeeplyIsRefusedWithoutRunningOutOfStack) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(problems_of(deep), "big.json:1:65: nested deeper than 64 levels\n");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(problems_of(objects), "big.json:1:321: nested deeper than 64 levels\n");
}

TEST(HugeInput, GivesAListOfProblemsThatCanBeRead) {
  std::string text = R"({"devices":{)";
  for (int i = 0; i < 400; ++i) text += (i ? "," : "") + ("\"d" + std::to_string(i)) + "\":{}";
  const auto loaded = load_text(text + "}}", "big.json", in_memory({}));
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().size(), 201U);
  EXPECT_EQ(to_string(loaded.error().back()), "big.json: more problems than these; the rest is left out");
}

TEST(HugeInput, OfPresetsThatDoubleEachOtherIsRefused) {
  std::map<std::string, std::string> files{{"p0.json", R"({"a":{"b":0,"c":1,"d":2,"e":3}})"}};
  for (int i = 1; i <= 40; ++i) {
    const auto below = "\"p" + std::to_string(i - 1) + ".json\"";
    files["p" + std::to_string(i) + ".json"] = "{\"x\":{\"extends\":" + below + "},\"y\":{\"extends\":" + below + "}}";
  }
  const auto loaded = load_text(R"({"extends":"p40.json"})", "big.json", in_memory(files));
  ASSERT_FALSE(loaded.has_value());
  EXPECT_NE(lines_of(loaded.error()).find("brings the values to more than 1000000"), std::string::npos);
}

TEST(MissingFile, IsSaid) {
  const auto loaded = load("no/such/scenario");
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(lines_of(loaded.error()), "no/such/scenario: there is no such file or scenario\n");
  const auto folder = load(testdata());
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error()[0].message, "is a folder, not a file");
}

}  // namespace
}  // namespace peerpath::scenario
