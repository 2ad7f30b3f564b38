#include "validation/emulator/emulate.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

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
  out.found = {found, 0};
  out.unit = std::move(unit);
  out.verdict = found == wanted ? observe::Verdict::ok : observe::Verdict::failed;
  return out;
}

/// The line that the guest reported for a traffic entry; an empty object if there is none.
Json line_of(const std::vector<std::string>& report, const std::string& traffic) {
  for (const auto& line : report) {
    auto document = Json::parse(line, nullptr, false);
    if (document.value("traffic", "") == traffic) return document;
  }
  return Json::object();
}

/// A module that is not the kernel's own taints it: bits 12 (out of tree) and 13 (unsigned), Documentation/admin-guide/
/// tainted-kernels.rst.
std::int64_t expected_taint(const scenario::Scenario& scenario) {
  const bool module = scenario.emulator.exporter == scenario::GpuExporter::p2pdma;
  return module ? (1 << 12) | (1 << 13) : 0;
}

/// The ledger names only links that something crossed; a link of the scenario that it does not name carried nothing.
void add_idle_links(const scenario::Scenario& scenario, std::vector<observe::LinkResult>& links) {
  for (const auto& link : scenario.links) {
    observe::LinkResult idle;
    idle.nearer = link.from.substr(0, link.from.find('.'));
    idle.farther = link.to.substr(0, link.to.find('.'));
    idle.name = idle.farther + "-" + idle.nearer;
    if (std::ranges::find(links, idle.name, &observe::LinkResult::name) == links.end())
      links.push_back(std::move(idle));
  }
}

void take_traffic(const scenario::Scenario& scenario, const scenario::Traffic& traffic,
                  const std::vector<std::string>& report, Outcome& out) {
  const bool receive = traffic.kind == scenario::TrafficKind::receive;
  const auto line = line_of(report, traffic.name);
  const auto near = line.value("near", Json::object()), far = line.value("far", Json::object());
  const auto& sink = receive ? near : far;
  observe::TrafficResult result;
  result.name = traffic.name;
  result.kind = name_of(traffic.kind);
  result.path = name_of(traffic.path);
  result.from = traffic.from;
  result.to = traffic.to;
  result.requesters = {traffic.from};
  result.offered_payload = scenario.emulator.transfer;
  result.delivered_payload = Bytes{sink.value("validated_bytes", std::int64_t{0})};
  for (const auto& end : {near, far}) {
    if (const auto problem = end.value("problem", ""); !problem.empty())
      out.results.faults.push_back({traffic.from, problem, 1, {}});
  }
  out.requirements.push_back(requirement(traffic.name + ".validated_bytes", scenario.emulator.transfer.count(),
                                         result.delivered_payload.count(), "B"));
  if (scenario.emulator.api != scenario::KernelApi::socket) {
    out.requirements.push_back(
        requirement(traffic.name + ".copied_bytes", 0, near.value("copied_bytes", std::int64_t{-1}), "B"));
  }
  out.results.traffic.push_back(std::move(result));
}

}  // namespace

tl::expected<Outcome, RunFailure> run_emulator(const scenario::Scenario& scenario, const Equipment& equipment,
                                               const RunOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  const auto ledger_file = options.folder / "ledger.json";
  std::filesystem::remove(ledger_file, error);
  const auto machine = make_machine(scenario, ledger_file.string(), equipment.kvm);
  if (!machine) return tl::unexpected{RunFailure{machine.error(), {}}};
  const auto job = make_job(scenario, *machine);
  if (!job) return tl::unexpected{RunFailure{job.error(), {}}};

  BootOptions boot_options;
  boot_options.machine = machine->arguments;
  boot_options.kernel_words = machine->kernel_words;
  boot_options.job = *job;
  boot_options.folder = options.folder;
  boot_options.timeout = std::chrono::seconds{scenario.emulator.timeout / std::chrono::seconds{1}};
  boot_options.stop = options.stop;
  boot_options.console = options.console;
  const auto booted = boot(equipment, boot_options);
  if (!booted) return tl::unexpected{RunFailure{{}, booted.error()}};

  Outcome out;
  out.results.complete = !booted->interrupted;
  if (booted->interrupted) return out;
  for (const auto& traffic : scenario.traffic) take_traffic(scenario, traffic, booted->report, out);
  out.requirements.push_back(requirement("guest.tainted", expected_taint(scenario), booted->tainted, "1"));
  std::ifstream in{ledger_file};
  auto links = read_ledger({std::istreambuf_iterator<char>{in}, {}});
  if (!links) return tl::unexpected{RunFailure{{}, links.error()}};
  add_idle_links(scenario, *links);
  out.results.links = std::move(*links);
  return out;
}

}  // namespace peerpath::emulator
