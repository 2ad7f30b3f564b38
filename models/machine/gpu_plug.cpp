#include "machine/gpu_plug.hpp"

#include <algorithm>

#include "peerpath/base/byte_order.hpp"

namespace peerpath::machine {

bool GpuPlug::load(int bar, std::uint64_t offset, std::span<std::uint8_t> into) {
  if (bar == options_.vram_bar) {
    if (!in_vram(offset, into.size())) return false;
    std::ranges::copy(options_.vram.subspan(offset, into.size()), into.begin());
    return true;
  }
  std::ranges::fill(into, std::uint8_t{0});
  if (bar == options_.registers_bar && into.size() <= 8)
    store_le(into, 0, into.size(), gpu_.read(offset, static_cast<unsigned>(into.size())));
  return true;
}

bool GpuPlug::store(int bar, std::uint64_t offset, std::span<const std::uint8_t> from) {
  if (bar == options_.vram_bar) {
    if (!in_vram(offset, from.size())) return false;
    std::ranges::copy(from, options_.vram.begin() + static_cast<std::ptrdiff_t>(offset));
    return true;
  }
  while (bar == options_.registers_bar && !from.empty()) {  // registers are 64 bits wide
    const auto size = std::min<std::size_t>(from.size(), 8 - offset % 8);
    gpu_.write(offset, static_cast<unsigned>(size), load_le(from, 0, size));
    offset += size;
    from = from.subspan(size);
  }
  return true;
}

void GpuPlug::reset(Instant now) {
  set_time(now);
  gpu_.reset();
}

void GpuPlug::submit(fabric::ChannelIndex channel, const fabric::Transaction& t, const device::Content& content) {
  submit_to(fabric::ChannelIndex{static_cast<std::uint16_t>(1 + (channel.value() - 1) % channels_)}, t, content);
}

}  // namespace peerpath::machine
