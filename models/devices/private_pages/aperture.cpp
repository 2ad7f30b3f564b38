#include "devices/private_pages/aperture.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::private_pages {

Aperture::Aperture(std::size_t slots) : slots_{slots} {
  for (auto slot = static_cast<std::uint32_t>(slots); slot-- > 0;) free_.push_back(slot);
}

std::uint32_t Aperture::map(Page page) {
  require(!full(), "an alias was mapped into a full aperture");
  const auto slot = free_.back();
  free_.pop_back();
  order_.push_back({page, slot});
  return slot;
}

void Aperture::unmap(Page page) {
  const auto found = std::ranges::find(order_, page, &Mapping::page);
  require(found != order_.end(), "an unmapped page was not mapped");
  free_.push_back(found->slot);
  order_.erase(found);
}

std::uint32_t Aperture::slot_of(Page page) const {
  const auto found = std::ranges::find(order_, page, &Mapping::page);
  require(found != order_.end(), "an aliased page has a slot");
  return found->slot;
}

std::optional<Page> Aperture::oldest() const {
  return order_.empty() ? std::nullopt : std::optional{order_.front().page};
}

}  // namespace peerpath::private_pages
