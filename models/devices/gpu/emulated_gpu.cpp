#include "devices/gpu/emulated_gpu.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "peerpath/base/byte_order.hpp"

namespace peerpath::gpu {
namespace {

using pcie::Purpose;

CopyDescriptor decode(std::span<const std::uint8_t> raw) {
  return {load_le(raw, 0, 8), load_le(raw, 8, 8), static_cast<std::uint32_t>(load_le(raw, 16, 4)),
          static_cast<std::uint32_t>(load_le(raw, 20, 4)), load_le(raw, 24, 8)};
}

/// The 32-bit half at `offset` of a 64-bit register at `at`, or all of it.
std::optional<std::uint64_t> part(std::uint64_t offset, unsigned width, std::uint64_t at, std::uint64_t value) {
  if (offset == at) return width == 8 ? value : value & 0xffff'ffff;
  if (offset == at + 4 && width == 4) return value >> 32;
  return std::nullopt;
}

void set_part(std::uint64_t& target, bool high, unsigned width, std::uint64_t value) {
  constexpr std::uint64_t low = 0xffff'ffff;
  if (width == 8)
    target = value;
  else
    target = high ? (target & low) | value << 32 : (target & ~low) | (value & low);
}

}  // namespace

EmulatedGpu::EmulatedGpu(std::span<std::uint8_t> vram, std::uint32_t vram_bar, Host& host)
    : vram_{vram}, vram_bar_{vram_bar}, host_{host}, blobs_{vram.size()} {}

std::uint64_t EmulatedGpu::read(std::uint64_t offset, unsigned width) const {
  if (width != 4 && width != 8) return 0;
  const auto count = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  const std::array<std::array<std::uint64_t, 2>, 5> registers{{
      {page::magic, page::magic_value | std::uint64_t{page::version_value} << 32},
      {page::vram_bar, vram_bar_ | std::uint64_t{engines} << 32},
      {page::vram_size, vram_.size()},
      {page::done, count(copies_)},
      {page::failed, count(failed_)},
  }};
  for (const auto& [at, value] : registers)
    if (const auto found = part(offset, width, at, value)) return *found;
  for (std::size_t e = 0; e < engines; ++e) {
    const std::uint64_t at = page::engine + e * page::engine_stride;
    if (const auto found = part(offset, width, at, engines_[e].ring)) return *found;
    const std::uint64_t state = engines_[e].entries | std::uint64_t{engines_[e].consumer} << 32;
    if (const auto found = part(offset, width, at + 8, state)) return *found;
  }
  return 0;
}

void EmulatedGpu::write(std::uint64_t offset, unsigned width, std::uint64_t value) {
  if (width != 4 && width != 8) return;
  if (offset == page::control && (value & 1) != 0) {
    for (auto& engine : engines_) engine = {};
    copies_ = failed_ = 0;
  }
  for (std::size_t e = 0; e < engines; ++e) {
    const std::uint64_t at = page::engine + e * page::engine_stride;
    if (offset >= at && offset < at + 12) write_engine(engines_[e], offset - at, width, value);
  }
  if (offset >= page::doorbell && offset % 4 == 0 && width == 4)
    ring((offset - page::doorbell) / 4, static_cast<std::uint32_t>(value));
}

void EmulatedGpu::write_engine(CopyEngine& engine, std::uint64_t at, unsigned width, std::uint64_t value) {
  if (at == 0 || (at == 4 && width == 4)) set_part(engine.ring, at == 4, width, value);
  if (at != 8 || width != 4) return;
  const bool good = std::has_single_bit(value) && value <= max_entries;
  engine.entries = good ? static_cast<std::uint32_t>(value) : 0;
  engine.consumer = engine.producer = 0;
  engine.copy.reset();
}

void EmulatedGpu::ring(std::size_t index, std::uint32_t producer) {
  if (index >= engines || producer - engines_[index].consumer > engines_[index].entries) {
    ++bad_doorbells_;
    return;
  }
  engines_[index].producer = producer;
}

bool EmulatedGpu::wants_run() const {
  return std::ranges::any_of(engines_, [](const CopyEngine& e) { return e.waiting(); });
}

void EmulatedGpu::run() {
  if (!wants_run()) return;
  do
    for (auto& engine : engines_)
      if (engine.waiting()) step(engine);
  while (wants_run() && host_.go_on());
}

/// A piece of the copy at the consumer index.
void EmulatedGpu::step(CopyEngine& engine) {
  if (!engine.copy && !begin(engine)) return;
  const bool moved = move_piece(engine);
  if (!engine.copy) return;  // it went to registers that emptied the ring
  if (!moved || engine.moved == engine.copy->length) finish(engine, moved ? CopyStatus::done : CopyStatus::failed);
}

/// Reads the descriptor; false if there is nothing to copy.
bool EmulatedGpu::begin(CopyEngine& engine) {
  std::array<std::uint8_t, CopyDescriptor::size> raw{};
  const std::uint64_t at = engine.ring + (engine.consumer & (engine.entries - 1)) * raw.size();
  const bool read = host_.read(at, raw, Purpose::descriptor);
  engine.copy = read ? decode(raw) : CopyDescriptor{};
  engine.moved = 0;
  if (read && allowed(*engine.copy)) return true;
  finish(engine, read ? CopyStatus::refused : CopyStatus::failed);
  return false;
}

void EmulatedGpu::finish(CopyEngine& engine, CopyStatus status) {
  const auto d = *std::exchange(engine.copy, std::nullopt);
  ++engine.consumer;
  ++(status == CopyStatus::done ? copies_ : failed_);
  if ((d.flags & CopyDescriptor::completion) == 0) return;
  std::array<std::uint8_t, 8> completion{};
  store_le(completion, 0, 4, engine.consumer);
  store_le(completion, 4, 4, static_cast<std::uint32_t>(status));
  if (!host_.write(d.completion_address, completion, Purpose::completion_entry)) ++failed_;
}

bool EmulatedGpu::allowed(const CopyDescriptor& d) const {
  const auto fits = [&](std::uint32_t on_bus, std::uint64_t at) {
    return (d.flags & on_bus) != 0 || in_vram(at, d.length);
  };
  return d.length > 0 && d.length <= CopyDescriptor::max_length && fits(CopyDescriptor::source_on_bus, d.source) &&
         fits(CopyDescriptor::destination_on_bus, d.destination);
}

/// Pieces end where addresses on the bus are multiples of a piece, so that no TLP is cut that would not be cut anyway.
bool EmulatedGpu::move_piece(CopyEngine& engine) {
  const auto& d = *engine.copy;
  const bool from_bus = (d.flags & CopyDescriptor::source_on_bus) != 0,
             to_bus = (d.flags & CopyDescriptor::destination_on_bus) != 0;
  const std::uint64_t source = d.source + engine.moved, destination = d.destination + engine.moved;
  const std::uint64_t aligned = piece - (to_bus ? destination : source) % piece;
  const auto size = from_bus || to_bus ? std::min<std::uint64_t>(aligned, d.length - engine.moved) : d.length;
  engine.moved += size;
  if (!from_bus && !to_bus) {
    std::memmove(vram_.data() + destination, vram_.data() + source, size);
    return true;
  }
  if (!to_bus) return host_.read(source, vram_.subspan(destination, size), Purpose::payload);
  if (!from_bus) return host_.write(destination, vram_.subspan(source, size), Purpose::payload);
  const auto bytes = std::span{bounce_}.first(size);
  return host_.read(source, bytes, Purpose::payload) && host_.write(destination, bytes, Purpose::payload);
}

void EmulatedGpu::reset() {
  blobs_.reset();
  engines_ = {};
  copies_ = failed_ = 0;
}

}  // namespace peerpath::gpu
