#include "validation/evidence/evidence.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace peerpath::evidence {
namespace {

using nlohmann::json;

constexpr int schema = 1;

class Reader {
 public:
  explicit Reader(const std::string& file) : file_{file} {}

  tl::expected<Evidence, Problems> read(const std::string& text) {
    const auto document = json::parse(text, nullptr, false);
    if (!document.is_object() || document.value("peerpath_evidence", 0) != schema)
      return tl::unexpected{
          Problems{{file_, 0, 0, "/peerpath_evidence", "not schema version " + std::to_string(schema)}}};
    Evidence evidence;
    const auto held_to = document.value("held_to", json::object());
    for (const auto& [name, bounds] : held_to.items())
      if (const auto kind = kind_of(name, "/held_to/" + name))
        for (const auto& [row, bound] : bounds.items()) evidence.held_to[*kind][row] = bound.get<double>();
    const auto sets = document.value("sets", json::array());
    for (const auto& item : sets) evidence.sets.push_back(read_set(item, evidence));
    if (!problems_.empty()) return tl::unexpected{problems_};
    return evidence;
  }

 private:
  void problem(const std::string& key, const std::string& message) { problems_.push_back({file_, 0, 0, key, message}); }

  std::optional<Kind> kind_of(const std::string& name, const std::string& key) {
    const auto found = std::ranges::find(kinds, name, &std::pair<std::string_view, Kind>::first);
    if (found != kinds.end()) return found->second;
    problem(key, "\"" + name + "\" is no kind of set");
    return std::nullopt;
  }

  std::string needed(const json& item, const std::string& name, const char* key) {
    const auto text = item.value(key, "");
    if (text.empty()) problem(name + "/" + key, "is missing");
    return text;
  }

  Set read_set(const json& item, const Evidence& before) {
    Set set;
    set.name = item.value("name", "");
    if (set.name.empty() || before.find(set.name))
      problem(set.name, "a set without a name, or one that is there twice");
    set.kind = kind_of(item.value("kind", ""), set.name + "/kind").value_or(Kind::gpu);
    set.file = needed(item, set.name, "file");
    set.machine = needed(item, set.name, "machine");
    set.split = needed(item, set.name, "split");
    set.protocol = item.value("protocol", 0);
    set.calibration = item.value("calibration", "");
    set.played = item.value("played", false);
    set.of = item.value("of", "");
    if (set.kind == Kind::gpu && set.calibration.empty()) problem(set.name + "/calibration", "is missing");
    if (set.kind == Kind::repeat && !before.find(set.of)) problem(set.name + "/of", "is no set above this one");
    const auto deviations = item.value("known", json::object());
    for (const auto& [row, known] : deviations.items()) {
      set.known.push_back({row, known.value("size", 0.0), known.value("reason", "")});
      if (set.known.back().size <= 0 || set.known.back().reason.empty())
        problem(set.name + "/known/" + row, "requires a size above 0 and a reason");
    }
    return set;
  }

  std::string file_;
  Problems problems_;
};

}  // namespace

const Deviation* Set::find(std::string_view row) const {
  const auto found = std::ranges::find(known, row, &Deviation::row);
  return found == known.end() ? nullptr : &*found;
}

const Set* Evidence::find(std::string_view name) const {
  const auto found = std::ranges::find(sets, name, &Set::name);
  return found == sets.end() ? nullptr : &*found;
}

std::optional<double> Evidence::bound(Kind kind, std::string_view row) const {
  const auto bounds = held_to.find(kind);
  if (bounds == held_to.end()) return std::nullopt;
  const auto found = bounds->second.find(row);
  return found == bounds->second.end() ? std::nullopt : std::optional{found->second};
}

tl::expected<Evidence, Problems> read_evidence(const std::string& text, const std::string& file) {
  return Reader{file}.read(text);
}

}  // namespace peerpath::evidence
