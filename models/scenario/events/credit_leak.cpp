#include "peerpath/scenario/events/credit_leak.hpp"

#include <array>
#include <utility>

#include "scenario/check/event_check.hpp"

namespace peerpath::scenario::event {

std::string CreditLeak::text(const std::string& device) const {
  std::string lost = headers > 0 ? std::to_string(headers) + " header" : "";
  if (data > 0) lost += (lost.empty() ? "" : " and ") + std::to_string(data) + " data";
  return "the link above " + device + ", way " + std::string{name_of(way)} + ", loses " + lost + " credits, " +
         std::string{name_of(tlp_class)};
}

// Credits that are infinite cannot run out.
void CreditLeak::check(const Event&, EventCheck& check) const {
  if (headers == 0 && data == 0) check.add("headers", "loses no credits; add \"headers\" or \"data\"");
  check.needs_link();
  const Link* link = check.link_above();
  if (link == nullptr) return;
  const auto& credits = link->credits;
  const std::array<std::pair<int, int>, pcie::tlp_classes> advertised{
      {{credits.posted_header, credits.posted_data},
       {credits.non_posted_header, credits.non_posted_data},
       {credits.completion_header, credits.completion_data}}};
  const auto [of_headers, of_data] = advertised[static_cast<std::size_t>(tlp_class)];
  const auto infinite = [&](std::string_view key) {
    check.add(key, std::string{name_of(tlp_class)} +
                       " credits of the link are infinite (links.credits), so none can be lost");
  };
  if (headers > 0 && of_headers == 0) infinite("headers");
  if (data > 0 && of_data == 0) infinite("data");
}

}  // namespace peerpath::scenario::event
