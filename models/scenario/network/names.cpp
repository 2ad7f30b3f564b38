#include "scenario/network/names.hpp"

#include <map>
#include <optional>

namespace peerpath::network_scenario {
namespace {

/// "h0..h7" as the text before the number, and the two numbers.
struct NameRange {
  std::string stem;
  int first = 0, last = 0;
};

std::optional<NameRange> range_of(const std::string& name) {
  const auto dots = name.find("..");
  if (dots == name.npos) return std::nullopt;
  const auto number = [](const std::string& text) {
    const auto digit = text.find_last_not_of("0123456789") + 1;
    return std::pair{text.substr(0, digit), text.substr(digit)};
  };
  const auto [stem, first] = number(name.substr(0, dots));
  const auto [other, last] = number(name.substr(dots + 2));
  const bool whole = !first.empty() && !last.empty() && first.size() <= 6 && last.size() <= 6;
  if (!whole || (!other.empty() && other != stem) || std::stoi(last) < std::stoi(first)) return std::nullopt;
  return NameRange{stem, std::stoi(first), std::stoi(last)};
}

}  // namespace

std::vector<std::string> spelt_out(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const auto& name : names) {
    const auto range = range_of(name);
    if (!range) out.push_back(name);
    for (int i = range ? range->first : 0; range && i <= range->last; ++i) {
      if (out.size() > most_names) return out;
      out.push_back(range->stem + std::to_string(i));
    }
  }
  return out;
}

BitRate rate_of_host(const network::Graph& graph, network::HostIndex host) {
  const auto node = graph.hosts[host];
  for (const auto& cable : graph.cables)
    if (cable.a == node || cable.b == node) return cable.rate;
  return {};
}

std::vector<network::HostIndex> hosts_of(const network::Graph& graph, const std::vector<std::string>& names) {
  std::map<std::string, network::HostIndex> numbers;
  for (network::HostIndex h = 0; h < graph.hosts.size(); ++h) numbers[graph.nodes[graph.hosts[h]].name] = h;
  std::vector<network::HostIndex> out;
  for (const auto& name : spelt_out(names)) out.push_back(numbers.at(name));
  return out;
}

}  // namespace peerpath::network_scenario
