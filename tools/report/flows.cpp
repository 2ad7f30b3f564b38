#include "tools/report/flows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace peerpath::report {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t end = 0; (end = text.find(separator, from)) != std::string::npos; from = end + separator.size())
    parts.push_back(text.substr(from, end - from));
  parts.push_back(text.substr(from));
  return parts;
}

}  // namespace

bool Flow::goes(const std::string& from, const std::string& to) const {
  return std::ranges::find(hops, std::pair{from, to}) != hops.end();
}

std::vector<Flow> flows_of(const Json& results) {
  std::vector<Flow> flows;
  for (const auto& traffic : at(results, "traffic")) {
    Flow flow{text_at(traffic, "name"), static_cast<int>(flows.size()) % flow_colours, {}};
    for (const auto& way : split(text_at(traffic, "way"), ", then ")) {
      const auto devices = split(way, " -> ");
      for (std::size_t i = 1; i < devices.size(); ++i) flow.hops.emplace_back(devices[i - 1], devices[i]);
    }
    flows.push_back(std::move(flow));
  }
  return flows;
}

std::string legend(const std::vector<Flow>& flows) {
  constexpr std::array loads{"below 1 %", "below 40 %", "below 70 %", "below 90 %", "90 % and more"};
  std::string text = "<p class=\"legend\"><span>Busy:</span>";
  for (std::size_t n = 0; n < loads.size(); ++n)
    text += fmt::format(" <span><i class=\"load{}\"></i>{}</span>", n, loads[n]);
  text += "</p>\n";
  if (flows.empty()) return text;
  text += "<p class=\"legend\"><span>Payload of:</span>";
  for (const auto& flow : flows)
    text += fmt::format(" <span><i class=\"flow{}\"></i>{}</span>", flow.colour, escaped(flow.name));
  return text + "</p>\n";
}

}  // namespace peerpath::report
