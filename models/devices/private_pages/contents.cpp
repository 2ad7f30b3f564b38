#include "devices/private_pages/contents.hpp"

#include <algorithm>

namespace peerpath::private_pages {

void Contents::judge(Page page, Place place, const Content& open, Verdict& verdict) const {
  Content wanted = pages_[page].expected;
  wanted.add(open);
  const auto& there = read(page, place);
  verdict.lost += std::max(wanted.bytes - there.bytes, Bytes{0});
  verdict.repeated += std::max(there.bytes - wanted.bytes, Bytes{0});
  verdict.wrong_pages += there == wanted ? 0 : 1;
}

}  // namespace peerpath::private_pages
