#include "validation/pcie_bench/preset.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

namespace peerpath::pcie_bench {

tl::expected<CardConstants, Problems> parse_card(const std::string& text, const std::string& file) {
  Problems problems;
  const auto problem = [&](const std::string& key, const std::string& what) {
    problems.push_back({file, 0, 0, "/constants/" + key, what});
  };
  const auto document = nlohmann::json::parse(text, nullptr, false, true);
  CardConstants card;
  if (!document.is_object() || !document.contains("constants") || !document["constants"].is_object()) {
    problems.push_back({file, 0, 0, "", "not a JSON object with \"constants\""});
    return tl::unexpected{problems};
  }
  const auto& constants = document["constants"];
  for (const auto& constant : card_constants) {
    const std::string name{constant.name};
    const auto at = constants.find(name);
    if (at == constants.end() || !at->is_object() || !at->contains("value") || !(*at)["value"].is_number()) {
      problem(name, "is missing, or has no number as \"value\"");
      continue;
    }
    const double value = (*at)["value"].get<double>();
    if (!(value >= constant.least && value <= constant.most))
      problem(name, "is outside " + std::to_string(constant.least) + " .. " + std::to_string(constant.most));
    card.*constant.member = value;
  }
  if (problems.empty() && constants.size() != card_constants.size()) problem("", "has a constant that is not known");
  if (!problems.empty()) return tl::unexpected{problems};
  return card;
}

tl::expected<CardConstants, Problems> load_card(const std::filesystem::path& file) {
  std::ifstream in{file};
  if (!in) return tl::unexpected{Problems{{file.string(), 0, 0, "", "the card's constants cannot be read"}}};
  return parse_card(std::string{std::istreambuf_iterator<char>{in}, {}}, file.string());
}

std::string card_to_json(const CardConstants& card, const std::string& provenance) {
  nlohmann::ordered_json document{{"provenance", provenance}, {"constants", nlohmann::ordered_json::object()}};
  for (const auto& constant : card_constants)
    document["constants"][std::string{constant.name}] = {{"value", std::round(card.*constant.member * 1000) / 1000},
                                                         {"unit", constant.unit},
                                                         {"meaning", constant.meaning}};
  return document.dump(2) + "\n";
}

}  // namespace peerpath::pcie_bench
