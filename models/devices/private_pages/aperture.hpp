// The part of a GPU's window (BAR1) that its driver gives to aliases of device-private pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "devices/private_pages/contents.hpp"

namespace peerpath::private_pages {

/// Slots of one page each. The driver sees no access of a peer, so the page to give way is the one mapped longest ago.
class Aperture {
 public:
  explicit Aperture(std::size_t slots);

  std::size_t slots() const { return slots_; }
  std::size_t used() const { return order_.size(); }
  bool full() const { return free_.empty(); }
  /// There has to be room.
  std::uint32_t map(Page page);
  void unmap(Page page);
  std::uint32_t slot_of(Page page) const;
  /// The page mapped longest ago; nothing is mapped without slots.
  std::optional<Page> oldest() const;

 private:
  struct Mapping {
    Page page = 0;
    std::uint32_t slot = 0;
  };
  std::size_t slots_;
  std::vector<std::uint32_t> free_;
  std::deque<Mapping> order_;  ///< by time of mapping
};

}  // namespace peerpath::private_pages
