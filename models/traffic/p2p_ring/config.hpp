// Options of writes around a ring of GPUs.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "peerpath/base/field.hpp"
#include "traffic/dma/config.hpp"

namespace peerpath::scenario::traffic {

/// Each GPU of a ring writes to the next one: `from` to `to`, that to the first of `onwards`, and the last one to
/// `from`.
struct P2pRing : Dma {
  static constexpr std::string_view name = "p2p_ring";
  std::vector<std::string> onwards{};

  static constexpr auto fields() {
    return std::tuple_cat(
        Dma::fields(), std::tuple{field("onwards", &P2pRing::onwards,
                                        "GPUs of the ring behind `from` and `to`; each writes to the next one and the "
                                        "last one to `from`, and all share `rate` evenly. Absent: `from` and `to` "
                                        "write to each other")});
  }
};

}  // namespace peerpath::scenario::traffic
