#include "transport/host/rated_memory.hpp"

namespace peerpath::transport {

/// What bytes take of the limit that both ways share: of all of it, or of one way's part while the other is busy.
Duration RatedMemory::shared_time(Bytes bytes, BitRate own, bool both) const {
  if (rates_.together == BitRate{}) return {};
  if (!both) return bytes / rates_.together;
  const auto part =
      static_cast<WideInt>(rates_.together.bps()) * own.bps() / (rates_.drain_beside.bps() + rates_.fetch_beside.bps());
  return bytes / BitRate{static_cast<std::int64_t>(part)};
}

Instant RatedMemory::drain(Bytes bytes, Instant now) {
  if (rates_.drain == BitRate{}) return std::max(now, drained_);
  const auto rate = sends_much(now) ? rates_.drain_beside : rates_.drain;
  shared_drained_ = std::max(shared_drained_, now) + shared_time(bytes, rates_.drain_beside, shared_fetched_ > now);
  drained_ = std::max(std::max(drained_, now) + bytes / rate, shared_drained_);
  return drained_;
}

/// A burst beside a backlog of what arrives: it has a rate of its own, and puts memory's taking in off.
void RatedMemory::fetch_burst(Bytes bytes, Instant now) {
  fetched_ = std::max(fetched_, now) + bytes / rates_.fetch_burst;
  if (rates_.burst_toll != BitRate{}) drained_ = std::max(drained_, now) + bytes / rates_.burst_toll;
}

Instant RatedMemory::fetch(Bytes bytes, std::int64_t held, Instant now) {
  const bool receives_much = held >= backlog;
  const auto latency = receives_much ? rates_.send_latency_beside : rates_.send_latency;
  if (rates_.fetch == BitRate{}) return now + latency;
  if (fetched_ < now) fetching_ = 0;
  fetching_ += bytes.count();
  if (receives_much && rates_.fetch_burst != BitRate{} && fetching_ <= longest_burst) {
    fetch_burst(bytes, now);
    return fetched_ + latency;
  }
  const auto rate = receives_much ? rates_.fetch_beside : rates_.fetch;
  shared_fetched_ = std::max(shared_fetched_, now) + shared_time(bytes, rates_.fetch_beside, shared_drained_ > now);
  fetched_ = std::max(std::max(fetched_, now) + bytes / rate, shared_fetched_);
  return fetched_ + latency;
}

}  // namespace peerpath::transport
