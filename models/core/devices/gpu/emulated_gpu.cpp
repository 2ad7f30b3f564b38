#include "core/devices/gpu/emulated_gpu.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "core/devices/gpu/little_endian.hpp"

namespace peerpath::gpu {
namespace {

constexpr std::size_t bounce = 64 << 10;  ///< a copy from bus to bus goes through the GPU piece by piece
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

EmulatedGpu::EmulatedGpu(std::span<std::uint8_t> vram, std::uint32_t vram_bar, device::Dma& dma)
    : vram_{vram}, vram_bar_{vram_bar}, dma_{dma}, blobs_{vram.size()} {}

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

void EmulatedGpu::write_engine(Engine& engine, std::uint64_t at, unsigned width, std::uint64_t value) {
  if (at == 0 || (at == 4 && width == 4)) set_part(engine.ring, at == 4, width, value);
  if (at != 8 || width != 4) return;
  const bool good = std::has_single_bit(value) && value <= max_entries;
  engine.entries = good ? static_cast<std::uint32_t>(value) : 0;
  engine.consumer = engine.producer = 0;
}

void EmulatedGpu::ring(std::size_t index, std::uint32_t producer) {
  if (index >= engines || producer - engines_[index].consumer > engines_[index].entries) {
    ++bad_doorbells_;
    return;
  }
  engines_[index].producer = producer;
}

bool EmulatedGpu::wants_run() const {
  return std::ranges::any_of(engines_, [](const Engine& e) { return e.waiting(); });
}

void EmulatedGpu::run() {
  if (busy_) return;
  busy_ = true;
  for (auto& engine : engines_)
    for (std::uint64_t moved = 0; engine.waiting() && moved < most_at_once;) moved += copy_next(engine);
  busy_ = false;
}

/// Does the copy at the consumer index; returns what it cost in bytes.
std::uint64_t EmulatedGpu::copy_next(Engine& engine) {
  std::array<std::uint8_t, CopyDescriptor::size> raw{};
  const std::uint64_t at = engine.ring + (engine.consumer & (engine.entries - 1)) * raw.size();
  auto status = CopyStatus::failed;
  CopyDescriptor d;
  if (dma_.read(at, raw, Purpose::descriptor)) {
    d = decode(raw);
    status = copy(d);
  }
  ++engine.consumer;
  ++(status == CopyStatus::done ? copies_ : failed_);
  if ((d.flags & CopyDescriptor::completion) != 0) {
    std::array<std::uint8_t, 8> completion{};
    store_le(completion, 0, 4, engine.consumer);
    store_le(completion, 4, 4, static_cast<std::uint32_t>(status));
    if (!dma_.write(d.completion_address, completion, Purpose::completion_entry)) ++failed_;
  }
  return std::max<std::uint64_t>(d.length, 4096);
}

CopyStatus EmulatedGpu::copy(const CopyDescriptor& d) {
  const bool from_bus = (d.flags & CopyDescriptor::source_on_bus) != 0,
             to_bus = (d.flags & CopyDescriptor::destination_on_bus) != 0;
  if (d.length == 0 || d.length > CopyDescriptor::max_length || (!from_bus && !in_vram(d.source, d.length)) ||
      (!to_bus && !in_vram(d.destination, d.length)))
    return CopyStatus::refused;
  const auto ok = [](bool done) { return done ? CopyStatus::done : CopyStatus::failed; };
  if (!from_bus && !to_bus) {
    std::memmove(vram_.data() + d.destination, vram_.data() + d.source, d.length);
    return CopyStatus::done;
  }
  if (!to_bus) return ok(dma_.read(d.source, vram_.subspan(d.destination, d.length), Purpose::payload));
  if (!from_bus) return ok(dma_.write(d.destination, vram_.subspan(d.source, d.length), Purpose::payload));
  std::vector<std::uint8_t> buffer(std::min<std::size_t>(d.length, bounce));
  for (std::uint64_t i = 0; i < d.length; i += buffer.size()) {
    const auto piece = std::span{buffer}.first(std::min<std::uint64_t>(buffer.size(), d.length - i));
    if (!dma_.read(d.source + i, piece, Purpose::payload) || !dma_.write(d.destination + i, piece, Purpose::payload))
      return CopyStatus::failed;
  }
  return CopyStatus::done;
}

void EmulatedGpu::reset() {
  blobs_.reset();
  engines_ = {};
  copies_ = failed_ = 0;
}

}  // namespace peerpath::gpu
