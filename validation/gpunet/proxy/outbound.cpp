#include "validation/gpunet/proxy/outbound.hpp"

#include <atomic>
#include <cerrno>

#include "validation/gpunet/proxy/words.hpp"

namespace peerpath::gpunet {
namespace {

/// Entries that stand ready, as pieces for one call of the channel.
class Batch {
 public:
  Batch(const Net& net, const Socket& socket)
      : net_{net},
        slot_{socket.slot},
        ring_{net.ring_out(socket.slot, socket.told())},
        position_{socket.out.position} {}

  /// False if the entry is not there yet, or has no room here.
  bool add(std::uint32_t number, std::uint32_t offset) {
    if (count_ + 2 > pieces_.size()) return false;
    const auto& entry = net_.entry_out(slot_, number);
    const auto first = load(&entry.words[0]);
    if (number_of(first) != number) return false;
    const auto header = unpack(content_of(first));
    if (header.kind == Kind::inlined ? !add_inline(entry, number, header.length, offset)
                                     : !add_ring(header.length, offset))
      return false;
    lengths_[gathered_++] = header;
    return true;
  }
  std::span<const iovec> pieces() const { return {pieces_.data(), count_}; }
  std::uint32_t gathered() const { return gathered_; }
  Header header(std::uint32_t n) const { return lengths_[n]; }

 private:
  static constexpr std::uint32_t most = 16;

  /// The words of an entry arrive in any order: one that is missing is there a moment later.
  bool add_inline(const Entry& entry, std::uint32_t number, std::uint32_t length, std::uint32_t offset) {
    auto& buffer = inlined_[gathered_];
    for (std::uint32_t i = 0; i < length; i += 4) {
      const auto word = load(&entry.words[1 + i / 4]);
      if (number_of(word) != number) return false;
      for (std::uint32_t k = 0; k < 4; ++k) buffer[i + k] = static_cast<unsigned char>(content_of(word) >> 8 * k);
    }
    pieces_[count_++] = {buffer.data() + offset, length - offset};
    return true;
  }
  bool add_ring(std::uint32_t length, std::uint32_t offset) {
    const auto ring = net_.size.ring_bytes;
    const auto start = aligned(position_);
    position_ = start + length;
    const auto at = (start + offset) & (ring - 1);
    const std::uint64_t left = length - offset;
    const auto first = std::min(left, ring - at);
    pieces_[count_++] = {ring_ + at, first};
    if (first < left) pieces_[count_++] = {ring_, left - first};
    return true;
  }

  const Net& net_;
  std::uint32_t slot_;
  unsigned char* ring_;  ///< in GPU memory it is an address for the channel alone
  std::uint64_t position_;
  std::array<iovec, most> pieces_{};
  std::size_t count_ = 0;
  std::array<std::array<unsigned char, inline_bytes>, most> inlined_;
  std::array<Header, most> lengths_{};
  std::uint32_t gathered_ = 0;
};

void account(const Net& net, Socket& socket, const Batch& batch, std::uint64_t sent) {
  auto& out = socket.out;
  for (std::uint32_t n = 0; n < batch.gathered(); ++n) {
    const auto header = batch.header(n);
    const std::uint64_t left = header.length - out.offset;
    if (sent < left) {
      out.offset += static_cast<std::uint32_t>(sent);
      break;
    }
    sent -= left;
    out.offset = 0;
    if (header.kind != Kind::inlined) out.position = aligned(out.position) + header.length;
    ++out.next;
  }
  store(net.sent + socket.slot, sent_word(out.next - 1, 0));
}

std::uint64_t between(Clock::time_point from, Clock::time_point to) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count());
}

/// What the GPU has stored was found at `looked`, and goes to the channel at `start`.
void count_found(Socket& socket, Clock::time_point looked, Clock::time_point start, Metrics& metrics) {
  if (socket.out.looked != Clock::time_point{}) metrics.unseen_ns += between(socket.out.looked, looked);
  socket.out.looked = {};
  metrics.gather_ns += between(looked, start);
  if (socket.in.announced == Clock::time_point{}) return;
  ++metrics.turns;
  metrics.turn_ns += between(socket.in.announced, looked);
  socket.in.announced = {};
}

/// The GPU's shutdown goes out behind its last byte.
bool shut(Socket& socket) {
  auto& out = socket.out;
  if (!out.shut_wanted || out.shut || static_cast<std::int32_t>(out.next - out.shut_at) < 0) return false;
  out.shut = true;
  socket.channel->shutdown(1);
  return true;
}

}  // namespace

void break_sending(const Net& net, Socket& socket, int error) {
  if (socket.out.error != 0) return;
  socket.out.error = error;
  store(net.sent + socket.slot, sent_word(socket.out.next - 1, error));
}

void announce_gone(const Net& net, Socket& socket, const Channel::Gone& gone) {
  socket.in.gone = true;
  if (socket.out.error == 0) socket.out.error = gone.send;
  store(net.sent + socket.slot, sent_word(socket.out.next - 1, socket.out.error, gone.receive));
}

bool move_out(const Net& net, Socket& socket, Metrics& metrics) {
  auto& out = socket.out;
  if (out.error != 0) return false;
  const auto looked = Clock::now();
  if (number_of(load(&net.entry_out(socket.slot, out.next).words[0])) != out.next) {
    out.looked = looked;
    return shut(socket);
  }
  Batch batch{net, socket};
  for (auto number = out.next; batch.add(number, number == out.next ? out.offset : 0); ++number) {}
  if (batch.gathered() == 0) return false;
  const auto start = Clock::now();
  count_found(socket, looked, start, metrics);
  const auto sent = socket.channel->send(batch.pieces());
  metrics.send_ns += elapsed_ns(start);
  if (sent == -EAGAIN || sent == -ENOBUFS) {
    ++metrics.stalls_for_channel;
    return false;
  }
  if (sent < 0) {
    const int error = static_cast<int>(-sent);
    if (error != EPIPE) socket.in.error = error;
    break_sending(net, socket, error);
    return true;
  }
  ++metrics.sends;
  metrics.sent_bytes += static_cast<std::uint64_t>(sent);
  if (socket.channel->slice() >= 0) metrics.direct_sent_bytes += static_cast<std::uint64_t>(sent);
  const auto before = out.next;
  account(net, socket, batch, static_cast<std::uint64_t>(sent));
  metrics.sent_entries += out.next - before;
  metrics.count_batch(batch.gathered());
  shut(socket);
  return true;
}

}  // namespace peerpath::gpunet
