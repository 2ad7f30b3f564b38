// A device answers requests in another way.
#pragma once

#include "peerpath/pcie/tlp.hpp"
#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// From then on the device answers all requests for its memory with this status.
struct Answer {
  static constexpr std::string_view name = "answer";
  pcie::Status status = pcie::Status::success;

  static constexpr auto fields() {
    return std::tuple{
        field("status", &Answer::status,
              "completion status of all later requests: unsupported_request (a BAR that was moved, resized or "
              "revoked), completer_abort, no_answer (a device that hangs or is in reset), or success")};
  }

  std::string text(const std::string& device) const;
  void check(const Event& event, EventCheck& check) const;
};

}  // namespace peerpath::scenario::event
