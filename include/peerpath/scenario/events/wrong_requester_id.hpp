// A device sends under a requester ID that nobody has.
#pragma once

#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// Transfers of payload by the device carry a requester ID that nobody has.
struct WrongRequesterId {
  static constexpr std::string_view name = "wrong_requester_id";
  int transfers = 0;  ///< 0: all from then on

  static constexpr auto fields() {
    return std::tuple{field("transfers", &WrongRequesterId::transfers,
                            "number of payload transfers affected; 0: all from this time on")
                          .at_least(0)};
  }

  std::string text(const std::string& device) const;
  void check(const Event& event, EventCheck& check) const;
};

}  // namespace peerpath::scenario::event
