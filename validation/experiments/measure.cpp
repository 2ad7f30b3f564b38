#include "validation/experiments/measure.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "validation/experiments/catalogue.hpp"
#include "validation/experiments/json_line.hpp"
#include "validation/experiments/machine_facts.hpp"
#include "validation/experiments/recorder.hpp"

namespace peerpath::experiments {
namespace {

std::string read_whole(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Beside the program, or where the build puts them.
std::string built_kernels(gpu::Vendor vendor) {
  namespace fs = std::filesystem;
  const std::string name = vendor == gpu::Vendor::cuda ? "kernels.fatbin" : "kernels.hip";
  std::error_code error;
  const auto here = fs::read_symlink("/proc/self/exe", error).parent_path();
  const auto shared = here / ".." / "share" / "peerpath" / name;
  return fs::exists(shared, error) ? shared.string() : (here / name).string();
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

std::string plan_json(const std::vector<Experiment>& chosen, const Lab& lab) {
  std::vector<std::string> items;
  for (const auto& experiment : chosen)
    items.push_back(JsonLine{}
                        .add("experiment", experiment.name)
                        .add("points", static_cast<std::int64_t>(experiment.plan(lab).size()))
                        .add("isolates", experiment.isolates)
                        .text());
  return json_array(items);
}

std::string header(const MeasureOptions& options, const Lab& lab, const std::vector<Experiment>& chosen) {
  int version = 0;
  lab.gpus.front()->driver().driver_version(&version);
  std::vector<std::string> gpus;
  for (const auto& gpu : lab.gpus) gpus.push_back(gpu_json(*gpu));
  const auto driver = JsonLine{}
                          .add("interface", gpu::name_of(options.vendor))
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
                             .text())
      .add_raw("host", host_facts())
      .add_raw("driver", driver)
      .add_raw("gpus", json_array(gpus))
      .add_raw("plan", plan_json(chosen, lab))
      .text();
}

/// The experiments asked for; says which names there are none of.
std::vector<Experiment> choose(const MeasureOptions& options, const Say& say, bool& wrong) {
  auto all = catalogue();
  for (const auto& name : options.only)
    if (std::ranges::find(all, name, &Experiment::name) == all.end()) {
      say("there is no experiment '" + name + "'; --list shows them");
      wrong = true;
    }
  std::erase_if(all, [&](const Experiment& e) {
    return !options.only.empty() && std::ranges::find(options.only, e.name) == options.only.end();
  });
  return all;
}

void say_waived(const std::string& missing, const std::vector<Experiment>& chosen, const Say& say) {
  std::string would;
  for (const auto& experiment : chosen) would += (would.empty() ? "" : ", ") + std::string{experiment.name};
  say("waived: " + missing + "; would run: " + would);
}

void run(const Experiment& experiment, Lab& lab, Recorder& recorder, const Say& say) {
  const auto plan = experiment.plan(lab);
  if (plan.empty()) return say(std::string{experiment.name} + ": skipped, needs " + std::string{experiment.needs});
  const auto start = now_ns();
  for (const auto& settings : plan) try {
      recorder.point(experiment, settings, experiment.measure(lab, settings));
    } catch (const gpu::Error& e) {
      recorder.failure(experiment, settings, e.what());
    }
  const auto seconds = std::to_string((now_ns() - start) / 1e9);
  say(std::string{experiment.name} + ": " + std::to_string(plan.size()) + " points in " + seconds.substr(0, 4) + " s");
}

}  // namespace

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
  if (!loaded.driver) return say_waived(loaded.missing, chosen, say), MeasureEnd::waived;
  int count = 0;
  if (loaded.driver->init(0) != 0 || loaded.driver->device_count(&count) != 0 || count == 0)
    return say_waived("the driver finds no GPU", chosen, say), MeasureEnd::waived;
  const auto kernel_file = options.kernels.empty() ? built_kernels(options.vendor) : options.kernels;
  const auto kernels = read_whole(kernel_file);
  if (kernels.empty()) return say("cannot read kernels from '" + kernel_file + "'"), MeasureEnd::wrong_input;
  Recorder recorder{options.out};
  if (!recorder.usable()) return say("cannot write " + options.out), MeasureEnd::wrong_input;
  try {
    Lab lab{options.effort, {}, {}};
    for (int n = 0; n < count; ++n)
      lab.gpus.push_back(std::make_unique<gpu::Gpu>(*loaded.driver, options.vendor, n, kernels));
    for (auto& gpu : lab.gpus) lab.benches.push_back(std::make_unique<Bench>(*gpu, options.effort));
    lab.first().use();
    recorder.begin(header(options, lab, chosen));
    for (const auto& experiment : chosen) run(experiment, lab, recorder, say);
  } catch (const gpu::Error& e) {
    say(e.what());
    return MeasureEnd::points_failed;
  }
  recorder.end((now_ns() - start) / 1e9);
  say(std::to_string(recorder.points()) + " points, " + std::to_string(recorder.failures()) + " failed, in " +
      options.out);
  return recorder.failures() == 0 ? MeasureEnd::done : MeasureEnd::points_failed;
}

}  // namespace peerpath::experiments
