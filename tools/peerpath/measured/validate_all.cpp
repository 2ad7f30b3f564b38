#include "tools/peerpath/measured/validate_all.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "study/run.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/measured/validate_sockets.hpp"
#include "validation/calibrate/node.hpp"
#include "validation/calibrate/preset.hpp"
#include "validation/compare/in_parallel.hpp"
#include "validation/evidence/results.hpp"
#include "validation/evidence/tables.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;
using evidence::Row;
using evidence::rows_of;
using evidence::Set;

/// Rows by set, or the problems that kept a set from being measured.
class Measuring {
 public:
  Measuring(fs::path folder, const evidence::Evidence& listed, const EvidenceRequest& request, const Terminal& terminal)
      : folder_{std::move(folder)}, listed_{listed}, whole_{request.whole}, terminal_{terminal} {
    const auto& only = request.only;
    for (const auto& set : listed.sets)
      if (only.empty() ||
          std::ranges::any_of(only, [&](const auto& part) { return set.name.find(part) != std::string::npos; }))
        chosen_.push_back(&set);
    begun_ = std::chrono::steady_clock::now();
  }

  bool none_chosen() const { return chosen_.empty(); }

  /// In the order of evidence.json.
  tl::expected<std::vector<Row>, Problems> rows() {
    measure_gpus();
    measure_repeats();
    measure_bench();
    measure_published();
    if (whole_) measure_sockets();
    if (!problems_.empty()) return tl::unexpected{problems_};
    std::vector<Row> all;
    for (const auto* set : chosen_) {
      auto& rows = rows_[set->name];
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }

 private:
  void say(const std::string& what) {
    const std::scoped_lock lock{mutex_};
    const auto passed = std::chrono::steady_clock::now() - begun_;
    terminal_.say(fmt::format("{:4} s  {}", std::chrono::duration_cast<std::chrono::seconds>(passed).count(), what));
  }

  void keep(const Set& set, std::vector<Row> rows) {
    const std::scoped_lock lock{mutex_};
    rows_[set.name] = std::move(rows);
  }

  void keep(Problems problems) {
    const std::scoped_lock lock{mutex_};
    problems_.insert(problems_.end(), problems.begin(), problems.end());
  }

  std::vector<const Set*> chosen(evidence::Kind kind) const {
    std::vector<const Set*> sets;
    for (const auto* set : chosen_)
      if (set->kind == kind) sets.push_back(set);
    return sets;
  }

  std::optional<compare::Dataset> load(const Set& set) {
    auto dataset = compare::load_dataset((folder_ / set.file).string());
    if (dataset) return std::move(*dataset);
    keep(dataset.error());
    return std::nullopt;
  }

  /// Sets side by side. Playing each point as a scenario is most of the time of --whole.
  void measure_gpus() {
    const auto sets = chosen(evidence::Kind::gpu);
    compare::in_parallel(sets.size(), [&](std::size_t n) {
      const auto& set = *sets[n];
      const auto file = (folder_ / set.calibration).string();
      const auto calibration = calibrate::read_calibration(read_file(file).value_or(""), file);
      if (!calibration) return keep(calibration.error());
      const auto dataset = load(set);
      if (!dataset) return;
      auto assessment = calibrate::assess(*dataset, *calibration);
      if (whole_ && set.played) {
        say("playing the points of " + set.name);
        calibrate::play_scenarios(assessment, *dataset, calibrate::scenario_preset(*calibration, *dataset));
      } else if (std::ranges::any_of(dataset->points, [](const auto& p) { return !p.counted.empty(); })) {
        const auto preset = calibrate::scenario_preset(*calibration, *dataset);
        assessment.link_bytes = calibrate::compare_link_bytes(*dataset, preset);
      }
      keep(set, rows_of(set, assessment));
      say(set.name);
    });
  }

  void measure_repeats() {
    for (const auto* set : chosen(evidence::Kind::repeat)) {
      auto first = load(*listed_.find(set->of)), again = load(*set);
      if (!first || !again) continue;
      const std::vector<compare::Dataset> takes{std::move(*first), std::move(*again)};
      keep(*set, rows_of(*set, calibrate::spread_of(takes)));
      say(set->name);
    }
  }

  /// Published figures rest on points of the hosts, so these are predicted for them as well.
  void measure_bench() {
    const auto published = chosen(evidence::Kind::published);
    for (const auto* set : published) asked_ = published::asked_by(read_file(folder_ / set->file).value_or(""));
    const auto is_asked = [&](const std::string& host, const pcie_bench::Sweep& sweep) {
      return std::ranges::any_of(asked_.points, [&](const published::BenchQuery& q) {
        return q.host == host && q.window && *q.window == sweep.window.count() && q.size == sweep.which.size.count() &&
               q.test == name_of(sweep.which.test) && q.cache == name_of(sweep.cache);
      });
    };
    for (const auto& set : listed_.sets) {
      if (set.kind != evidence::Kind::pcie_bench) continue;
      const bool mine = std::ranges::find(chosen_, &set) != chosen_.end();
      if (!mine && published.empty()) continue;
      pcie_bench::Options options;
      options.data = folder_ / set.file;
      options.card = folder_ / set.calibration;
      if (!whole_ || !mine) options.windows = is_asked;
      const auto assessed = pcie_bench::assess(options, [&](std::string_view what) { say(std::string{what}); });
      if (!assessed) {
        keep(assessed.error());
        continue;
      }
      if (mine) keep(set, rows_of(set, assessed->reports));
      bench_.insert(bench_.end(), assessed->reports.begin(), assessed->reports.end());
    }
  }

  std::optional<published::BenchPoint> bench_point(const published::BenchQuery& query) const {
    const auto report =
        std::ranges::find(bench_, query.host, [](const pcie_bench::HostReport& r) { return r.data.name; });
    if (report == bench_.end()) return std::nullopt;
    if (!query.window) {
      for (const auto& p : report->predictions)
        if (name_of(p.point.which.test) == query.test && p.point.which.size.count() == query.size)
          return published::BenchPoint{p.predicted, p.point.measured, p.fitted};
      return std::nullopt;
    }
    for (const auto& p : report->sweeps) {
      const auto& sweep = p.point.sweep;
      if (name_of(sweep.which.test) == query.test && sweep.which.size.count() == query.size &&
          sweep.window.count() == *query.window && name_of(sweep.cache) == query.cache)
        return published::BenchPoint{p.predicted, p.point.measured, p.fitted};
    }
    return std::nullopt;
  }

  /// The scenarios of published cases, side by side.
  std::map<std::string, study::Summary> outcomes() {
    const std::vector<std::string> names{asked_.scenarios.begin(), asked_.scenarios.end()};
    std::vector<study::Summary> found(names.size());
    say(fmt::format("running {} scenarios of published cases", names.size()));
    compare::in_parallel(names.size(), [&](std::size_t n) {
      const auto subject = load_subject(names[n], {});
      found[n] = subject ? study::run_summary(**subject) : study::wrong(subject.error());
    });
    std::map<std::string, study::Summary> outcomes;
    for (std::size_t n = 0; n < names.size(); ++n) outcomes[names[n]] = std::move(found[n]);
    return outcomes;
  }

  void measure_published() {
    for (const auto* set : chosen(evidence::Kind::published)) {
      const auto runs = outcomes();
      published::Sources sources;
      sources.pcie_bench = [&](const published::BenchQuery& query) { return bench_point(query); };
      sources.run = [&](const std::string& scenario, const std::string& metric) -> std::optional<double> {
        for (const auto& measured : runs.at(scenario).metrics)
          if (measured.metric == metric) return measured.value;
        return std::nullopt;
      };
      const auto file = (folder_ / set->file).string();
      const auto table = published::evaluate(read_file(file).value_or(""), file, sources);
      if (!table) {
        keep(table.error());
        continue;
      }
      for (const auto& [name, outcome] : runs)
        keep(outcome.kind == study::Ending::wrong ? outcome.problems : Problems{});
      keep(*set, rows_of(*set, *table));
      say(set->name);
    }
  }

  void measure_sockets() {
    for (const auto* set : chosen(evidence::Kind::sockets)) {
      const auto dataset = load(*set);
      if (!dataset) continue;
      say("playing the points of " + set->name);
      const auto points = play_sockets(*dataset);
      if (!points) {
        keep(points.error());
        continue;
      }
      std::vector<evidence::SocketError> errors;
      for (const auto& point : *points)
        if (!point.fitted) errors.push_back({group_of(point.measured), point.error()});
      keep(*set, rows_of(*set, errors));
    }
  }

  fs::path folder_;
  const evidence::Evidence& listed_;
  bool whole_;
  const Terminal& terminal_;
  std::chrono::steady_clock::time_point begun_;
  std::vector<const Set*> chosen_;
  std::vector<pcie_bench::HostReport> bench_;
  published::Asked asked_;
  std::mutex mutex_;
  std::map<std::string, std::vector<Row>> rows_;
  Problems problems_;
};

/// Rows of the sets that were measured, and of the others as they were kept.
std::vector<Row> merged(const evidence::Evidence& listed, std::span<const Row> kept, std::span<const Row> now) {
  std::vector<Row> all;
  for (const auto& set : listed.sets) {
    const auto is_of_set = [&](const Row& r) { return r.set == set.name; };
    const auto& from = std::ranges::any_of(now, is_of_set) ? now : kept;
    std::ranges::copy_if(from, std::back_inserter(all), is_of_set);
  }
  return all;
}

/// The results, and the documents of the source tree that hold their tables.
bool write_results(const fs::path& folder, const evidence::Evidence& listed, std::span<const Row> rows,
                   const Terminal& terminal) {
  const auto judged = evidence::judge(listed, rows);
  const auto blocks = evidence::tables(listed, judged);
  const auto kept = evidence::results_json(rows);
  std::vector<std::string> texts;
  const std::array documents{folder.parent_path() / "docs/validation.md", folder.parent_path() / "README.md"};
  for (const auto& file : documents) {
    const auto text = read_file(file);
    const auto filled = text ? evidence::with_tables(*text, file.string(), blocks)
                             : tl::unexpected{Problems{{file.string(), 0, 0, "", "--write requires a source tree"}}};
    if (!filled) {
      terminal.report(filled.error());
      return false;
    }
    texts.push_back(*filled);
  }
  const std::array files{OutputFile{folder / "evidence_results.json", kept}, OutputFile{documents[0], texts[0]},
                         OutputFile{documents[1], texts[1]}};
  return write_files(files, terminal);
}

std::string summary(std::span<const evidence::Judged> judged, std::span<const evidence::Change> changed) {
  std::map<evidence::Verdict, int> counts;
  for (const auto& j : judged) ++counts[j.verdict];
  std::string text;
  for (const auto& [row, kept] : changed)
    text += kept ? fmt::format("changed: {}, {}: {:.2f}, was {:.2f}\n", row.set, row.name, row.value, *kept)
                 : fmt::format("new: {}, {}: {:.2f}\n", row.set, row.name, row.value);
  return text +
         fmt::format("{} rows: {} within their bound, {} miss it as listed, {} fail, {} have grown, {} have none\n",
                     judged.size(), counts[evidence::Verdict::pass], counts[evidence::Verdict::known],
                     counts[evidence::Verdict::fail], counts[evidence::Verdict::grown],
                     counts[evidence::Verdict::reported]);
}

}  // namespace

