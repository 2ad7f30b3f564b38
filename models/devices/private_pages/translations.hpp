// The NIC's translations of the pages of a registered buffer (its MTT), and the DMA that uses each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "devices/private_pages/contents.hpp"

namespace peerpath::private_pages {

/// Where a page is for the NIC: in host memory, or behind a slot of the GPU's window.
struct Translation {
  Place place = Place::host;
  std::uint32_t slot = 0;  ///< of an alias
  bool operator==(const Translation&) const = default;
};

/// A page is absent at first: an access to it faults. An invalidation takes the translation away at once, and is over
/// when no DMA that used it is in flight any more.
class Translations {
 public:
  explicit Translations(std::size_t pages) : entries_(pages) {}

  const std::optional<Translation>& find(Page page) const { return entries_[page].translation; }
  void fill(Page page, const Translation& translation) { entries_[page].translation = translation; }

  /// DMA begins by the translation that the page has.
  void begin(Page page);
  /// DMA is over. Returns whether an invalidation waited for that, and is over too.
  bool end(Page page);
  /// Returns whether it is over at once: nothing is in flight.
  bool invalidate(Page page);
  int in_flight(Page page) const { return entries_[page].in_flight; }

 private:
  struct Entry {
    std::optional<Translation> translation{};
    int in_flight = 0;
    bool draining = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace peerpath::private_pages
