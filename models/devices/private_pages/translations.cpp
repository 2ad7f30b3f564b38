#include "devices/private_pages/translations.hpp"

#include <utility>

#include "peerpath/base/fail.hpp"

namespace peerpath::private_pages {

void Translations::begin(Page page) {
  require(entries_[page].translation.has_value(), "DMA accesses a page without a translation");
  ++entries_[page].in_flight;
}

bool Translations::end(Page page) {
  auto& entry = entries_[page];
  require(entry.in_flight > 0, "DMA ended without having begun");
  return --entry.in_flight == 0 && std::exchange(entry.draining, false);
}

bool Translations::invalidate(Page page) {
  auto& entry = entries_[page];
  entry.translation.reset();
  entry.draining = entry.in_flight > 0;
  return !entry.draining;
}

}  // namespace peerpath::private_pages
