#include "validation/gpunet/proxy/inbound.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "validation/gpunet/proxy/outbound.hpp"
#include "validation/gpunet/proxy/words.hpp"

namespace peerpath::gpunet {
namespace {

constexpr std::uint64_t least_room = 4096;  ///< of a ring; less is not worth a call
/// In a stream an entry costs the GPU some microseconds, whatever its size: what follows a large one, or another at
/// once, may gather. An answer to what the GPU sent does not come as soon.
constexpr std::int64_t large = 16384;
constexpr std::chrono::microseconds at_once{6}, gathering{12};

std::uint32_t taken_by(const Net& net, const Socket& socket) {
  const auto taken = static_cast<std::uint32_t>(load(net.taken + socket.slot));
  return static_cast<std::int32_t>(taken - socket.in.base) < 0 ? socket.in.base : taken;
}

/// Writes an entry backwards: whoever sees its first word sees all of them, on x86.
void write_entry(const Net& net, Socket& socket, Header header, const unsigned char* bytes) {
  auto& in = socket.in;
  auto& entry = net.entry_in(socket.slot, in.next);
  for (auto w = entry_words; w-- > 0;) {
    std::uint32_t content = w == 0 ? pack(header) : 0;
    if (w > 0 && header.kind == Kind::inlined)
      for (std::uint32_t i = 0, at = 4 * (w - 1); i < 4 && at + i < header.length; ++i)
        content |= std::uint32_t{bytes[at + i]} << 8 * i;
    store(&entry.words[w], entry_word(in.next, content));
  }
  in.ends[in.next % entries] = in.position;
  ++in.next;
}

/// Free bytes of the ring from the next aligned position on.
std::uint64_t ring_room(const Net& net, const Socket& socket, std::uint32_t taken) {
  const auto& in = socket.in;
  const auto begin = taken + 1 == in.next ? in.position : in.ends[taken % entries];
  const auto used = aligned(in.position) - begin;
  return used < net.size.ring_bytes ? net.size.ring_bytes - used : 0;
}

void announce(const Net& net, Socket& socket, std::uint64_t start, std::uint64_t size, const unsigned char* base) {
  if (size <= inline_bytes) {
    const auto ring = net.size.ring_bytes;
    std::array<unsigned char, inline_bytes> bytes;
    for (std::uint64_t i = 0; i < size; ++i) bytes[i] = base[(start + i) & (ring - 1)];
    write_entry(net, socket, {Kind::inlined, static_cast<std::uint32_t>(size)}, bytes.data());
    return;
  }
  socket.in.position = start + size;
  write_entry(net, socket, {Kind::ring, static_cast<std::uint32_t>(size)}, nullptr);
}

void finish(const Net& net, Socket& socket, int error) {
  socket.in.ended = true;
  write_entry(net, socket, {Kind::end, static_cast<std::uint32_t>(error)}, nullptr);
}

/// The end of the stream, or an error.
void end_stream(const Net& net, Socket& socket, int error) {
  finish(net, socket, error ? error : socket.in.error);
  // A reset reaches a UNIX socket's sender as EPIPE, whoever comes first.
  if (error) break_sending(net, socket, socket.family == Family::local ? EPIPE : error);
}

/// Counts what a channel has answered since `before`. If it brought no bytes: whether something was done all the same.
std::optional<bool> without_bytes(const Net& net, Socket& socket, std::int64_t got, Clock::time_point before,
                                  Metrics& metrics) {
  const auto took = elapsed_ns(before);
  metrics.receive_ns += took;
  if (got == -EAGAIN) {
    ++metrics.empty_receives;
    metrics.empty_receive_ns += took;
    socket.in.readable = false;
    return false;
  }
  if (got <= 0) {
    end_stream(net, socket, static_cast<int>(-got));
    return true;
  }
  ++metrics.receives;
  metrics.received_bytes += static_cast<std::uint64_t>(got);
  return std::nullopt;
}

/// A NIC has put it into GPU memory: the GPU is told where. What it took is free for the NIC again.
bool move_in_direct(const Net& net, Socket& socket, std::uint32_t taken, Metrics& metrics) {
  auto& in = socket.in;
  while (static_cast<std::int32_t>(taken - in.returned) > 0)
    socket.channel->give_back(in.slots[++in.returned % entries]);
  if (in.next - 1 - taken >= entries) return ++metrics.stalls_for_entries, false;
  const auto before = Clock::now();
  std::uint32_t slot = 0;
  const auto got = socket.channel->receive_direct(slot);
  if (const auto nothing = without_bytes(net, socket, got, before, metrics)) return *nothing;
  metrics.direct_received_bytes += static_cast<std::uint64_t>(got);
  in.slots[in.next % entries] = slot;
  in.last = Clock::now();
  write_entry(net, socket, {Kind::direct, pack(DirectPlace{slot, static_cast<std::uint32_t>(got)})}, nullptr);
  in.announced = Clock::now();
  return true;
}

}  // namespace

bool leaves_bytes(const Socket& socket, std::uint32_t entry, std::uint32_t offset) {
  if (offset != 0) return true;
  const auto data_end = socket.in.next - (socket.in.ended ? 1 : 0);
  return static_cast<std::int32_t>(data_end - entry) > 0;
}

bool move_in(const Net& net, Socket& socket, Metrics& metrics) {
  auto& in = socket.in;
  if (in.ended || !in.readable) return false;
  const auto taken = taken_by(net, socket);
  if (socket.channel->slice() >= 0) return move_in_direct(net, socket, taken, metrics);
  if (in.next - 1 - taken >= entries) return ++metrics.stalls_for_entries, false;
  const auto ring = net.size.ring_bytes;
  const auto room = std::min(ring_room(net, socket, taken), ring / 4);
  if (room < least_room) return ++metrics.stalls_for_ring, false;
  const auto before = Clock::now();
  if (before < in.not_before) return true;  // there is something to do, if not now
  auto* base = net.in_ring + socket.slot * ring;
  const auto start = aligned(in.position);
  const auto at = start & (ring - 1);
  const auto first = std::min(room, ring - at);
  const std::array pieces{iovec{base + at, first}, iovec{base, room - first}};
  const auto got = socket.channel->receive({pieces.data(), first < room ? 2u : 1u});
  if (const auto nothing = without_bytes(net, socket, got, before, metrics)) return *nothing;
  const bool streams = got >= large || (got > inline_bytes && before - in.last < at_once);
  if (streams) in.not_before = before + gathering;
  in.last = Clock::now();
  announce(net, socket, start, static_cast<std::uint64_t>(got), base);
  in.announced = Clock::now();
  metrics.announce_ns +=
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(in.announced - in.last).count());
  return true;
}

}  // namespace peerpath::gpunet
