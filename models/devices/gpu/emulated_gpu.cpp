#include "devices/gpu/emulated_gpu.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

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

EmulatedGpu::EmulatedGpu(std::span<std::uint8_t> vram, std::uint32_t vram_bar, device::Bus& bus)
    : vram_{vram}, vram_bar_{vram_bar}, bus_{bus}, blobs_{vram.size()} {}

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
    for (auto& engine : engines_) {
      empty(engine);
      engine.ring = engine.entries = 0;
    }
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
  empty(engine);
  engine.entries = good ? static_cast<std::uint32_t>(value) : 0;
}

/// Whatever of it is under way is ignored from now on.
void EmulatedGpu::empty(CopyEngine& engine) {
  ++engine.life;
  engine.consumer = engine.producer = 0;
  engine.step = Step::idle;
  engine.under_way = {};
}

void EmulatedGpu::ring(std::size_t index, std::uint32_t producer) {
  if (index >= engines || producer - engines_[index].consumer > engines_[index].entries) {
    ++bad_doorbells_;
    return;
  }
  engines_[index].producer = producer;
  if (engines_[index].step == Step::idle) next(index);
}

bool EmulatedGpu::at_work() const {
  return std::ranges::any_of(engines_, [](const CopyEngine& e) { return e.step != Step::idle; });
}

std::uint64_t EmulatedGpu::Cookie::pack() const {
  return std::uint64_t{life} << 32 | piece << 16 | engine << 8 | static_cast<std::uint64_t>(part);
}

EmulatedGpu::Cookie EmulatedGpu::Cookie::unpack(std::uint64_t packed) {
  return {static_cast<Part>(packed & 0xff), static_cast<std::size_t>(packed >> 8 & 0xff),
          static_cast<std::size_t>(packed >> 16 & 0xff), static_cast<std::uint32_t>(packed >> 32)};
}

void EmulatedGpu::read(const Cookie& cookie, std::uint64_t address, std::uint64_t size, Purpose purpose) {
  fabric::Transaction t;
  t.op = pcie::Operation::memory_read;
  t.purpose = purpose;
  t.address = address;
  t.bytes = Bytes{static_cast<std::int64_t>(size)};
  submit(cookie, t, {});
}

void EmulatedGpu::write(const Cookie& cookie, std::uint64_t address, std::span<const std::uint8_t> bytes,
                        Purpose purpose) {
  fabric::Transaction t;
  t.purpose = purpose;
  t.address = address;
  t.bytes = Bytes{static_cast<std::int64_t>(bytes.size())};
  submit(cookie, t, {.bytes = bytes});
}

/// Each engine has a channel of its own.
void EmulatedGpu::submit(const Cookie& cookie, fabric::Transaction t, const device::Content& content) {
  t.cookie = cookie.pack();
  t.notify_requester = true;
  t.ready = now_;
  bus_.submit(fabric::ChannelIndex{static_cast<std::uint16_t>(cookie.engine + 1)}, t, content);
}

void EmulatedGpu::on_delivery(const fabric::Delivery& delivery, std::span<const std::uint8_t> data) {
  set_time(delivery.done);
  const auto cookie = Cookie::unpack(delivery.cookie);
  if (cookie.engine >= engines || cookie.piece >= pieces || cookie.life != engines_[cookie.engine].life) return;
  const bool success = delivery.status == pcie::Status::success;
  switch (cookie.part) {
    case Part::descriptor:
      return begin(cookie.engine, success, data);
    case Part::read:
      return piece_read(cookie, success, data);
    case Part::write:
      return piece_done(cookie, success);
    case Part::completion:
      if (!success) ++failed_;
      return;
  }
}

/// Reads the descriptor at the consumer index, if there is one.
void EmulatedGpu::next(std::size_t index) {
  auto& engine = engines_[index];
  engine.step = Step::idle;
  if (engine.entries == 0 || engine.consumer == engine.producer) return;
  engine.step = Step::descriptor;
  read({Part::descriptor, index, 0, engine.life},
       engine.ring + (engine.consumer & (engine.entries - 1)) * CopyDescriptor::size, CopyDescriptor::size,
       Purpose::descriptor);
}