Exit validate_all(const fs::path& folder, const EvidenceRequest& request, const Terminal& terminal) {
  if (request.write && !request.whole) {
    terminal.error("--write requires --whole");
    return Exit::wrong_input;
  }
  const auto file = (folder / "evidence.json").string();
  const auto text = read_file(file);
  if (!text) {
    terminal.error(file + " cannot be read: --all requires the source tree, with its measurements");
    return Exit::wrong_input;
  }
  const auto listed = evidence::read_evidence(*text, file);
  if (!listed) {
    terminal.report(listed.error());
    return Exit::wrong_input;
  }
  Measuring measuring{folder, *listed, request, terminal};
  if (measuring.none_chosen()) {
    terminal.error("--only: no set of " + file + " has such a name");
    return Exit::wrong_input;
  }
  const auto rows = measuring.rows();
  if (!rows) {
    terminal.report(rows.error());
    return Exit::wrong_input;
  }
  const auto judged = evidence::judge(*listed, *rows);
  const auto results = (folder / "evidence_results.json").string();
  const auto kept = evidence::read_results(read_file(results).value_or(""), results);
  const auto before = kept ? *kept : std::vector<Row>{};
  const auto changed = evidence::changes(before, *rows);
  if (request.json) {
    terminal.data(evidence::to_json(judged));
  } else {
    std::string text;
    for (const auto& j : judged) text += evidence::to_text(j);
    terminal.data(text + summary(judged, changed));
  }
  if (request.write && !write_results(folder, *listed, merged(*listed, before, *rows), terminal))
    return Exit::wrong_input;
  return std::ranges::any_of(judged, &evidence::Judged::failed) ? Exit::expectation_failed : Exit::done;
}

}  // namespace peerpath::cli
