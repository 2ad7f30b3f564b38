// A link loses flow control credits.
#pragma once

#include "peerpath/pcie/tlp.hpp"
#include "peerpath/scenario/events/kind.hpp"
#include "peerpath/scenario/events/link_way.hpp"

namespace peerpath::scenario::event {

/// Credits of the link above the device are lost for good.
struct CreditLeak {
  static constexpr std::string_view name = "credit_leak";
  LinkWay way = LinkWay::up;
  pcie::TlpClass tlp_class = pcie::TlpClass::posted;
  int headers = 0;
  int data = 0;  ///< units of 16 B

  static constexpr auto fields() {
    return std::tuple{field("way", &CreditLeak::way, "direction of the link; up is towards the root complex"),
                      field("tlp_class", &CreditLeak::tlp_class, "TLP class that loses credits"),
                      field("headers", &CreditLeak::headers, "number of header credits lost").at_least(0),
                      field("data", &CreditLeak::data, "number of data credits lost, 16 B each").at_least(0)};
  }

  std::string text(const std::string& device) const;
  void check(const Event& event, EventCheck& check) const;
};

}  // namespace peerpath::scenario::event
