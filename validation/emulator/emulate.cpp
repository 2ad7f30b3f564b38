#include "validation/emulator/emulate.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>

#include "peerpath/base/temporary_folder.hpp"
#include "validation/emulator/guest.hpp"
#include "validation/emulator/job.hpp"
#include "validation/emulator/ledger.hpp"
#include "validation/emulator/machine.hpp"

namespace peerpath::emulator {
namespace {

using Json = nlohmann::json;

observe::ExpectationResult requirement(std::string metric, std::int64_t wanted, std::int64_t found, std::string unit) {
  observe::ExpectationResult out;
  out.metric = std::move(metric);
  out.wanted = "= " + std::to_string(wanted);
  out.found = observe::Decimal{found, 0};
  out.unit = std::move(unit);
  out.verdict = found == wanted ? observe::Verdict::ok : observe::Verdict::failed;
  return out;
}

/// What the guests reported for a traffic entry: "near" and "far", each an object.
Json line_of(const std::vector<std::string>& report, const std::string& traffic) {
  Json all = Json::object();
  for (const auto& line : report) {
    const auto document = Json::parse(line, nullptr, false);
    if (document.value("traffic", "") == traffic) all.update(document);
  }
  return all;
}

/// A module that is not the kernel's own taints it: bits 12 (out of tree) and 13 (unsigned), Documentation/admin-guide/
/// tainted-kernels.rst.
std::int64_t expected_taint(const scenario::Scenario& scenario) {
  const bool module = scenario.emulator.exporter == scenario::GpuExporter::p2pdma;
  return module ? (1 << 12) | (1 << 13) : 0;
}

/// Bit 9, a warning: skb_checksum (net/core/skbuff.c) warns of a packet whose payload it cannot read. A kernel that
/// drops a damaged packet in device memory says so once, whatever the device does, so there it is no fault.
std::int64_t judged_taint(const scenario::Scenario& scenario, std::int64_t found) {
  const bool damaged = std::ranges::any_of(
      scenario.events, [](const scenario::Event& event) { return event.is<scenario::event::CorruptFrame>(); });
  return damaged && scenario.emulator.api != scenario::KernelApi::socket ? found & ~std::int64_t{1 << 9} : found;
}

/// The ledger names only links that something crossed; a link of the scenario that it does not name carried nothing.
void add_idle_links(const scenario::Scenario& scenario, std::vector<observe::LinkResult>& links) {
  for (const auto& link : scenario.links) {
    observe::LinkResult idle;
    idle.nearer = scenario::device_of(link.from);
    idle.farther = scenario::device_of(link.to);
    idle.name = idle.farther + "-" + idle.nearer;
    if (std::ranges::find(links, idle.name, &observe::LinkResult::name) == links.end())
      links.push_back(std::move(idle));
  }
}

/// Entries of the rings and their bytes as the NICs counted them, under the names that the model's NICs have.
void add_counters(const std::string& ledger, std::vector<observe::Metric>& metrics) {
  constexpr std::array<std::pair<const char*, const char*>, 9> known{{{"rx_descriptors", "1"},
                                                                      {"rx_descriptor_bytes", "B"},
                                                                      {"rx_completions", "1"},
                                                                      {"rx_completion_bytes", "B"},
                                                                      {"tx_descriptors", "1"},
                                                                      {"tx_descriptor_bytes", "B"},
                                                                      {"tx_completions", "1"},
                                                                      {"tx_completion_bytes", "B"},
                                                                      {"bad_checksums", "1"}}};
  const auto document = Json::parse(ledger, nullptr, false);
  const auto all = document.value("counters", Json::object());
  for (const auto& [device, counters] : all.items()) {
    for (const auto& [name, unit] : known) {
      if (counters.contains(name))
        metrics.push_back({device + "." + name, unit, observe::Decimal{counters[name].get<std::int64_t>(), 0},
                           "As the device counted it"});
    }
  }
}

void take_traffic(const scenario::Scenario& scenario, const scenario::Traffic& traffic,
                  const std::vector<std::string>& report, Outcome& out) {
  const bool receive = !traffic.with_kind([](auto kind, const auto&) { return kind.pulls; });
  const auto line = line_of(report, traffic.name);
  const auto near = line.value("near", Json::object()), far = line.value("far", Json::object());
  const auto& sink = receive ? near : far;
  observe::TrafficResult result;
  result.name = traffic.name;
  result.kind = traffic.kind();
  result.path = name_of(traffic.path);
  result.from = traffic.from;
  result.to = traffic.to;
  result.requesters = {traffic.from};
  result.offered_payload = payload_of(scenario, traffic);
  result.delivered_payload = Bytes{sink.value("validated_bytes", std::int64_t{0})};
  for (const auto& end : {near, far}) {
    if (const auto problem = end.value("problem", ""); !problem.empty())
      out.results.faults.push_back({traffic.from, problem, 1, {}});
  }
  const auto& source = receive ? far : near;
  out.results.metrics.push_back({traffic.name + ".retransmitted_bytes", "B",
                                 observe::Decimal{source.value("retransmitted_bytes", std::int64_t{0}), 0},
                                 "Bytes that TCP sent more than once"});
  out.requirements.push_back(requirement(traffic.name + ".validated_bytes", payload_of(scenario, traffic).count(),
                                         result.delivered_payload.count(), "B"));
  if (scenario.emulator.api != scenario::KernelApi::socket) {
    out.requirements.push_back(
        requirement(traffic.name + ".copied_bytes", 0, near.value("copied_bytes", std::int64_t{-1}), "B"));
  }
  out.results.traffic.push_back(std::move(result));
}

/// A guest with its job, ready to boot.
tl::expected<BootOptions, RunFailure> prepare(const scenario::Scenario& scenario, const RunOptions& options,
                                              const MachineOptions& machine_options,
                                              const std::filesystem::path& folder) {
  const auto machine = make_machine(scenario, machine_options);
  if (!machine) return tl::unexpected{RunFailure{machine.error(), {}}};
  const auto job = make_job(scenario, *machine);
  if (!job) return tl::unexpected{RunFailure{job.error(), {}}};
  BootOptions out;
  out.machine = machine->arguments;
  out.kernel_words = machine->kernel_words;
  out.job = *job;
  out.folder = folder;
  if (machine_options.side != Side::far) {
    const auto events = make_events(scenario);
    if (!events) return tl::unexpected{RunFailure{events.error(), {}}};
    out.events = *events;
    out.monitor = machine_options.monitor;
  }
  out.timeout = std::chrono::seconds{scenario.emulator.timeout / std::chrono::seconds{1}};
  out.stop = options.stop;
  out.console = options.console;
  return out;
}

using Booted = tl::expected<BootResult, std::string>;

/// Two guests: that with the hardware, and that at the far end of its wires. What the second one says comes after.
tl::expected<BootResult, RunFailure> boot_two(const scenario::Scenario& scenario, const Equipment& equipment,
                                              const RunOptions& options, MachineOptions machine_options) {
  const std::filesystem::path wires = machine_options.socket_folder;
  machine_options.side = Side::near;
  auto near = prepare(scenario, options, machine_options, options.folder);
  if (!near) return tl::unexpected{near.error()};
  machine_options.side = Side::far;
  machine_options.monitor.clear();
  auto far = prepare(scenario, options, machine_options, options.folder / "far");
  if (!far) return tl::unexpected{far.error()};
  std::atomic<bool> far_failed = false;
  near->stop = [&] { return far_failed || options.stop(); };
  far->console = [](const std::string&) {};  // one guest's words at a time; the other's are in its folder
  auto first = std::async(std::launch::async, [&] { return boot(equipment, *near); });
  // QEMU makes the sockets in order; the last one is there when all are.
  const auto last = wires / make_machine(scenario, machine_options)->wires.back().nic;
  while (!std::filesystem::exists(last) &&
         first.wait_for(std::chrono::milliseconds{50}) == std::future_status::timeout) {}
  Booted second = boot(equipment, *far);
  if (second && !second->interrupted && second->status != 0) {
    second = tl::unexpected{"its job failed" + (second->report.empty() ? "" : ": " + second->report.back())};
  }
  far_failed = !second;
  Booted result = first.get();
  if (!result) return tl::unexpected{RunFailure{{}, result.error()}};
  if (!second) return tl::unexpected{RunFailure{{}, "at the far end: " + second.error()}};
  result->report.insert(result->report.end(), second->report.begin(), second->report.end());
  result->interrupted = result->interrupted || second->interrupted;
  return *result;
}

tl::expected<BootResult, RunFailure> boot_all(const scenario::Scenario& scenario, const Equipment& equipment,
                                              const RunOptions& options, const MachineOptions& machine_options) {
  if (scenario.emulator.guests == 2) return boot_two(scenario, equipment, options, machine_options);
  const auto guest = prepare(scenario, options, machine_options, options.folder);
  if (!guest) return tl::unexpected{guest.error()};
  return boot(equipment, *guest).map_error([](const std::string& text) { return RunFailure{{}, text}; });
}

}  // namespace

tl::expected<Outcome, RunFailure> run_emulator(const scenario::Scenario& scenario, const Equipment& equipment,
                                               const RunOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  const auto ledger_file = options.folder / "ledger.json";
  std::filesystem::remove(ledger_file, error);
  MachineOptions machine_options;
  machine_options.ledger = ledger_file.string();
  machine_options.trace = options.trace.string();
  machine_options.kvm = equipment.kvm;
  const TemporaryFolder sockets;
  machine_options.socket_folder = sockets.path().string();
  if (!scenario.events.empty()) machine_options.monitor = (sockets.path() / "monitor").string();
  const auto booted = boot_all(scenario, equipment, options, machine_options);
  if (!booted) return tl::unexpected{booted.error()};

  Outcome out;
  out.results.complete = !booted->interrupted;
  if (booted->interrupted) return out;
  for (const auto& traffic : scenario.traffic) take_traffic(scenario, traffic, booted->report, out);
  for (const auto& line : booted->report) {
    const auto document = Json::parse(line, nullptr, false);
    if (document.contains("problem")) out.results.faults.push_back({"guest", document.value("problem", ""), 1, {}});
  }
  out.requirements.push_back(
      requirement("guest.tainted", expected_taint(scenario), judged_taint(scenario, booted->tainted), "1"));
  std::ifstream in{ledger_file};
  const std::string document{std::istreambuf_iterator<char>{in}, {}};
  auto links = read_ledger(document);
  if (!links) return tl::unexpected{RunFailure{{}, links.error()}};
  add_idle_links(scenario, *links);
  out.results.links = std::move(*links);
  add_counters(document, out.results.metrics);
  return out;
}

}  // namespace peerpath::emulator
