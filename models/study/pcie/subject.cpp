#include "study/pcie/subject.hpp"

#include "observe/metric_names.hpp"
#include "observe/results_json.hpp"
#include "peerpath/observe/finish.hpp"
#include "peerpath/scenario/window.hpp"
#include "study/located.hpp"
#include "study/pcie/graph.hpp"
#include "study/pcie/reruns.hpp"
#include "study/pcie/result_table.hpp"
#include "study/pcie/route_text.hpp"

namespace peerpath::study {
namespace {

class PcieOutcome final : public Outcome {
 public:
  PcieOutcome(const scenario::Loaded& loaded, observe::Results results, std::unique_ptr<trace::Tracer> tracer)
      : loaded_{loaded}, results_{std::move(results)}, tracer_{std::move(tracer)} {
    problems = observe::finish(results_, loaded_.scenario);
    if (!tracer_) return;
    for (auto& file : tracer_->finish()) traces.push_back({file.written, file.name, file.what, file.whole});
  }
  const observe::Results& results() const override { return results_; }
  nlohmann::ordered_json document(const std::string& version) const override {
    return pcie_document(results_, loaded_, version);
  }
  std::string table(const Painter& painter) const override { return result_table(results_, loaded_.scenario, painter); }
  std::unique_ptr<Reruns> reruns(std::size_t suspects) override { return pcie_reruns(results_, loaded_, suspects); }

 private:
  const scenario::Loaded& loaded_;
  observe::Results results_;
  std::unique_ptr<trace::Tracer> tracer_;
};

class PcieSubject final : public Subject {
 public:
  explicit PcieSubject(scenario::Loaded loaded) : loaded_{std::move(loaded)} {}

  std::string_view kind() const override { return "PCIe"; }
  const std::string& name() const override { return loaded_.scenario.name; }
  const std::string& description() const override { return loaded_.scenario.description; }
  const std::filesystem::path& file() const override { return loaded_.file; }
  const std::map<std::string, scenario::Origin>& origins() const override { return loaded_.origins; }
  const scenario::Sweep& sweep() const override { return loaded_.scenario.sweep; }

  nlohmann::ordered_json written() const override { return scenario::written(loaded_.scenario); }
  scenario::Absent absent() const override { return scenario::absent(loaded_.scenario); }
  std::string contents() const override {
    const auto& s = loaded_.scenario;
    return std::to_string(s.devices.size()) + " devices, " + std::to_string(s.links.size()) + " links, " +
           std::to_string(s.traffic.size()) + " traffic entries, " + std::to_string(s.expect.size()) + " expectations";
  }
  Problems warnings() const override {
    auto found = without_route(loaded_.scenario);
    for (auto& warning : found) warning = located(warning, loaded_);
    return found;
  }
  bool has_traffic() const override { return !loaded_.scenario.traffic.empty(); }
  std::vector<scenario::Entry> metrics() const override {
    std::vector<scenario::Entry> entries;
    for (const auto& metric : observe::expected_metrics(loaded_.scenario))
      entries.push_back({metric.name, metric.doc + (metric.unit == "1" ? "" : " (" + metric.unit + ")")});
    return entries;
  }
  std::optional<std::string> graph() const override { return graph_text(loaded_.scenario); }

  Instant end() const override { return Instant{scenario::longest_run(loaded_.scenario)}; }
  bool can_trace(const trace::Format& /*format*/) const override { return true; }
  bool runs_on_ranks() const override { return false; }
  std::vector<std::filesystem::path> captures() const override { return loaded_.captures; }
  std::string quantum() const override { return scenario::to_text(loaded_.scenario.run.quantum); }
  const scenario::Loaded* host() const override { return &loaded_; }

  tl::expected<OutcomePtr, Problems> run(const RunRequest& request) const override {
    std::unique_ptr<trace::Tracer> tracer;
    if (request.tracing) tracer = std::make_unique<trace::Tracer>(request.tracing->request, request.tracing->folder);
    platform::RunOptions options;
    options.mode = request.mode;
    options.check_protocol = request.check_protocol;
    options.captures = loaded_.captures;
    options.stop = request.stop;
    if (request.progress)
      options.progress = [&](const platform::Progress& p) { request.progress(p.simulated, p.total); };
    options.trace = tracer.get();
    options.built = [&](const observe::Scene& scene) {
      if (request.built) request.built(scene);
      return tracer ? tracer->built(scene) : Problems{};
    };
    if (tracer || request.guide)
      options.guide = [&](device::Endpoint& device, const device::Place& place) -> device::Endpoint& {
        auto& seen = tracer ? tracer->guide(device, place) : device;
        return request.guide ? request.guide(seen, place) : seen;
      };
    auto results = request.loop(loaded_.scenario, options);
    if (!results) return tl::unexpected{std::move(results.error())};
    return std::make_unique<PcieOutcome>(loaded_, std::move(*results), std::move(tracer));
  }

 private:
  scenario::Loaded loaded_;
};

tl::expected<SubjectPtr, Problems> subject_of(tl::expected<scenario::Loaded, Problems> loaded) {
  if (!loaded) return tl::unexpected{std::move(loaded.error())};
  return pcie_subject(std::move(*loaded));
}

}  // namespace

SubjectPtr pcie_subject(scenario::Loaded loaded) { return std::make_shared<const PcieSubject>(std::move(loaded)); }

nlohmann::ordered_json pcie_document(const observe::Results& results, const scenario::Loaded& loaded,
                                     const std::string& version) {
  return observe::results_document(
      results, {version, loaded.scenario.name, scenario::written(loaded.scenario), scenario::written_origins(loaded)});
}

MaybeSubject load_pcie(const std::filesystem::path& name, const scenario::LoadOptions& options) {
  return subject_of(scenario::load(name, options));
}

MaybeSubject vary_pcie(const scenario::Prepared& prepared, const std::filesystem::path& /*name*/,
                       const scenario::LoadOptions& /*options*/, const std::vector<std::string>& overrides) {
  return subject_of(prepared.with(overrides));
}

}  // namespace peerpath::study
