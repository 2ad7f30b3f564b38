// A link trains to another generation or width.
#pragma once

#include "peerpath/base/units.hpp"
#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// The link above the device is in recovery for `outage` and then has the new shape.
struct Retrain {
  static constexpr std::string_view name = "retrain";
  int generation = 0;  ///< 0: as before
  int width = 0;       ///< lanes; 0: as before
  Duration outage{};

  static constexpr auto fields() {
    return std::tuple{
        field("generation", &Retrain::generation, "new PCIe generation, at most the link's own; 0: unchanged")
            .at_least(0)
            .at_most(6),
        field("width", &Retrain::width,
              "new number of lanes (1, 2, 4, 8, 12 or 16), at most the link's own; 0: unchanged")
            .at_least(0)
            .at_most(16),
        field("outage", &Retrain::outage, "time that the link spends in recovery")};
  }

  std::string text(const std::string& device) const;
  void check(const Event& event, EventCheck& check) const;
};

}  // namespace peerpath::scenario::event
