#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>

#include <nlohmann/json.hpp>

#include "peerpath/base/glob.hpp"
#include "study/text/split_list.hpp"
#include "tools/peerpath/batch/child_pool.hpp"
#include "tools/peerpath/batch/sweep_columns.hpp"
#include "tools/peerpath/batch/sweep_file.hpp"
#include "tools/peerpath/batch/sweep_table.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/interrupt.hpp"
#include "tools/peerpath/command_line/version.hpp"
#include "tools/peerpath/command_line/whole_number.hpp"
#include "tools/peerpath/files/output_file.hpp"
#include "tools/peerpath/files/scenario_files.hpp"
#include "tools/peerpath/run/launcher.hpp"

namespace peerpath::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_table_lines = 40;

Exit refused(const std::string& why, const Terminal& terminal) {
  terminal.error(why);
  return Exit::wrong_input;
}

/// Says why rows could not be written. The file may have been locked until Ctrl-C came.
Exit unwritten(const std::string& why, const InterruptGuard& guard, const Terminal& terminal) {
  terminal.error(why);
  return guard.interrupted() ? Exit::interrupted : Exit::wrong_input;
}

/// Waits for whoever has the file of the sweep locked, and says so.
LockedFile locked_file(const InterruptGuard& guard, const Terminal& terminal) {
  return {[&guard] { return guard.interrupted(); }, [&terminal](const std::string& what) { terminal.warn(what); }};
}

/// Of all that decides the rows (FNV-1a, 64 bits).
std::string fingerprint(const study::Varied& subject, const std::vector<study::SweepStep>& points) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto take = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;
  };
  take(subject.written().dump());
  for (const auto& point : points)
    for (const auto& text : point.overrides) take(text);
  return fmt::format("{:016x}", hash);
}

/// The axes of the command line, or of the scenario if there are none.
tl::expected<std::vector<study::SweepAxis>, std::string> axes_of(const Arguments& arguments,
                                                                 const study::Varied& subject) {
  auto vary = arguments.values("--vary"), variants = arguments.values("--variant");
  if (vary.empty() && variants.empty()) {
    vary = subject.subject().sweep().vary;
    variants = subject.subject().sweep().variants;
  }
  std::vector<study::SweepAxis> axes;
  if (!variants.empty()) {
    auto axis = study::variant_axis(variants, subject);
    if (!axis) return tl::unexpected{axis.error()};
    axes.push_back(std::move(*axis));
  }
  std::size_t points = axes.empty() ? 1 : axes.front().steps.size();
  for (const auto& text : vary) {
    auto axis = study::sweep_axis(text, subject);
    if (!axis) return tl::unexpected{axis.error()};
    points *= axis->steps.size();
    if (points > study::most_sweep_points) return tl::unexpected{std::string{"the sweep has more than 1000000 points"}};
    axes.push_back(std::move(*axis));
  }
  if (axes.empty())
    return tl::unexpected{
        std::string{"nothing is varied: give --vary links.*.generation=4,5 or the scenario a \"sweep\" section "
                    "(`peerpath explain sweep`)"}};
  return axes;
}

struct Shard {
  std::size_t number = 1, of = 1;
};

std::optional<Shard> shard_of(const Arguments& arguments) {
  const auto text = arguments.value("--shard");
  if (!text) return Shard{};
  const auto slash = std::min(text->find('/'), text->size());
  const auto number = whole_number(text->substr(0, slash), 1);
  const auto of = whole_number(slash < text->size() ? text->substr(slash + 1) : "", 1);
  if (!number || !of || *number > *of) return std::nullopt;
  return Shard{static_cast<std::size_t>(*number), static_cast<std::size_t>(*of)};
}

/// The line that a person watches.
class SweepProgress {
 public:
  SweepProgress(const Terminal& terminal, std::size_t points) : shown_{terminal.progress()}, points_{points} {}
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;
  ~SweepProgress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }

  void ended(bool well) {
    ++done_;
    failed_ += well ? 0 : 1;
    const auto now = Clock::now();
    if (!shown_ || now < next_) return;
    next_ = now + std::chrono::milliseconds{100};
    drawn_ = true;
    const auto spent = std::chrono::duration<double>(now - started_).count();
    const auto left = spent / static_cast<double>(done_) * static_cast<double>(points_ - done_);
    std::fputs(fmt::format("\r{} of {} points, {} failed, {:.0f} s left\033[K", done_, points_, failed_, left).c_str(),
               stderr);
    std::fflush(stderr);
  }

 private:
  bool shown_, drawn_ = false;
  std::size_t points_, done_ = 0, failed_ = 0;
  Clock::time_point started_ = Clock::now(), next_ = started_ + std::chrono::milliseconds{300};
};

