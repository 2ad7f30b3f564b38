#include "devices/gpu/bar1.hpp"

#include <algorithm>

#include "peerpath/base/fail.hpp"

namespace peerpath::gpu {
namespace {

std::int64_t pages_of(Bytes memory, Bytes page) { return (memory.count() + page.count() - 1) / page.count(); }

}  // namespace

Bar1::Bar1(const device::GpuConfig& config)
    : config_{config.bar1}, size_{config.bar_size}, used_{config.bar1.reserved} {
  require(config_.page > Bytes{0} && used_ <= size_, "the driver's part of the window fits into it");
}

Bytes Bar1::room_for(Bytes memory) const { return config_.page * pages_of(memory, config_.page); }

std::optional<Bytes> Bar1::map(Bytes memory) {
  const Bytes room = room_for(memory);
  if (room > left()) return std::nullopt;
  const Bytes at = next_;
  next_ += room;
  used_ += room;
  return at;
}

Instant Bar1::remap(Bytes piece, Instant now) {
  const auto cost = config_.unmap_call + config_.map_call + config_.map_page * pages_of(piece, config_.page);
  free_ = std::max(free_, now) + cost;
  driver_.book(free_ - cost, free_);
  counters_.waiting += free_ - now;
  counters_.busy += cost;
  ++counters_.remaps;
  return free_;
}

Bar1Pieces::Bar1Pieces(Bar1& window, Bytes piece, Bytes buffer, Bytes offset, Bytes share)
    : window_{window}, piece_{piece}, offset_{offset} {
  require(piece > Bytes{0} && share >= piece && buffer > share, "a buffer has too little of the window");
  const auto pieces = pages_of(buffer, piece);
  slots_.resize(static_cast<std::size_t>(share / piece));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].piece = pieces - static_cast<std::int64_t>(slots_.size() - i);
    slot_of_[slots_[i].piece] = i;
    slots_[i].last_use = ++uses_;
  }
}

std::optional<std::size_t> Bar1Pieces::victim() const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].transfers == 0 && (!found || slots_[i].last_use < slots_[*found].last_use)) found = i;
  return found;
}

bool Bar1Pieces::available(Bytes at) const { return slot_of_.contains(at / piece_) || victim().has_value(); }

Bar1Pieces::Mapped Bar1Pieces::take(Bytes at, Instant now) {
  const auto piece = at / piece_;
  auto found = slot_of_.find(piece);
  if (found == slot_of_.end()) {
    const auto free = victim();
    require(free.has_value(), "every piece has transfers in flight");
    auto& slot = slots_[*free];
    slot_of_.erase(slot.piece);
    slot.piece = piece;
    slot.ready = window_.remap(piece_, now);
    found = slot_of_.emplace(piece, *free).first;
  }
  auto& slot = slots_[found->second];
  ++slot.transfers;
  slot.last_use = ++uses_;
  return {offset_ + piece_ * static_cast<std::int64_t>(found->second) + at % piece_, std::max(now, slot.ready)};
}

void Bar1Pieces::release(Bytes at) {
  const auto found = slot_of_.find(at / piece_);
  require(found != slot_of_.end() && slots_[found->second].transfers > 0,
          "a transfer's piece is mapped until it is done");
  --slots_[found->second].transfers;
}

}  // namespace peerpath::gpu
