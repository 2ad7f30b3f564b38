#include "study/network/subject.hpp"

#include <cerrno>
#include <cstring>

#include "peerpath/base/part_file.hpp"
#include "platform/network/run.hpp"
#include "scenario/network/load.hpp"
#include "scenario/network/metrics.hpp"
#include "scenario/network/window.hpp"
#include "scenario/network/write.hpp"
#include "study/network/document.hpp"
#include "study/network/reruns.hpp"
#include "study/network/table.hpp"

namespace peerpath::study {
namespace {

class NetworkOutcome final : public Outcome {
 public:
  NetworkOutcome(const network_scenario::Loaded& loaded, const scenario::LoadOptions& files,
                 network_run::Outcome outcome, std::optional<PartFile> capture)
      : loaded_{loaded}, files_{files}, outcome_{std::move(outcome)}, capture_{std::move(capture)} {}
  const observe::Results& results() const override { return outcome_.results; }
  nlohmann::ordered_json document(const std::string& version) const override {
    return network_document(loaded_, outcome_, version);
  }
  std::string table(const Painter& painter) const override { return network_table(loaded_, outcome_, painter); }
  std::unique_ptr<Reruns> reruns(std::size_t suspects) override {
    return network_reruns(outcome_, loaded_, files_, suspects);
  }

 private:
  const network_scenario::Loaded& loaded_;
  const scenario::LoadOptions& files_;
  network_run::Outcome outcome_;
  std::optional<PartFile> capture_;  ///< is removed with the outcome where nobody keeps it
};

class NetworkSubject final : public Subject {
 public:
  NetworkSubject(network_scenario::Loaded loaded, scenario::LoadOptions files)
      : loaded_{std::move(loaded)}, files_{std::move(files)} {}

  std::string_view kind() const override { return "network"; }
  const std::string& name() const override { return loaded_.scenario.name; }
  const std::string& description() const override { return loaded_.scenario.description; }
  const std::filesystem::path& file() const override { return loaded_.file; }
  const std::map<std::string, scenario::Origin>& origins() const override { return loaded_.origins; }
  const scenario::Sweep& sweep() const override { return loaded_.scenario.sweep; }

  nlohmann::ordered_json written() const override { return network_scenario::written(loaded_.scenario); }
  scenario::Absent absent() const override { return network_scenario::absent(loaded_.scenario); }
  std::string contents() const override {
    const auto& s = loaded_.scenario;
    const auto& graph = loaded_.graph;
    return std::to_string(graph.hosts.size()) + " hosts, " + std::to_string(graph.nodes.size() - graph.hosts.size()) +
           " switches, " + std::to_string(graph.cables.size()) + " cables, " + std::to_string(s.rdma.size()) +
           " rdma entries, " + std::to_string(s.collectives.size()) + " collectives, " +
           std::to_string(s.expect.size()) + " expectations";
  }
  Problems warnings() const override { return {}; }
  bool has_traffic() const override { return true; }
  std::vector<scenario::Entry> metrics() const override {
    std::vector<scenario::Entry> entries;
    for (const auto& metric : network_scenario::metrics_of(loaded_.scenario))
      entries.push_back({metric.name, metric.doc + (metric.unit == "1" ? "" : " (" + metric.unit + ")")});
    return entries;
  }
  std::optional<std::string> graph() const override { return std::nullopt; }

  Instant end() const override { return Instant{longest_run(loaded_.scenario)}; }
  bool can_trace(const trace::Format& format) const override { return format.name == "pcapng"; }
  bool runs_on_ranks() const override { return true; }
  std::vector<std::filesystem::path> captures() const override { return {}; }
  std::string quantum() const override { return {}; }

  tl::expected<OutcomePtr, Problems> run(const RunRequest& request) const override {
    std::optional<PartFile> part;
    network_run::Options options{.progress = request.progress, .stop = request.stop, .ranks = request.ranks};
    std::string name;
    if (request.tracing) {
      const auto& traced = request.tracing->request;
      name = traced.formats.front()->file;
      const auto file = request.tracing->folder / name;
      part.emplace(file);
      if (part->path().empty())
        return tl::unexpected{
            Problems{{file.string(), 0, 0, "", std::string{"cannot be written: "} + std::strerror(errno)}}};
      options.capture = {part->path(), traced.program, traced.links, traced.window, traced.end};
    }
    auto outcome = network_run::run(loaded_, options);
    if (!outcome) return tl::unexpected{std::move(outcome.error())};
    const auto frames = outcome->captured;
    const auto written = part ? part->path() : std::filesystem::path{};
    auto finished = std::make_unique<NetworkOutcome>(loaded_, files_, std::move(*outcome), std::move(part));
    if (request.tracing)
      finished->traces.push_back({written, name,
                                  std::to_string(frames.value_or(0)) + (frames == 1 ? " frame" : " frames"),
                                  frames.has_value()});
    return finished;
  }

 private:
  network_scenario::Loaded loaded_;
  scenario::LoadOptions files_;
};

}  // namespace

MaybeSubject load_network(const std::filesystem::path& name, const scenario::LoadOptions& options) {
  auto loaded = network_scenario::load(name, options);
  if (!loaded) return std::nullopt;
  if (!*loaded) return tl::expected<SubjectPtr, Problems>{tl::unexpect, std::move(loaded->error())};
  return std::make_shared<const NetworkSubject>(std::move(**loaded), options);
}

MaybeSubject vary_network(const scenario::Prepared& /*prepared*/, const std::filesystem::path& name,
                          const scenario::LoadOptions& options, const std::vector<std::string>& overrides) {
  auto with = options;
  with.overrides.insert(with.overrides.end(), overrides.begin(), overrides.end());
  return load_network(name, with);
}

}  // namespace peerpath::study
