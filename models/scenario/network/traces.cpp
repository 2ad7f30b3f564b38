#include "scenario/network/traces.hpp"

#include <map>
#include <tuple>

#include "scenario/network/execution_trace/chakra.hpp"
#include "scenario/network/execution_trace/join.hpp"
#include "scenario/network/execution_trace/plain.hpp"
#include "scenario/network/names.hpp"

namespace peerpath::network_scenario {
namespace {

constexpr std::string_view rank_slot = "{rank}";
/// Messages of operations that are not alike: what plans of them take is some 50 bytes each.
constexpr std::uint64_t most_planned = 20'000'000;
constexpr std::size_t most_nodes = 5'000'000;  ///< of all ranks

std::string with_rank(std::string name, std::size_t rank) {
  for (auto at = name.find(rank_slot); at != name.npos; at = name.find(rank_slot, at))
    name.replace(at, rank_slot.size(), std::to_string(rank));
  return name;
}

tl::expected<RankTrace, Problems> read(const std::filesystem::path& file, const scenario::FileAccess& files) {
  const auto name = file.generic_string();
  const auto text = files.read(file);
  if (!text) return tl::unexpected{Problems{{name, 0, 0, "", text.error()}}};
  return file.extension() == ".json" ? read_plain(*text, name) : read_chakra(*text, name);
}

/// The traces of all ranks; nothing if one of them is wrong.
std::optional<std::vector<RankTrace>> read_all(const TraceEntry& entry, const std::filesystem::path& folder,
                                               const scenario::FileAccess& files, Problems& problems) {
  const auto ranks = spelt_out(entry.hosts).size();
  const bool one_for_all = entry.file.find(rank_slot) == entry.file.npos;
  std::vector<RankTrace> traces;
  std::size_t nodes = 0;
  for (std::size_t rank = 0; rank < (one_for_all ? 1 : ranks); ++rank) {
    const auto file = folder / with_rank(entry.file, rank);
    auto trace = files.exists(file)
                     ? read(file, files)
                     : tl::unexpected{Problems{{file.generic_string(), 0, 0, "",
                                                "there is no such file, for rank " + std::to_string(rank) + " of " +
                                                    std::to_string(ranks)}}};
    if (!trace) {
      problems.insert(problems.end(), trace.error().begin(), trace.error().end());
      return std::nullopt;
    }
    traces.push_back(std::move(*trace));
    nodes += traces.back().nodes.size() * (one_for_all ? ranks : 1);
    if (nodes <= most_nodes) continue;
    problems.push_back(
        {file.generic_string(), 0, 0, "", "all ranks have more than " + std::to_string(most_nodes) + " nodes so far"});
    return std::nullopt;
  }
  if (one_for_all) traces.resize(ranks, traces.front());
  return traces;
}

/// Why it is too large to be played; "" if it is not.
std::string too_large(const collective::Workload& job, const collective::WorkloadConfig& config) {
  std::map<std::tuple<collective::Exchange, std::uint32_t, std::int64_t, std::uint32_t>, bool> known;
  std::uint64_t planned = 0, all = 0;
  for (const auto& operation : job.operations) {
    const auto members = static_cast<std::uint32_t>(job.groups[operation.group].size());
    const auto count = collective::messages_of(operation, members, config);
    all += count;
    if (known.try_emplace({operation.kind, operation.group, operation.bytes.count(), operation.root}).second)
      planned += count;
  }
  if (planned > most_planned)
    return "has collectives of " + std::to_string(planned) + " messages, and " + std::to_string(most_planned) +
           " are the most; fewer `slices` make fewer";
  return all >> 32 == 0 ? "" : "has more than 2^32 messages";
}

}  // namespace

Problems load_traces(const scenario::Node& root, scenario::Report& report, const scenario::Resolver& resolver,
                     const scenario::LoadOptions& options, Loaded& loaded) {
  Problems problems;
  for (std::size_t i = 0; i < loaded.scenario.traces.size(); ++i) {
    const auto& entry = loaded.scenario.traces[i];
    const auto at = scenario::join(scenario::join("/traces", i), "file");
    const auto place = scenario::locate(root, at);
    if (entry.file.empty() ||
        (entry.file.find('{') != entry.file.npos && entry.file.find(rank_slot) == entry.file.npos)) {
      report.add(
          place, at,
          entry.file.empty() ? "is missing" : "\"" + entry.file + "\" has no {rank}, which a rank's number replaces");
      continue;
    }
    const auto folder = place.file >= 0 ? resolver.path(place.file).parent_path() : loaded.file.parent_path();
    const auto traces = read_all(entry, folder, options.files, problems);
    if (!traces) continue;
    auto job = join(*traces, {entry.workload_config(), entry.clear_to_send > 0});
    if (!job) {
      problems.insert(problems.end(), job.error().begin(), job.error().end());
      continue;
    }
    if (const auto why = too_large(*job, entry.workload_config()); !why.empty()) report.add(place, at, why);
    loaded.workloads.push_back(std::move(*job));
  }
  return problems;
}

}  // namespace peerpath::network_scenario
