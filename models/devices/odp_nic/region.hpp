// A registered buffer: what NIC, driver and copy engine all know of it.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/private_pages/contents.hpp"
#include "devices/private_pages/translations.hpp"
#include "peerpath/base/time.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::odp {

using private_pages::Page;
using private_pages::Place;

/// Where its pages are on the bus, and what is in them.
struct Region {
  Region(Bytes page_size, std::size_t pages) : page{page_size}, contents{pages}, valid(pages, Place::vram) {}

  fabric::NodeId gpu{}, host{};
  Bytes page;
  std::uint64_t window = 0;    ///< the slots of its aliases
  std::uint64_t frames = 0;    ///< its pages in host memory, each in a place of its own
  std::uint64_t commands = 0;  ///< registers of the copy engine
  std::uint64_t events = 0;    ///< where the driver hears of things
  std::uint64_t interrupts = 0;

  private_pages::Contents contents;
  std::vector<Place> valid;  ///< by page: which copy counts, from the end of each migration on

  fabric::NodeId node(Place place) const { return place == Place::vram ? gpu : host; }
  std::uint64_t frame(Page number) const { return frames + static_cast<std::uint64_t>(page.count()) * number; }
  std::uint64_t address(Page number, const private_pages::Translation& translation) const {
    if (translation.place == Place::host) return frame(number);
    return window + static_cast<std::uint64_t>(page.count()) * translation.slot;
  }
};

/// Sizes of what the parts tell each other: an entry of an event or completion queue, an interrupt, a command.
inline constexpr Bytes event_entry{64}, interrupt_write{4}, command_write{64};

}  // namespace peerpath::odp
