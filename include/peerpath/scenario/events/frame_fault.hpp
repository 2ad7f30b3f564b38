// The wire loses, damages or reorders a frame.
#pragma once

#include <concepts>

#include "peerpath/scenario/events/kind.hpp"

namespace peerpath::scenario::event {

/// What frames that the wire harms have in common. The time of the event does not matter.
struct FrameFault {
  int frame = 0;  ///< of those with payload that come to the NIC, from 1

  static constexpr auto fields() {
    return std::tuple{field("frame", &FrameFault::frame,
                            "number of the affected frame, counted from 1 over frames with payload that arrive at this "
                            "NIC; `at` is ignored")
                          .at_least(0)};
  }

  void check(const Event& event, EventCheck& check) const;
};

template <class What>
concept HappensToFrame = std::derived_from<What, FrameFault>;

/// The frame never comes to the NIC.
struct DropFrame : FrameFault {
  static constexpr std::string_view name = "drop_frame";
  static constexpr std::string_view fate = "drop";  ///< as the emulator's NIC calls it

  std::string text(const std::string& device) const;
};

/// A byte of the frame's payload is wrong, and its FCS right.
struct CorruptFrame : FrameFault {
  static constexpr std::string_view name = "corrupt_frame";
  static constexpr std::string_view fate = "corrupt";  ///< as the emulator's NIC calls it

  std::string text(const std::string& device) const;
};

/// The frame comes behind the one after it.
struct ReorderFrame : FrameFault {
  static constexpr std::string_view name = "reorder_frame";
  static constexpr std::string_view fate = "reorder";  ///< as the emulator's NIC calls it

  std::string text(const std::string& device) const;
};

}  // namespace peerpath::scenario::event
