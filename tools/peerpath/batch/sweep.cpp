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

struct Shard {
  std::size_t number = 1, of = 1;
};

std::optional<Shard> shard_of(const std::string& text) {
  const auto slash = std::min(text.find('/'), text.size());
  const auto number = whole_number(text.substr(0, slash), 1);
  const auto of = whole_number(slash < text.size() ? text.substr(slash + 1) : "", 1);
  if (!number || !of || *number > *of) return std::nullopt;
  return Shard{static_cast<std::size_t>(*number), static_cast<std::size_t>(*of)};
}

/// What the command line of `sweep` asks for.
struct SweepArguments {
  std::vector<std::string> words, overrides, vary, variants;
  std::vector<std::string> columns{};  ///< patterns, of all lists
  std::optional<std::string> out{}, csv{};
  int jobs = 1;
  std::optional<Shard> shard{};  ///< none: all points
  bool merge = false, retry = false;
};

/// Or a sentence about what is wrong; "": it is said.
tl::expected<SweepArguments, std::string> sweep_arguments(const Arguments& arguments, const Terminal& terminal) {
  SweepArguments wanted{arguments.words(), arguments.overrides(), arguments.values("--vary"),
                        arguments.values("--variant")};
  for (const auto& list : arguments.values("--columns"))
    for (auto& pattern : study::split_list(list, ',')) wanted.columns.push_back(std::move(pattern));
  wanted.out = arguments.value("--out");
  wanted.csv = arguments.value("--csv");
  wanted.merge = arguments.has("--merge");
  wanted.retry = arguments.has("--retry");
  if (arguments.has("--columns") && !wanted.csv) return tl::unexpected{std::string{"--columns requires --csv FILE"}};
  if (wanted.merge) return wanted;
  if (wanted.words.size() > 1)
    return tl::unexpected{"'" + wanted.words[1] + "' is an extra argument; only --merge accepts several files"};
  const auto jobs = jobs_of(arguments.value("--jobs"), terminal);
  if (!jobs) return tl::unexpected{std::string{}};
  wanted.jobs = *jobs;
  if (const auto text = arguments.value("--shard")) {
    wanted.shard = shard_of(*text);
    if (!wanted.shard)
      return tl::unexpected{"--shard takes I/N, such as 2/8 for the second of eight parts, not '" + *text + "'"};
  }
  return wanted;
}