/// Computes the points of `missing` into the file, which is committed at least every second. "" or why that failed.
std::string compute(const study::Varied& subject, const std::vector<study::SweepStep>& points,
                    const std::vector<std::size_t>& missing, int jobs, SweepFile& file, const InterruptGuard& guard,
                    const Terminal& terminal) {
  SweepProgress progress{terminal, missing.size()};
  std::string trouble;
  auto committed = Clock::now();
  ChildPool pool;
  pool.jobs = jobs;
  pool.work = [&](std::size_t n) {
    return packed(subject.run(points[missing[n]].overrides, [&guard] { return guard.interrupted(); }));
  };
  pool.ended = [&](std::size_t n, const ChildEnd& end) {
    if (guard.interrupted() && !end.crash.empty()) return;
    const auto outcome = study::unpacked(end.output, end.crash);
    if (outcome.kind == study::Ending::interrupted) return;
    file.add(missing[n], points[missing[n]], outcome);
    progress.ended(outcome.kind == study::Ending::passed || outcome.kind == study::Ending::failed);
  };
  pool.tick = [&] {
    if (Clock::now() - committed < std::chrono::milliseconds{500}) return;
    committed = Clock::now();
    if (trouble.empty()) trouble = file.commit();
  };
  pool.stop = [&] { return guard.interrupted() || !trouble.empty(); };
  run_children(missing.size(), pool);
  const auto last = file.commit();
  return trouble.empty() ? last : trouble;
}

/// The patterns of --columns, of all that were given.
std::vector<std::string> column_patterns(const Arguments& arguments) {
  std::vector<std::string> patterns;
  for (const auto& list : arguments.values("--columns"))
    for (auto& pattern : study::split_list(list, ',')) patterns.push_back(std::move(pattern));
  return patterns;
}

/// What is wrong with --columns, before anything is run; "" if nothing.
std::string wrong_columns(const Arguments& arguments, const study::Varied& subject,
                          const std::vector<study::SweepAxis>& axes) {
  const auto patterns = column_patterns(arguments);
  if (patterns.empty()) return {};
  const auto chosen = chosen_columns(patterns, metrics_of_sweep(patterns, subject, axes));
  return chosen ? std::string{} : chosen.error();
}

bool export_csv(const Arguments& arguments, const SweepFile& file, const Terminal& terminal) {
  const auto csv = arguments.value("--csv");
  if (!csv) return true;
  auto patterns = column_patterns(arguments);
  if (patterns.empty()) patterns = {"*"};
  auto metrics = file.metrics();
  if (!arguments.has("--merge")) {  // known to be right, though the points so far may all be wrong and have no metric
    std::ranges::copy_if(patterns, std::back_inserter(metrics), std::not_fn(has_wildcard));
    std::erase_if(patterns, [&](const std::string& each) { return !chosen_columns({each}, metrics); });
  }
  const auto columns = chosen_columns(patterns, metrics);
  if (!columns) return terminal.error(columns.error()), false;
  const auto text = file.csv(*columns);
  if (*csv != "-") return write_file(*csv, text, terminal);
  terminal.data(text);
  return true;
}

/// Totals, CSV and exit status of what the file holds now.
Exit concluded(const Arguments& arguments, const SweepFile& file, const std::filesystem::path& path, bool interrupted,
               const Terminal& terminal) {
  const auto done = file.done();
  const auto rows = static_cast<std::size_t>(std::ranges::count(done, 1));
  const auto wrong = file.count("wrong"), crashed = file.count("crashed");
  if (!export_csv(arguments, file, terminal)) return Exit::wrong_input;
  if (arguments.value("--csv").value_or("") != "-" && !terminal.quiet())
    terminal.data(sweep_table(file.summary(), most_table_lines));
  terminal.say(fmt::format("{}: {} of {} points, {} failed, {} crashed; {} broke an expectation", path.string(), rows,
                           file.identity().points, wrong, crashed, file.count("expectation_failed")));
  if (interrupted) return Exit::interrupted;
  return wrong + crashed > 0 ? Exit::expectation_failed : Exit::done;
}

Exit merge(const Arguments& arguments, const Terminal& terminal) {
  const auto out = arguments.value("--out");
  if (!out) return refused("--merge requires --out FILE", terminal);
  std::vector<SweepFile> parts;
  for (const auto& word : arguments.words()) {
    auto part = SweepFile::open(word);
    if (!part) return refused(part.error(), terminal);
    parts.push_back(std::move(*part));
  }
  auto whole = SweepFile::open(*out, parts.front().identity());
  if (!whole) return refused(whole.error(), terminal);
  for (std::size_t n = 0; n < parts.size(); ++n)
    if (parts[n].identity().fingerprint != whole->identity().fingerprint ||
        parts[n].identity().version != whole->identity().version)
      return refused(arguments.words()[n] + " belongs to a different sweep than " + arguments.words().front(),
                     terminal);
  for (const auto& word : arguments.words())
    if (const auto trouble = whole->merge(word); !trouble.empty()) return refused(trouble, terminal);
  return concluded(arguments, *whole, *out, false, terminal);
}

