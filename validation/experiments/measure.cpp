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

void run(const Planned& planned, Lab& lab, Recorder& recorder, const Say& say) {
  const std::string name{planned.experiment.name};
  if (!planned.waived.empty()) return say(name + ": waived, " + planned.waived);
  const auto start = now_ns();
  for (const auto& settings : planned.points) try {
      recorder.point(planned.experiment, settings, planned.experiment.measure(lab, settings));
    } catch (const gpu::Error& e) {
      recorder.failure(planned.experiment, settings, e.what());
    }
  const auto seconds = std::to_string((now_ns() - start) / 1e9);
  say(name + ": " + std::to_string(planned.points.size()) + " points in " + seconds.substr(0, 4) + " s");
}

/// The GPUs of this machine into the lab; or why there is none. False where the kernels are missing.
bool find_gpus(const MeasureOptions& options, const gpu::LoadedDriver& loaded, Lab& lab, const Say& say) {
  if (!loaded.driver) {
    lab.no_gpu = loaded.missing;
    return true;
  }
  const int count = gpu::count_gpus(*loaded.driver);
  if (count == 0) {
    lab.no_gpu = "the driver finds no GPU";
    return true;
  }
  const auto kernel_file = options.kernels.empty() ? built_kernels(options.vendor) : options.kernels;
  const auto kernels = read_whole(kernel_file);
  if (kernels.empty()) return say("cannot read kernels from '" + kernel_file + "'"), false;
  for (int n = 0; n < count; ++n)
    lab.gpus.push_back(std::make_unique<gpu::Gpu>(*loaded.driver, options.vendor, n, kernels));
  for (auto& gpu : lab.gpus) lab.benches.push_back(std::make_unique<Bench>(*gpu, options.effort));
  lab.first().use();
  lab.gpu_provider = gpu::name_of(options.vendor);
  lab.gpu_library = options.library;
  lab.kernel_folder = std::filesystem::absolute(kernel_file).parent_path();
  return true;
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
  Recorder recorder;
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
    for (const auto& planned : plan) run(planned, lab, recorder, say);
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
