#include "validation/pcie_bench/host_cache.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

namespace peerpath::pcie_bench {
namespace {

Bytes size_of(const std::string& number, const std::string& unit) {
  const double factor = unit.starts_with('K') ? 1 << 10 : unit.starts_with('M') ? 1 << 20 : 1;
  return Bytes{static_cast<std::int64_t>(std::llround(std::stod(number) * factor))};
}

}  // namespace

std::optional<HostCache> read_cache(const std::string& text) {
  using std::regex, std::regex_constants::multiline;
  constexpr auto syntax = std::regex_constants::ECMAScript | multiline;
  static const regex table{R"(^L3\s+([\d.]+)([KM]?)\s+[\d.]+[KM]?\s+(\d+)\s+Unified)", syntax};
  static const regex several{R"(^\s*L3(?: cache)?:\s+([\d.]+)\s*([KM]?)i?B?\s*\((\d+) instances?\))", syntax};
  static const regex one{R"(^\s*L3 cache:\s+([\d.]+)\s*([KM]?))", syntax};
  static const regex cpuinfo{R"(^cache size\s*:\s+(\d+) (K)B)", syntax};
  std::smatch found;
  if (std::regex_search(text, found, table)) return HostCache{size_of(found[1], found[2]), std::stoi(found[3])};
  if (std::regex_search(text, found, several)) {
    const auto all = size_of(found[1], found[2]);
    return HostCache{Bytes{all.count() / std::max(1, std::stoi(found[3]))}, {}};
  }
  for (const auto& form : {one, cpuinfo})
    if (std::regex_search(text, found, form)) return HostCache{size_of(found[1], found[2]), {}};
  return {};
}

}  // namespace peerpath::pcie_bench