void EmulatedGpu::begin(std::size_t index, bool success, std::span<const std::uint8_t> raw) {
  auto& engine = engines_[index];
  engine.copy = success ? decode(raw) : CopyDescriptor{};
  if (!success || !allowed(engine.copy)) return finish(index, success ? CopyStatus::refused : CopyStatus::failed);
  engine.step = Step::copying;
  engine.issued = 0;
  engine.failed = false;
  const auto& d = engine.copy;
  if ((d.flags & (CopyDescriptor::source_on_bus | CopyDescriptor::destination_on_bus)) != 0) return issue(index);
  std::memmove(vram_.data() + d.destination, vram_.data() + d.source, d.length);
  finish(index, CopyStatus::done);
}

/// Puts pieces under way as far as there is room. They end where addresses on the bus are multiples of a piece, so that
/// no TLP is cut that would not be cut anyway.
void EmulatedGpu::issue(std::size_t index) {
  auto& engine = engines_[index];
  const auto life = engine.life;
  const auto d = engine.copy;
  const bool from_bus = (d.flags & CopyDescriptor::source_on_bus) != 0,
             to_bus = (d.flags & CopyDescriptor::destination_on_bus) != 0;
  for (std::size_t i = 0; i < pieces && engine.issued < d.length && !engine.failed; ++i) {
    auto& part = engine.under_way[i];
    if (part.taken) continue;
    const std::uint64_t source = d.source + engine.issued, destination = d.destination + engine.issued;
    const std::uint64_t aligned = piece - (to_bus ? destination : source) % piece;
    part = {engine.issued, std::min<std::uint64_t>(aligned, d.length - engine.issued), true};
    engine.issued += part.size;
    if (from_bus)
      read({Part::read, index, i, life}, source, part.size, Purpose::payload);
    else
      write({Part::write, index, i, life}, destination, vram_.subspan(source, part.size), Purpose::payload);
    if (engine.life != life) return;  // it went to registers that emptied the ring
  }
}

void EmulatedGpu::piece_read(const Cookie& cookie, bool success, std::span<const std::uint8_t> data) {
  auto& engine = engines_[cookie.engine];
  const auto& part = engine.under_way[cookie.piece];
  const auto destination = engine.copy.destination + part.offset;
  if (!success) return piece_done(cookie, false);
  if ((engine.copy.flags & CopyDescriptor::destination_on_bus) != 0)
    return write({Part::write, cookie.engine, cookie.piece, cookie.life}, destination, data, Purpose::payload);
  std::ranges::copy(data, vram_.begin() + static_cast<std::ptrdiff_t>(destination));
  piece_done(cookie, true);
}

void EmulatedGpu::piece_done(const Cookie& cookie, bool success) {
  auto& engine = engines_[cookie.engine];
  engine.under_way[cookie.piece].taken = false;
  engine.failed = engine.failed || !success;
  issue(cookie.engine);
  if (engine.life != cookie.life || std::ranges::any_of(engine.under_way, &Piece::taken)) return;
  finish(cookie.engine, engine.failed ? CopyStatus::failed : CopyStatus::done);
}

void EmulatedGpu::finish(std::size_t index, CopyStatus status) {
  auto& engine = engines_[index];
  const auto life = engine.life;
  ++engine.consumer;
  ++(status == CopyStatus::done ? copies_ : failed_);
  if ((engine.copy.flags & CopyDescriptor::completion) != 0) {
    std::array<std::uint8_t, 8> completion{};
    store_le(completion, 0, 4, engine.consumer);
    store_le(completion, 4, 4, static_cast<std::uint32_t>(status));
    write({Part::completion, index, 0, life}, engine.copy.completion_address, completion, Purpose::completion_entry);
  }
  if (engine.life == life) next(index);
}

bool EmulatedGpu::allowed(const CopyDescriptor& d) const {
  const auto fits = [&](std::uint32_t on_bus, std::uint64_t at) {
    return (d.flags & on_bus) != 0 || in_vram(at, d.length);
  };
  return d.length > 0 && d.length <= CopyDescriptor::max_length && fits(CopyDescriptor::source_on_bus, d.source) &&
         fits(CopyDescriptor::destination_on_bus, d.destination);
}

void EmulatedGpu::reset() {
  blobs_.reset();
  for (auto& engine : engines_) {
    empty(engine);
    engine.ring = engine.entries = 0;
  }
  copies_ = failed_ = 0;
}

}  // namespace peerpath::gpu
