#include "peerpath/scenario/load.hpp"

#include <algorithm>

#include "peerpath/scenario/prepared.hpp"
#include "scenario/files.hpp"
#include "scenario/hosts.hpp"
#include "scenario/overrides.hpp"
#include "scenario/read.hpp"
#include "scenario/resolve.hpp"

namespace peerpath::scenario {
namespace fs = std::filesystem;
namespace {

void find_captures(const Node& root, const Resolver& resolver, const LoadOptions& options, Loaded& out,
                   Report& report) {
  for (std::size_t i = 0; i < out.scenario.traffic.size(); ++i) {
    out.captures.emplace_back();
    if (!out.scenario.traffic[i].replays()) continue;
    const std::string capture{out.scenario.traffic[i].capture()};
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
      if (scenario.traffic[i].is_of_sender(member.key))
        report.add(member.value.place, join(join("/traffic", i), member.key),
                   "is given by its sender, \"" + *scenario.traffic[i].sender() + "\"");
}

// Values that `complete` filled in have no place in a file.
void note_completed(Loaded& out) {
  const auto note = [&](const std::string& pointer, const std::string& why) {
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
    note(join("/traffic", i) + "/name", "kind and position in the list");
    const auto completed =
        out.scenario.traffic[i].with_kind([](auto kind, const auto& what) { return kind.completed(what); });
    for (const auto& [key, source] : completed) note(join("/traffic", i) + "/" + key, source);
  }
}

}  // namespace

std::string to_string(const Origin& origin) {
  if (origin.file.empty()) return std::string{name_of(origin.kind)};
  return origin.file + ":" + std::to_string(origin.line) + ":" + std::to_string(origin.column);
}

struct Prepared::Parts {
  Parts(LoadOptions with, fs::path from) : options{std::move(with)}, file{std::move(from)} {}
  Parts(const Parts&) = delete;  // its parts refer to each other
  Parts& operator=(const Parts&) = delete;

  LoadOptions options;
  fs::path file;
  Sources sources{};
  Report report{sources};
  Resolver resolver{options, sources, report};
  Node root{};

  tl::expected<Loaded, Problems> load(const std::vector<std::string>& more, Report& said) const;
};

tl::expected<Loaded, Problems> Prepared::Parts::load(const std::vector<std::string>& more, Report& said) const {
  Node tree = root;
  const auto of_hosts = [](const std::string& text) { return text.starts_with("hosts."); };
  auto overrides = options.overrides;
  overrides.insert(overrides.end(), more.begin(), more.end());
  const auto rest = std::stable_partition(overrides.begin(), overrides.end(), of_hosts);
  apply_overrides({overrides.begin(), rest}, tree, said);
  expand_hosts(tree, said);
  apply_overrides({rest, overrides.end()}, tree, said);
  Loaded out;
  out.file = file;
  Reader reader{sources, said, file};
  reader.read(tree, out.scenario);
  out.origins = std::move(reader.origins());
  out.scenario.name = name_of_file(file, options);
  find_captures(tree, resolver, options, out, said);
  refuse_keys_of_sender(tree, out.scenario, said);
  complete(out.scenario);
  note_completed(out);
  // An unreadable device would be reported as missing by each link and traffic entry, which would hide the mistake.
  const Node* devices = tree.find("devices");
  if (devices == nullptr || devices->members.size() == out.scenario.devices.size())
    for (const Problem& problem : check(out.scenario)) {
      const bool allowed = options.without_traffic && problem.key == "/traffic" && out.scenario.traffic.empty();
      if (!allowed && !said.has_given_up(problem.key))
        said.add(locate(tree, problem.key), problem.key, problem.message);
    }
  if (!said.problems().empty()) return tl::unexpected{sorted(said.problems(), sources)};
  return out;
}

tl::expected<Prepared, Problems> Prepared::read(const fs::path& name, const LoadOptions& options) {
  const auto text = text_of(name, options);
  if (!text) return tl::unexpected{text.error()};
  auto parts = std::make_shared<Parts>(options, text->file);
  const bool read = parts->resolver.resolve(text->text, text->file, parts->root);
  if (!read || !parts->report.problems().empty())
    return tl::unexpected{sorted(parts->report.problems(), parts->sources)};
  Prepared prepared;
  prepared.parts_ = std::move(parts);
  return prepared;
}

tl::expected<Loaded, Problems> Prepared::with(const std::vector<std::string>& overrides) const {
  Report said{parts_->sources};
  return parts_->load(overrides, said);
}

tl::expected<std::vector<std::string>, std::string> Prepared::keys(const std::string& pattern) const {
  return matching_keys(pattern, parts_->root);
}

tl::expected<Loaded, Problems> load_text(std::string_view text, const fs::path& file, const LoadOptions& options) {
  Prepared::Parts parts{options, file};
  if (!parts.resolver.resolve(text, file, parts.root))
    return tl::unexpected{sorted(parts.report.problems(), parts.sources)};
  return parts.load({}, parts.report);
}

tl::expected<Loaded, Problems> load(const fs::path& name, const LoadOptions& options) {
  const auto text = text_of(name, options);
  if (!text) return tl::unexpected{text.error()};
  return load_text(text->text, text->file, options);
}

}  // namespace peerpath::scenario