/// One rank's share: points go to a file of its own, which joins `whole` at the end, so that ranks wait for each other
/// only there. The rank that finds `whole` complete exports it.
Exit sweep_as_rank(const Arguments& arguments, const Rank& rank, const study::Varied& subject,
                   const std::vector<study::SweepStep>& points, int jobs, SweepFile& whole,
                   const std::filesystem::path& path, const InterruptGuard& guard, const Terminal& terminal) {
  const std::filesystem::path own = fmt::format("{}.rank-{}-of-{}", path.string(), rank.number, rank.of);
  {
    auto part = SweepFile::open(own, whole.identity(), locked_file(guard, terminal));
    if (!part) return refused(part.error(), terminal);
    const auto joined = whole.done(), kept = part->done();
    std::vector<std::size_t> missing;
    for (auto n = rank.number; n < points.size(); n += rank.of)
      if (joined[n] == 0 && kept[n] == 0) missing.push_back(n);
    const auto trouble = compute(subject, points, missing, jobs, *part, guard, terminal);
    if (!trouble.empty()) return unwritten(trouble, guard, terminal);
  }
  if (const auto trouble = whole.merge(own); !trouble.empty()) return unwritten(trouble, guard, terminal);
  std::error_code error;
  std::filesystem::remove(own, error);  // its rows are in `whole`
  const auto done = whole.done();
  const auto rows = static_cast<std::size_t>(std::ranges::count(done, 1));
  if (rows == points.size()) return concluded(arguments, whole, path, guard.interrupted(), terminal);
  terminal.say(fmt::format("rank {} of {}: {} of {} points are in {}", rank.number, rank.of, rows, points.size(),
                           path.string()));
  if (guard.interrupted()) return Exit::interrupted;
  return whole.count("wrong") + whole.count("crashed") > 0 ? Exit::expectation_failed : Exit::done;
}

}  // namespace

Exit sweep(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--columns") && !arguments.has("--csv")) return refused("--columns requires --csv FILE", terminal);
  if (arguments.has("--merge")) return merge(arguments, terminal);
  const auto& words = arguments.words();
  if (words.size() > 1)
    return refused("'" + words[1] + "' is an extra argument; only --merge accepts several files", terminal);
  const auto jobs = jobs_of(arguments, terminal);
  if (!jobs) return Exit::wrong_input;
  const auto shard = shard_of(arguments);
  if (!shard)
    return refused(
        "--shard takes I/N, such as 2/8 for the second of eight parts, not '" + *arguments.value("--shard") + "'",
        terminal);
  const auto rank = arguments.has("--shard") ? std::nullopt : launcher_rank(&std::getenv);
  if (rank && arguments.value("--csv").value_or("") == "-")
    return refused("--csv - does not work with several ranks; name a file", terminal);
  if (rank && arguments.has("--retry"))
    return refused("--retry works with a single process: run without the launcher", terminal);
  const auto subject = load_varied(words.front(), arguments.overrides());
  if (!subject) {
    terminal.report(subject.error());
    return Exit::wrong_input;
  }
  const auto axes = axes_of(arguments, *subject);
  if (!axes) return refused(axes.error(), terminal);
  if (const auto why = wrong_columns(arguments, *subject, *axes); !why.empty()) return refused(why, terminal);
  const auto points = study::sweep_points(*axes);
  SweepIdentity identity{
      subject->subject().name(), std::string{version()}, fingerprint(*subject, points), {}, points.size()};
  for (const auto& axis : *axes) identity.keys.insert(identity.keys.end(), axis.names.begin(), axis.names.end());
  for (auto key = identity.keys.begin(); key != identity.keys.end(); ++key)
    if (std::find(std::next(key), identity.keys.end(), *key) != identity.keys.end())
      return refused(*key + " is varied twice", terminal);
  // Where no point can be read the mistake is in what is varied, and no file is made for it.
  if (std::ranges::none_of(points, [&](const study::SweepStep& p) { return subject->problems(p.overrides).empty(); })) {
    terminal.report(subject->problems(points.front().overrides));
    return refused("no point of this sweep is valid", terminal);
  }

  const std::filesystem::path path = arguments.value("--out").value_or("peerpath-out/" + identity.scenario + ".sqlite");
  if (path.has_parent_path() && !make_folder(path.parent_path(), terminal)) return Exit::wrong_input;
  const InterruptGuard guard;
  auto file = SweepFile::open(path, identity, locked_file(guard, terminal));
  if (!file) return unwritten(file.error(), guard, terminal);
  if (rank) return sweep_as_rank(arguments, *rank, *subject, points, *jobs, *file, path, guard, terminal);
  if (arguments.has("--retry")) file->forget_failed();
  const auto done = file->done();
  std::vector<std::size_t> missing;
  for (auto n = shard->number - 1; n < points.size(); n += shard->of)
    if (done[n] == 0) missing.push_back(n);
  const auto trouble = compute(*subject, points, missing, *jobs, *file, guard, terminal);
  if (!trouble.empty()) return unwritten(trouble, guard, terminal);
  return concluded(arguments, *file, path, guard.interrupted(), terminal);
}

}  // namespace peerpath::cli
