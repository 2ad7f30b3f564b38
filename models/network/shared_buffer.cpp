#include "network/shared_buffer.hpp"

#include <algorithm>

#include "peerpath/net/ethernet.hpp"

namespace peerpath::network {
namespace {

constexpr Bytes largest_frame{9216};

}  // namespace

std::int64_t headroom_of(const SwitchConfig& config, BitRate rate, Duration delay) {
  if (config.headroom) return config.headroom->count();
  const auto waiting = delay + delay + config.pfc_reaction;
  const auto bytes = static_cast<WideInt>(waiting.count()) * rate.bps() / 8 / 1'000'000'000'000'000;
  return static_cast<std::int64_t>(bytes) + 3 * net::wire_size(largest_frame).count() +
         2 * net::wire_size(pause_frame_size).count();
}

std::int64_t set_aside(const SwitchConfig& config, const std::vector<std::int64_t>& headroom) {
  auto kept = static_cast<std::int64_t>(headroom.size()) * priorities * config.reserve.count();
  for (const auto each : headroom) kept += each * static_cast<std::int64_t>(config.lossless.size());
  return kept;
}

SharedBuffer::SharedBuffer(const SwitchConfig& config, const std::vector<std::int64_t>& headroom)
    : accounts_(headroom.size() * priorities),
      headroom_{headroom},
      reserve_{config.reserve.count()},
      resume_offset_{config.resume_offset.count()},
      alpha_log2_{config.alpha_log2},
      lossy_alpha_log2_{config.lossy_alpha_log2} {
  for (const int priority : config.lossless) lossless_ |= static_cast<std::uint8_t>(1 << priority);
  shared_size_ = std::max<std::int64_t>(0, config.buffer.count() - set_aside(config, headroom));
}

SharedBuffer::Admission SharedBuffer::admit(std::uint32_t ingress, int priority, std::int64_t bytes,
                                            std::int64_t queued) {
  auto& mine = account(ingress, priority);
  const bool lossless = lossless_ >> priority & 1;
  const auto before = beyond_reserve(mine);
  const auto after = std::max<std::int64_t>(0, mine.stored + bytes - reserve_);
  if (!lossless && after > 0) {
    if (queued + bytes > scaled(shared_size_ - shared_used_, lossy_alpha_log2_)) return Admission::over_threshold;
    if (shared_used_ + after - before > shared_size_) return Admission::full;
  }
  if (lossless && (after > threshold() || mine.headroom > 0)) {
    if (mine.headroom + bytes > headroom_[ingress]) return Admission::no_headroom;
    mine.headroom += bytes;
  } else {
    mine.stored += bytes;
    shared_used_ += after - before;
  }
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return Admission::taken;
}

void SharedBuffer::release(std::uint32_t ingress, int priority, std::int64_t bytes) {
  auto& mine = account(ingress, priority);
  used_ -= bytes;
  const auto of_headroom = std::min(mine.headroom, bytes);
  mine.headroom -= of_headroom;
  const auto before = beyond_reserve(mine);
  mine.stored -= bytes - of_headroom;
  shared_used_ -= before - beyond_reserve(mine);
}

bool SharedBuffer::should_pause(std::uint32_t ingress, int priority) const {
  if (!(lossless_ >> priority & 1)) return false;
  const auto& mine = account(ingress, priority);
  return mine.headroom > 0 || beyond_reserve(mine) > threshold();
}

bool SharedBuffer::should_resume(std::uint32_t ingress, int priority) const {
  const auto& mine = account(ingress, priority);
  const auto shared = beyond_reserve(mine);
  return mine.headroom == 0 && (shared == 0 || shared + resume_offset_ <= threshold());
}

}  // namespace peerpath::network