/// The axes of the command line, or of the scenario if there are none.
tl::expected<std::vector<study::SweepAxis>, std::string> axes_of(const SweepArguments& wanted,
                                                                 const study::Varied& subject) {
  auto vary = wanted.vary, variants = wanted.variants;
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

/// What is wrong with --columns, before anything is run; "" if nothing.
std::string wrong_columns(const std::vector<std::string>& patterns, const study::Varied& subject,
                          const std::vector<study::SweepAxis>& axes) {
  if (patterns.empty()) return {};
  const auto chosen = chosen_columns(patterns, metrics_of_sweep(patterns, subject, axes));
  return chosen ? std::string{} : chosen.error();
}

bool export_csv(const SweepArguments& wanted, const SweepFile& file, const Terminal& terminal) {
  if (!wanted.csv) return true;
  auto patterns = wanted.columns;
  if (patterns.empty()) patterns = {"*"};
  auto metrics = file.metrics();
  if (!wanted.merge) {  // known to be right, though the points so far may all be wrong and have no metric
    std::ranges::copy_if(patterns, std::back_inserter(metrics), std::not_fn(has_wildcard));
    std::erase_if(patterns, [&](const std::string& each) { return !chosen_columns({each}, metrics); });
  }
  const auto columns = chosen_columns(patterns, metrics);
  if (!columns) return terminal.error(columns.error()), false;
  const auto text = file.csv(*columns);
  if (*wanted.csv != "-") return write_file(*wanted.csv, text, terminal);
  terminal.data(text);
  return true;
}

/// Totals, CSV and exit status of what the file holds now.
Exit concluded(const SweepArguments& wanted, const SweepFile& file, const std::filesystem::path& path, bool interrupted,
               const Terminal& terminal) {
  const auto done = file.done();
  const auto rows = static_cast<std::size_t>(std::ranges::count(done, 1));
  const auto wrong = file.count("wrong"), crashed = file.count("crashed");
  if (!export_csv(wanted, file, terminal)) return Exit::wrong_input;
  if (wanted.csv.value_or("") != "-" && !terminal.quiet()) terminal.data(sweep_table(file.summary(), most_table_lines));
  terminal.say(fmt::format("{}: {} of {} points, {} failed, {} crashed; {} broke an expectation", path.string(), rows,
                           file.identity().points, wrong, crashed, file.count("expectation_failed")));
  if (interrupted) return Exit::interrupted;
  return wrong + crashed > 0 ? Exit::expectation_failed : Exit::done;
}

Exit merge(const SweepArguments& wanted, const Terminal& terminal) {
  if (!wanted.out) return refused("--merge requires --out FILE", terminal);
  std::vector<SweepFile> parts;
  for (const auto& word : wanted.words) {
    auto part = SweepFile::open(word);
    if (!part) return refused(part.error(), terminal);
    parts.push_back(std::move(*part));
  }
  auto whole = SweepFile::open(*wanted.out, parts.front().identity());
  if (!whole) return refused(whole.error(), terminal);
  for (std::size_t n = 0; n < parts.size(); ++n)
    if (parts[n].identity().fingerprint != whole->identity().fingerprint ||
        parts[n].identity().version != whole->identity().version)
      return refused(wanted.words[n] + " belongs to a different sweep than " + wanted.words.front(), terminal);
  for (const auto& word : wanted.words)
    if (const auto trouble = whole->merge(word); !trouble.empty()) return refused(trouble, terminal);
  return concluded(wanted, *whole, *wanted.out, false, terminal);
}

/// One rank's share: points go to a file of its own, which joins `whole` at the end, so that ranks wait for each other
/// only there. The rank that finds `whole` complete exports it.
Exit sweep_as_rank(const SweepArguments& wanted, const Rank& rank, const study::Varied& subject,
                   const std::vector<study::SweepStep>& points, SweepFile& whole, const std::filesystem::path& path,
                   const InterruptGuard& guard, const Terminal& terminal) {
  const std::filesystem::path own = fmt::format("{}.rank-{}-of-{}", path.string(), rank.number, rank.of);
  {
    auto part = SweepFile::open(own, whole.identity(), locked_file(guard, terminal));
    if (!part) return refused(part.error(), terminal);
    const auto joined = whole.done(), kept = part->done();
    std::vector<std::size_t> missing;
    for (auto n = rank.number; n < points.size(); n += rank.of)
      if (joined[n] == 0 && kept[n] == 0) missing.push_back(n);
    const auto trouble = compute(subject, points, missing, wanted.jobs, *part, guard, terminal);
    if (!trouble.empty()) return unwritten(trouble, guard, terminal);
  }
  if (const auto trouble = whole.merge(own); !trouble.empty()) return unwritten(trouble, guard, terminal);
  std::error_code error;
  std::filesystem::remove(own, error);  // its rows are in `whole`
  const auto done = whole.done();
  const auto rows = static_cast<std::size_t>(std::ranges::count(done, 1));
  if (rows == points.size()) return concluded(wanted, whole, path, guard.interrupted(), terminal);
  terminal.say(fmt::format("rank {} of {}: {} of {} points are in {}", rank.number, rank.of, rows, points.size(),
                           path.string()));
  if (guard.interrupted()) return Exit::interrupted;
  return whole.count("wrong") + whole.count("crashed") > 0 ? Exit::expectation_failed : Exit::done;
}

}  // namespace

Exit sweep(const Arguments& arguments, Terminal& terminal) {
  const auto wanted = sweep_arguments(arguments, terminal);
  if (!wanted) return wanted.error().empty() ? Exit::wrong_input : refused(wanted.error(), terminal);
  if (wanted->merge) return merge(*wanted, terminal);
  const auto rank = wanted->shard ? std::nullopt : launcher_rank(&std::getenv);
  if (rank && wanted->csv.value_or("") == "-")
    return refused("--csv - does not work with several ranks; name a file", terminal);
  if (rank && wanted->retry) return refused("--retry works with a single process: run without the launcher", terminal);
  const auto subject = load_varied(wanted->words.front(), wanted->overrides);
  if (!subject) {
    terminal.report(subject.error());
    return Exit::wrong_input;
  }
  const auto axes = axes_of(*wanted, *subject);
  if (!axes) return refused(axes.error(), terminal);
  if (const auto why = wrong_columns(wanted->columns, *subject, *axes); !why.empty()) return refused(why, terminal);
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

  const std::filesystem::path path = wanted->out.value_or("peerpath-out/" + identity.scenario + ".sqlite");
  if (path.has_parent_path() && !make_folder(path.parent_path(), terminal)) return Exit::wrong_input;
  const InterruptGuard guard;
  auto file = SweepFile::open(path, identity, locked_file(guard, terminal));
  if (!file) return unwritten(file.error(), guard, terminal);
  if (rank) return sweep_as_rank(*wanted, *rank, *subject, points, *file, path, guard, terminal);
  if (wanted->retry) file->forget_failed();
  const auto done = file->done();
  std::vector<std::size_t> missing;
  const auto shard = wanted->shard.value_or(Shard{});
  for (auto n = shard.number - 1; n < points.size(); n += shard.of)
    if (done[n] == 0) missing.push_back(n);
  const auto trouble = compute(*subject, points, missing, wanted->jobs, *file, guard, terminal);
  if (!trouble.empty()) return unwritten(trouble, guard, terminal);
  return concluded(*wanted, *file, path, guard.interrupted(), terminal);
}

}  // namespace peerpath::cli
