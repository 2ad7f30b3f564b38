// Options that traffic of a NIC's queues has.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::scenario::traffic {

/// What traffic of a NIC's queues has.
struct Network {
  std::string headers_to;
  std::optional<Bytes> registered{};

  static constexpr auto fields() {
    return std::tuple{field("headers_to", &Network::headers_to, "host memory that holds headers and rings"),
                      field("registered", &Network::registered,
                            "GPU memory registered for this entry, its buffers included; occupies BAR1. Absent: the "
                            "buffers of its queues")};
  }
};

}  // namespace peerpath::scenario::traffic
