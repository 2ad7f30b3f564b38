// Plain sockets: what everything else is compared with, and the other end of it.
#include <algorithm>
#include <vector>

#include "validation/agent/connection.hpp"
#include "validation/agent/pattern.hpp"
#include "validation/agent/transfer.hpp"

namespace peerpath::agent {

void count_piece(const Traffic& traffic, const unsigned char* data, std::uint64_t size, Outcome& outcome) {
  const auto wrong = first_difference(traffic.seed, outcome.bytes, {data, size});
  if (wrong < 0) {
    outcome.validated += size;
  } else if (outcome.first_wrong < 0) {
    outcome.first_wrong = wrong;
  }
  outcome.bytes += size;
  outcome.fragments += 1;
}

Expected<void> count_piece(const Traffic& traffic, const Buffer& buffer, std::uint64_t offset, std::uint64_t size,
                           Outcome& outcome) {
  const auto bytes = buffer.bytes();
  if (offset > bytes.size() || size > bytes.size() - offset)
    return tl::unexpected{Failure{"data lies outside of the memory"}};
  return buffer.fetch(offset, size).map([&] { count_piece(traffic, bytes.data() + offset, size, outcome); });
}

Expected<void> fill_piece(const Traffic& traffic, const Buffer& buffer, std::uint64_t size, const Outcome& outcome) {
  fill_pattern(traffic.seed, outcome.bytes, buffer.bytes().first(size));
  return buffer.store(0, size);
}

Expected<Outcome> receive_by_socket(const Traffic& traffic) {
  const auto listener = listen_at(traffic);
  if (!listener) return tl::unexpected{listener.error()};
  const auto connection = accept_one(*listener);
  if (!connection) return tl::unexpected{connection.error()};
  Outcome outcome;
  std::vector<unsigned char> piece(256 * 1024);
  double start = 0;
  for (;;) {
    const auto got = ::recv(connection->get(), piece.data(), piece.size(), 0);
    if (got < 0) return failure("recv");
    if (got == 0) break;
    if (start == 0) start = now();
    count_piece(traffic, piece.data(), static_cast<std::uint64_t>(got), outcome);
    outcome.seconds = now() - start;
  }
  outcome.copied = outcome.bytes;
  return outcome;
}

Expected<Outcome> send_by_socket(const Traffic& traffic) {
  const auto connection = connect_to(traffic);
  if (!connection) return tl::unexpected{connection.error()};
  Outcome outcome;
  std::vector<unsigned char> piece(traffic.send_size);
  const double start = now();
  while (outcome.bytes < traffic.bytes) {
    const auto size = std::min<std::uint64_t>(piece.size(), traffic.bytes - outcome.bytes);
    fill_pattern(traffic.seed, outcome.bytes, {piece.data(), size});
    for (std::uint64_t sent = 0; sent < size;) {
      const auto done = ::send(connection->get(), piece.data() + sent, size - sent, MSG_NOSIGNAL);
      if (done < 0) return failure("send");
      sent += static_cast<std::uint64_t>(done);
      outcome.fragments += 1;
    }
    outcome.bytes += size;
  }
  outcome.copied = outcome.bytes;
  ::shutdown(connection->get(), SHUT_WR);
  char end = 0;
  // The other end closes when it has everything.
  if (::recv(connection->get(), &end, 1, 0) < 0) return failure("the other end");
  outcome.seconds = now() - start;
  outcome.retransmitted = retransmitted(*connection);
  return outcome;
}

}  // namespace peerpath::agent
