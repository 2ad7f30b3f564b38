// An entry of `events`. A new kind is a file in events/ here, what it checks and says in models/scenario/events, and
// its place in `Event::what`; the model does not compile before it says what the kind does to the hardware.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "peerpath/scenario/events/acs.hpp"
#include "peerpath/scenario/events/answer.hpp"
#include "peerpath/scenario/events/bit_error.hpp"
#include "peerpath/scenario/events/credit_leak.hpp"
#include "peerpath/scenario/events/frame_fault.hpp"
#include "peerpath/scenario/events/iommu_fault.hpp"
#include "peerpath/scenario/events/link_state.hpp"
#include "peerpath/scenario/events/poison.hpp"
#include "peerpath/scenario/events/port_reset.hpp"
#include "peerpath/scenario/events/port_state.hpp"
#include "peerpath/scenario/events/retrain.hpp"
#include "peerpath/scenario/events/surprise_down.hpp"
#include "peerpath/scenario/events/wrong_requester_id.hpp"

namespace peerpath::scenario {

/// Something that happens to the hardware at a time. `device` names a link by its farther end, and an ACS port by what
/// is linked to it; a switch or root complex stands for all its ports. Each alternative of `what` has
/// `name`: the text of `kind`; `fields()`: its own keys;
/// `text(device)`: what happens to the device, without the time;
/// `check(event, check)`: what is wrong with it beyond the range of each key.
struct Event {
  /// How a sentence calls an entry.
  static constexpr std::string_view called = "an event";

  Duration at{};
  std::variant<event::Acs, event::Retrain, event::LinkDown, event::LinkUp, event::BitError, event::CreditLeak,
               event::Answer, event::PortDown, event::PortUp, event::DropFrame, event::CorruptFrame,
               event::ReorderFrame, event::Poison, event::SurpriseDown, event::PortReset, event::IommuFault,
               event::WrongRequesterId>
      what{};
  std::string device;

  /// What happens if it is of this kind, else nullptr.
  template <class What>
  const What* as() const {
    return std::get_if<What>(&what);
  }
  template <class What>
  bool is() const {
    return std::holds_alternative<What>(what);
  }

  static constexpr auto fields() {
    return std::tuple{field("at", &Event::at, "Time of the event since the start of the simulation, warm-up included"),
                      field("kind", &Event::what, "Kind of event"),
                      field("device", &Event::device,
                            "acs: the switch or root complex, or the device below one of its ports; answer: the device "
                            "that answers; poison, iommu_fault, wrong_requester_id: the requester; port_*, *_frame: "
                            "the NIC; all others: the downstream end of the link")};
  }
};

/// How long the hardware is away or in recovery from the event on; 0 for kinds that are over at once.
inline Duration outage_of(const Event& event) {
  return std::visit(
      [](const auto& what) {
        if constexpr (requires { what.outage; })
          return what.outage;
        else
          return Duration{};
      },
      event.what);
}

}  // namespace peerpath::scenario
