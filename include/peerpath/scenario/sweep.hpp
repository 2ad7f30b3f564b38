// The `sweep` section: what `peerpath sweep` varies if the command line says nothing.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "peerpath/base/field.hpp"

namespace peerpath::scenario {

struct Sweep {
  std::vector<std::string> vary{};
  std::vector<std::string> variants{};

  static constexpr auto fields() {
    return std::tuple{
        field("vary", &Sweep::vary,
              "Swept values, as in `peerpath sweep --vary`: links.*.generation=4,5 or traffic.rx.flows=1..64*2"),
        field("variants", &Sweep::variants,
              "Alternative settings, as in `peerpath sweep --variant`: name:key=value,key=value")};
  }
};

}  // namespace peerpath::scenario
