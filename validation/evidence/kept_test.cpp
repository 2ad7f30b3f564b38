// The committed evidence.json, its kept results and the documents made from them agree, and the model reproduces the
// cheap part of the results.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

#include "validation/calibrate/preset.hpp"
#include "validation/compare/dataset.hpp"
#include "validation/evidence/results.hpp"
#include "validation/evidence/tables.hpp"

namespace peerpath::evidence {
namespace {

namespace fs = std::filesystem;
const fs::path root{PEERPATH_ROOT}, folder = root / "validation";

std::string text_of(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

Evidence evidence() { return *read_evidence(text_of(folder / "evidence.json"), "evidence.json"); }
std::vector<Row> results() { return *read_results(text_of(folder / "evidence_results.json"), "evidence_results.json"); }

TEST(Kept, EachSetIsThereAndNoOtherIs) {
  std::set<fs::path> named;
  for (const auto& set : evidence().sets) {
    EXPECT_TRUE(fs::exists(folder / set.file)) << set.file;
    named.insert(folder / set.file);
  }
  for (const auto& file : fs::recursive_directory_iterator{folder / "data"})
    if (file.path().extension() == ".jsonl") {
      EXPECT_TRUE(named.contains(file.path())) << file.path();
    }
}

// 2: buffers in huge pages, reads that walk over 16 MiB. 3: bytes on the link by counters.
TEST(Kept, TheProtocolIsTheOneThatTheDatasetSays) {
  for (const auto& set : evidence().sets) {
    if (set.kind != Kind::gpu) continue;
    std::ifstream in{folder / set.file};
    std::string line;
    std::getline(in, line);
    const auto header = nlohmann::json::parse(line);
    const bool counts = std::ranges::any_of(header["plan"], [](const auto& e) {
      return e["experiment"].template get<std::string>().starts_with("link_bytes");
    });
    EXPECT_EQ(set.protocol, counts ? 3 : header["effort"].contains("read_window") ? 2 : 1) << set.name;
  }
}

TEST(Kept, EachRowThatMissesItsBoundIsListedAndNothingElseIs) {
  const auto listed = evidence();
  const auto kept = results();
  std::size_t known = 0, deviations = 0;
  for (const auto& j : judge(listed, kept)) {
    EXPECT_FALSE(j.failed()) << to_text(j);
    known += j.verdict == Verdict::known ? 1 : 0;
  }
  for (const auto& set : listed.sets) deviations += set.known.size();
  EXPECT_EQ(known, deviations) << "a deviation is listed whose row is within its bound, or is not there";
  EXPECT_GT(kept.size(), 150u);
}

TEST(Kept, TheDocumentsHaveTheFiguresOfTheResults) {
  const auto listed = evidence();
  const auto kept = results();
  const auto judged = judge(listed, kept);
  const auto blocks = tables(listed, judged);
  for (const auto* name : {"docs/validation.md", "README.md"}) {
    const auto document = text_of(root / name);
    const auto made = with_tables(document, name, blocks);
    ASSERT_TRUE(made) << to_string(made.error().front());
    EXPECT_EQ(*made, document) << "run `peerpath validate --all --whole --write`";
    EXPECT_THAT(document, testing::HasSubstr("<!-- evidence: "));
  }
}

std::vector<Row> laws_of(const Set& set, const calibrate::Calibration& calibration) {
  auto rows = rows_of(set, calibrate::assess(*compare::load_dataset((folder / set.file).string()), calibration));
  std::erase_if(rows, [](const Row& r) { return r.points == 0; });
  return rows;
}

calibrate::Calibration calibration_of(const Set& set) {
  return *calibrate::read_calibration(text_of(folder / set.calibration), set.calibration);
}

TEST(Kept, TheResultsOfTheLawsAreWhatTheModelGives) {
  const auto kept = results();
  for (const auto& set : evidence().sets) {
    if (set.kind != Kind::gpu) continue;
    const auto rows = laws_of(set, calibration_of(set));
    EXPECT_GE(rows.size(), 3u);
    for (const auto& change : changes(kept, rows))
      ADD_FAILURE() << set.name << ", " << change.now.name << ": " << change.now.value << ", kept "
                    << change.kept.value_or(-1);
  }
}

TEST(Kept, AConstantThatIsWrongFails) {
  const auto listed = evidence();
  const auto& set = *listed.find("h200/one_gpu");
  auto calibration = calibration_of(set);
  const auto failed = [&] { return std::ranges::any_of(judge(listed, laws_of(set, calibration)), &Judged::failed); };
  EXPECT_FALSE(failed());
  calibration.parameters.link_share *= 0.9;
  EXPECT_TRUE(failed());
}

}  // namespace
}  // namespace peerpath::evidence
