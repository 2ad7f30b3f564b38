#include "peerpath/scenario/load.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "scenario/hosts.hpp"
#include "scenario/kind_keys.hpp"
#include "scenario/overrides.hpp"
#include "scenario/read.hpp"
#include "scenario/resolve.hpp"

namespace peerpath::scenario {
namespace fs = std::filesystem;
namespace {

// "netgpu/zero_copy" for scenarios/netgpu/zero_copy.json, else the stem.
std::string name_of_file(const fs::path& file, const LoadOptions& options) {
  fs::path name = file;
  name.replace_extension();
  for (const fs::path& base : options.search) {
    const auto below = name.lexically_normal().lexically_relative(base.lexically_normal());
    if (!below.empty() && *below.begin() != "..") return below.generic_string();
  }
  const auto part = std::find(name.begin(), name.end(), fs::path{"scenarios"});
  if (part == name.end()) return name.stem().generic_string();
  fs::path below;
  for (auto it = std::next(part); it != name.end(); ++it) below /= *it;
  return below.generic_string();
}

void find_captures(const Node& root, const Resolver& resolver, const LoadOptions& options, Loaded& out,
                   Report& report) {
  for (std::size_t i = 0; i < out.scenario.traffic.size(); ++i) {
    const std::string& capture = out.scenario.traffic[i].capture;
    out.captures.emplace_back();
    if (capture.empty() || out.scenario.traffic[i].kind != TrafficKind::receive) continue;
    const std::string pointer = "/traffic/" + std::to_string(i) + "/capture";
    const Place place = locate(root, pointer);
    const fs::path folder = place.file >= 0 ? resolver.path(place.file).parent_path() : fs::path{};
    if (const fs::path file = folder / capture; options.files.exists(file))
      out.captures.back() = file;
    else
      report.add(place, pointer, "there is no file \"" + file.lexically_normal().generic_string() + "\"");
  }
}

// What a sender gives has one place: what stands at its receiver would be ignored, or differ.
void refuse_keys_of_sender(const Node& root, const Scenario& scenario, Report& report) {
  const Node* entries = root.find("traffic");
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i)
    for (const Member& member : entries->items[i].members)
      if (is_of_sender(scenario.traffic[i], member.key))
        report.add(member.value.place, join(join("/traffic", i), member.key),
                   "is given by its sender, \"" + *scenario.traffic[i].sender + "\"");
}

// Values that `complete` filled in have no place in a file.
void note_completed(Loaded& out) {
  const auto note = [&](const std::string& pointer, const char* why) {
    Origin& origin = out.origins[pointer];
    if (origin.kind == Origin::Kind::built_in) origin.source = why;
  };
  for (const Device& device : out.scenario.devices)
    std::visit(
        [&](const auto& config) {
          if constexpr (requires { config.at; }) note(join("/devices", device.name) + "/at", "the only root_complex");
        },
        device.config);
  for (std::size_t i = 0; i < out.scenario.traffic.size(); ++i) {
    note(join("/traffic", i) + "/name", "kind and place in the list");
    if (!out.scenario.traffic[i].headers_to.empty()) note(join("/traffic", i) + "/headers_to", "the only host_memory");
  }
}

// Sorts problems by line within a file, and files by the order in which they were read. A mistake in a preset is
// reported once, even if several devices extend the preset.
Problems sorted(Problems problems, const Sources& sources) {
  std::set<std::tuple<std::string, int, int, std::string>> said;
  std::erase_if(problems, [&](const Problem& p) {
    return p.line > 0 && !said.emplace(p.file, p.line, p.column, p.message).second;
  });
  std::ranges::stable_sort(problems, [&](const Problem& a, const Problem& b) {
    const auto key = [&](const Problem& p) {
      const auto file = std::ranges::find(sources.files, p.file) - sources.files.begin();
      return std::tuple{p.message.starts_with("more problems"), file, p.line, p.column};
    };
    return key(a) < key(b);
  });
  return problems;
}

}  // namespace

std::string to_string(const Origin& origin) {
  if (origin.file.empty()) return std::string{name_of(origin.kind)};
  return origin.file + ":" + std::to_string(origin.line) + ":" + std::to_string(origin.column);
}

tl::expected<Loaded, Problems> load_text(std::string_view text, const fs::path& file, const LoadOptions& options) {
  Sources sources;
  Report report{sources};
  Resolver resolver{options, sources, report};
  Node root;
  if (!resolver.resolve(text, file, root)) return tl::unexpected{sorted(report.problems(), sources)};
  const auto of_hosts = [](const std::string& text) { return text.starts_with("hosts."); };
  auto overrides = options.overrides;
  const auto rest = std::stable_partition(overrides.begin(), overrides.end(), of_hosts);
  apply_overrides({overrides.begin(), rest}, root, report);
  expand_hosts(root, report);
  apply_overrides({rest, overrides.end()}, root, report);
  Loaded out;
  out.file = file;
  Reader reader{sources, report, file};
  reader.read(root, out.scenario);
  out.origins = std::move(reader.origins());
  out.scenario.name = name_of_file(file, options);
  find_captures(root, resolver, options, out, report);
  refuse_keys_of_sender(root, out.scenario, report);
  complete(out.scenario);
  note_completed(out);
  // An unreadable device would be reported as missing by each link and traffic entry, which would hide the mistake.
  const Node* devices = root.find("devices");
  if (devices == nullptr || devices->members.size() == out.scenario.devices.size())
    for (const Problem& problem : check(out.scenario)) {
      const bool allowed = options.without_traffic && problem.key == "/traffic" && out.scenario.traffic.empty();
      if (!allowed && !report.has_given_up(problem.key))
        report.add(locate(root, problem.key), problem.key, problem.message);
    }
  if (!report.problems().empty()) return tl::unexpected{sorted(report.problems(), sources)};
  return out;
}

tl::expected<Loaded, Problems> load(const fs::path& name, const LoadOptions& options) {
  const fs::path file = Resolver::find(name, {}, options);
  if (file.empty()) {
    std::error_code error;
    const bool folder = fs::is_directory(name, error);
    return tl::unexpected{Problems{
        {name.generic_string(), 0, 0, "", folder ? "is a folder, not a file" : "there is no such file or scenario"}}};
  }
  const auto text = options.files.read(file);
  if (!text) return tl::unexpected{Problems{{file.generic_string(), 0, 0, "", text.error()}}};
  return load_text(*text, file, options);
}

}  // namespace peerpath::scenario
