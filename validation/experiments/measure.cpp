#include "validation/experiments/measure.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <sstream>

#include "validation/backends/gpu/kernel_files.hpp"
#include "validation/experiments/catalogue.hpp"
#include "validation/experiments/chains.hpp"
#include "validation/experiments/json_line.hpp"
#include "validation/experiments/machine_facts.hpp"
#include "validation/experiments/pace.hpp"
#include "validation/experiments/recorder.hpp"

namespace peerpath::experiments {
namespace {

std::string read_whole(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string today() {
  const auto now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string gpu_json(const gpu::Gpu& gpu) {
  return JsonLine{}
      .add("index", gpu.ordinal())
      .add("name", gpu.name())
      .add("multiprocessors", gpu.multiprocessors())
      .add("memory_MiB", static_cast<std::int64_t>(gpu.memory() >> 20))
      .add_raw("pcie", pcie_facts(gpu.bus_id()))
      .add("lspci", lspci_text(gpu.bus_id()))
      .text();
}

/// An experiment, and what of it can run here.
struct Planned {
  Experiment experiment;
  std::vector<Settings> points;
  std::string waived;  ///< why there are none
};

Planned plan_of(const Experiment& experiment, const Lab& lab) {
  if (experiment.needs_gpu && lab.gpus.empty()) return {experiment, {}, lab.no_gpu};
  if (experiment.missing)
    if (auto reason = experiment.missing(lab); !reason.empty()) return {experiment, {}, "needs " + reason};
  auto points = experiment.plan(lab);
  if (points.empty()) return {experiment, {}, "needs " + std::string{experiment.needs}};
  return {experiment, std::move(points), ""};
}

std::string plan_json(const std::vector<Planned>& plan) {
  std::vector<std::string> items;
  for (const auto& planned : plan) {
    JsonLine item;
    item.add("experiment", planned.experiment.name).add("points", static_cast<std::int64_t>(planned.points.size()));
    item.add("isolates", planned.experiment.isolates);
    if (!planned.waived.empty()) item.add("waived", planned.waived);
    items.push_back(item.text());
  }
  return json_array(items);
}

std::string header(const MeasureOptions& options, const Lab& lab, const std::vector<Planned>& plan) {
  int version = 0;
  if (!lab.gpus.empty()) lab.gpus.front()->driver().driver_version(&version);
  std::vector<std::string> gpus;
  for (const auto& gpu : lab.gpus) gpus.push_back(gpu_json(*gpu));
  const auto driver = JsonLine{}
                          .add("interface", lab.gpus.empty() ? "none" : gpu::name_of(options.vendor))
                          .add("version", version)
                          .add("kernel", kernel_driver())
                          .text();
  return JsonLine{}
      .add("peerpath_dataset", schema_version)
      .add("started", today())
      .add("command", options.command)
      .add_raw("effort", JsonLine{}
                             .add("largest", static_cast<std::int64_t>(options.effort.largest))
                             .add("samples", options.effort.samples)
                             .add("rounds", options.effort.rounds)
                             .add("read_window", static_cast<std::int64_t>(read_window(options.effort)))
                             .add("huge_pages_MiB", huge_pages())
                             .text())
      .add_raw("host", host_facts())
      .add_raw("driver", driver)
      .add_raw("gpus", json_array(gpus))
      .add_raw("plan", plan_json(plan))
      .text();
}

/// A name, or what those of several begin with: `nic` stands for `nic_socket` and its kin.
bool means(const std::string& asked, std::string_view name) {
  return name == asked || name.substr(0, asked.size() + 1) == asked + "_";
}

/// The experiments asked for; says which names there are none of.
std::vector<Experiment> choose(const MeasureOptions& options, const Say& say, bool& wrong) {
  auto all = catalogue();
  for (const auto& name : options.only)
    if (std::ranges::none_of(all, [&](const Experiment& e) { return means(name, e.name); })) {
      say("there is no experiment '" + name + "'; --list shows them");
      wrong = true;
    }
  std::erase_if(all, [&](const Experiment& e) {
    return !options.only.empty() &&
           std::ranges::none_of(options.only, [&](const auto& name) { return means(name, e.name); });
  });
  return all;
}

void say_waived(const std::string& missing, const std::vector<Experiment>& chosen, const Say& say) {
  std::string would;
  for (const auto& experiment : chosen) would += (would.empty() ? "" : ", ") + std::string{experiment.name};
  say("waived: " + missing + "; would run: " + would);
}

std::string say_points(std::size_t points, double start) {
  const auto seconds = std::to_string((now_ns() - start) / 1e9);
  return std::to_string(points) + " points in " + seconds.substr(0, 4) + " s";
}

bool say_if_waived(const Planned& planned, const Say& say) {
  if (!planned.waived.empty()) say(std::string{planned.experiment.name} + ": waived, " + planned.waived);
  return !planned.waived.empty();
}

void run(const Planned& planned, Lab& lab, Recorder& recorder, Pace& pace, const Say& say) {
  if (say_if_waived(planned, say)) return;
  const auto start = now_ns();
  for (const auto& settings : planned.points) {
    const auto begin = now_ns();
    try {
      recorder.point(planned.experiment, settings, planned.experiment.measure(lab, settings));
    } catch (const gpu::Error& e) {
      recorder.failure(planned.experiment, settings, e.what());
    }
    pace.visited(planned.experiment, begin, now_ns());
  }
  say(std::string{planned.experiment.name} + ": " + say_points(planned.points.size(), start));
}

/// A point of which there are some samples, and why there are no more.
struct Gathered {
  Measurement measurement;
  std::string failed;
};

/// Adds the samples of one more pass.
void gather(const Planned& planned, const Settings& settings, Lab& lab, Gathered& into) {
  if (!into.failed.empty()) return;
  try {
    auto more = planned.experiment.measure(lab, settings);
    auto& m = into.measurement;
    const bool first = m.ns.empty();
    more.ns.insert(more.ns.end(), m.ns.begin(), m.ns.end());
    more.correct = more.correct && (first || m.correct);
    m = std::move(more);
  } catch (const gpu::Error& e) {
    into.failed = e.what();
  }
}

/// Those that take several passes: one after the other in each, and written after the last.
void run_in_passes(std::span<const Planned> plan, Lab& lab, Recorder& recorder, Pace& pace) {
  int passes = 1;
  for (const auto& planned : plan) passes = std::max(passes, planned.experiment.passes);
  std::vector<std::vector<Gathered>> gathered;
  for (const auto& planned : plan) gathered.emplace_back(planned.points.size());
  const auto samples = lab.effort.samples;
  for (int pass = 0; pass < passes; ++pass) {
    lab.effort.samples = samples * (pass + 1) / passes - samples * pass / passes;
    for (std::size_t n = 0; n < plan.size() && lab.effort.samples > 0; ++n)
      for (std::size_t point = 0; point < plan[n].points.size(); ++point) {
        const auto begin = now_ns();
        gather(plan[n], plan[n].points[point], lab, gathered[n][point]);
        pace.visited(plan[n].experiment, begin, now_ns());
      }
  }
  lab.effort.samples = samples;
  for (std::size_t n = 0; n < plan.size(); ++n)
    for (std::size_t point = 0; point < plan[n].points.size(); ++point) {
      const auto& [measurement, failed] = gathered[n][point];
      if (failed.empty())
        recorder.point(plan[n].experiment, plan[n].points[point], measurement);
      else
        recorder.failure(plan[n].experiment, plan[n].points[point], failed);
    }
}

void run_all(std::span<const Planned> plan, Lab& lab, Recorder& recorder, Pace& pace, const Say& say) {
  std::vector<Planned> in_passes;
  for (const auto& planned : plan) pace.expect(planned.experiment, planned.points.size());
  for (const auto& planned : plan)
    if (planned.experiment.passes == 1)
      run(planned, lab, recorder, pace, say);
    else if (!say_if_waived(planned, say))
      in_passes.push_back(planned);
  if (in_passes.empty()) return;
  const auto start = now_ns();
  run_in_passes(in_passes, lab, recorder, pace);
  std::size_t points = 0;
  for (const auto& planned : in_passes) points += planned.points.size();
  say("in several passes: " + say_points(points, start));
}

/// The GPUs of this machine, `most` of them, into the lab; or why there is none. False where the kernels are missing.
bool find_gpus(const MeasureOptions& options, const gpu::LoadedDriver& loaded, Lab& lab, const Say& say,
               int most = std::numeric_limits<int>::max()) {
  if (!loaded.driver) {
    lab.no_gpu = loaded.missing;
    return true;
  }
  const int count = gpu::count_gpus(*loaded.driver);
  if (count == 0) {
    lab.no_gpu = "the driver finds no GPU";
    return true;
  }
  auto kernel_file = options.kernels;
  if (kernel_file.empty()) {
    const auto found = gpu::find_kernels("kernels", options.vendor);
    if (found.file.empty()) return say(found.missing + ". A file in another place is named with --kernels"), false;
    kernel_file = found.file;
  }
  const auto kernels = read_whole(kernel_file);
  if (kernels.empty()) {
    say("cannot read kernels from '" + kernel_file + "'; " + gpu::how_to_build_kernels(options.vendor));
    return false;
  }
  for (int n = 0; n < std::min(count, most); ++n)
    lab.gpus.push_back(std::make_unique<gpu::Gpu>(*loaded.driver, options.vendor, n, kernels));
  for (auto& gpu : lab.gpus) lab.benches.push_back(std::make_unique<Bench>(*gpu, lab.effort));
  lab.first().use();
  lab.gpu_provider = gpu::name_of(options.vendor);
  lab.gpu_library = options.library;
  lab.kernel_file = std::filesystem::absolute(kernel_file);
  return true;
}

}  // namespace

std::optional<Launch> read_launch(const std::string& text) {
  std::istringstream parts{text};
  Launch launch;
  char first = 0, second = 0;
  std::getline(parts, launch.kernel, ':');
  parts >> launch.request >> first >> launch.warps >> second >> launch.steps;
  const bool known = launch.kernel == "read_chains" || launch.kernel == "write_places";
  const bool sound = launch.request >= 4 && launch.request <= static_cast<std::int64_t>(line_size) &&
                     launch.warps > 0 && launch.steps > 0 && first == ':' && second == ':';
  return parts && parts.eof() && known && sound ? std::optional{launch} : std::nullopt;
}

MeasureEnd launch_once(const MeasureOptions& options, std::span<const Launch> launches, const Say& say) {
  const auto loaded = gpu::load_driver(options.vendor, options.library);
  try {
    Lab lab{options.effort, {}, {}, options.nic, ""};
    lab.effort.largest = read_window(options.effort);  // ready sooner
    if (!find_gpus(options, loaded, lab, say, 1)) return MeasureEnd::wrong_input;
    if (lab.gpus.empty()) return say("waived: " + lab.no_gpu), MeasureEnd::waived;
    auto& bench = lab.first();
    for (const auto& launch : launches) {
      const bool reads = launch.kernel == "read_chains";
      auto a =
          reads ? reading_chains(bench, launch.warps, launch.request) : chains_of(bench, launch.warps, launch.request);
      a.steps = launch.steps;
      const auto grid = grid_for(launch.warps);
      bench.in.launch(launch.kernel.c_str(), grid.blocks, grid.threads, a);
      bench.in.wait();
    }
  } catch (const gpu::Error& e) {
    return say(e.what()), MeasureEnd::points_failed;
  }
  return MeasureEnd::done;
}

std::string list_experiments() {
  std::string text;
  for (const auto& experiment : catalogue())
    text += std::string{experiment.name} + "\n    " + std::string{experiment.isolates} + "\n";
  return text;
}

MeasureEnd measure(const MeasureOptions& options, const Say& say) {
  const auto start = now_ns();
  bool wrong = false;
  const auto chosen = choose(options, say, wrong);
  if (wrong) return MeasureEnd::wrong_input;
  const auto loaded = gpu::load_driver(options.vendor, options.library);
  Recorder recorder;
  Pace pace{say, start};
  try {
    Lab lab{options.effort, {}, {}, options.nic, ""};
    if (!find_gpus(options, loaded, lab, say)) return MeasureEnd::wrong_input;
    std::vector<Planned> plan;
    for (const auto& experiment : chosen) plan.push_back(plan_of(experiment, lab));
    if (lab.gpus.empty() && std::ranges::all_of(plan, [](const auto& planned) { return planned.points.empty(); })) {
      for (const auto& planned : plan)
        if (!planned.experiment.needs_gpu) say(std::string{planned.experiment.name} + ": waived, " + planned.waived);
      return say_waived(lab.no_gpu, chosen, say), MeasureEnd::waived;
    }
    if (!recorder.open(options.out)) return say("cannot write " + options.out), MeasureEnd::wrong_input;
    recorder.begin(header(options, lab, plan));
    run_all(plan, lab, recorder, pace, say);
  } catch (const gpu::Error& e) {
    say(e.what());
    return MeasureEnd::points_failed;
  }
  recorder.end((now_ns() - start) / 1e9, pace.spent());
  say(std::to_string(recorder.points()) + " points, " + std::to_string(recorder.failures()) + " failed, in " +
      options.out);
  return recorder.failures() == 0 ? MeasureEnd::done : MeasureEnd::points_failed;
}

}  // namespace peerpath::experiments
