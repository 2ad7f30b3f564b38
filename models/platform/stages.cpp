#include "platform/stages.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::platform {

void record_packet(std::vector<observe::StageResult>& stages, std::span<const Instant> moments) {
  require(moments.size() == stages.size() + 1, "a stage needs a beginning and an end");
  const Instant last = moments.back();
  Instant from = moments.front();
  for (std::size_t n = 0; n < stages.size(); ++n) {
    const Instant until = n + 1 == stages.size() ? last : std::clamp(moments[n + 1], from, std::max(from, last));
    stages[n].time.record(until - from);
    from = until;
  }
}

}  // namespace peerpath::platform
