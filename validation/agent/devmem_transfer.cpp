// Device Memory TCP (Documentation/networking/devmem.rst of the kernel): payload is never mapped by the kernel; the
// process learns where in the dma-buf it lies.
#include <poll.h>
#include <time.h>
// needs what <time.h> declares
#include <linux/errqueue.h>

#include <algorithm>
#include <array>
#include <vector>

#include "validation/agent/connection.hpp"
#include "validation/agent/kernel_api.hpp"
#include "validation/agent/netdev.hpp"
#include "validation/agent/steering.hpp"
#include "validation/agent/transfer.hpp"

namespace peerpath::agent {
namespace {

/// Gives fragments back to the queue; the kernel takes at most 128 tokens ranges at a time.
Expected<void> give_back(int socket, const std::vector<kernel::DmabufToken>& tokens) {
  constexpr std::size_t most = 128;
  for (std::size_t i = 0; i < tokens.size(); i += most) {
    const auto count = std::min(most, tokens.size() - i);
    if (::setsockopt(socket, SOL_SOCKET, kernel::so_devmem_dontneed, &tokens[i],
                     static_cast<socklen_t>(count * sizeof tokens[i])) < 0) {
      return failure("SO_DEVMEM_DONTNEED");
    }
  }
  return {};
}

/// One recvmsg; false at the end of the stream.
Expected<bool> receive_some(const Traffic& traffic, int socket, const Buffer& buffer, Outcome& outcome) {
  alignas(cmsghdr) static std::array<unsigned char, 64 * 1024> control;
  static std::array<unsigned char, 256 * 1024> linear;
  iovec piece{linear.data(), linear.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const auto got = ::recvmsg(socket, &message, kernel::msg_sock_devmem);
  if (got < 0) return failure("recvmsg");
  if (got == 0) return false;
  if ((message.msg_flags & MSG_CTRUNC) != 0) return tl::unexpected{Failure{"recvmsg: control data cut off"}};

  std::vector<kernel::DmabufToken> tokens;
  std::uint64_t linear_used = 0;
  for (auto* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET) continue;
    kernel::DmabufCmsg fragment{};
    std::memcpy(&fragment, CMSG_DATA(header), sizeof fragment);
    if (header->cmsg_type == kernel::so_devmem_linear) {
      count_piece(traffic, linear.data() + linear_used, fragment.frag_size, outcome);
      linear_used += fragment.frag_size;
      outcome.copied += fragment.frag_size;
    } else if (header->cmsg_type == kernel::so_devmem_dmabuf) {
      const auto counted = count_piece(traffic, buffer, fragment.frag_offset, fragment.frag_size, outcome);
      if (!counted) return tl::unexpected{counted.error()};
      tokens.push_back({fragment.frag_token, 1});
    }
  }
  if (auto done = give_back(socket, tokens); !done) return tl::unexpected{done.error()};
  return true;
}

/// Waits until the kernel reported that sends 0 ... `sends` - 1 need their memory no more.
Expected<void> wait_until_sent(int socket, std::uint32_t sends, std::uint32_t& reported) {
  while (reported < sends) {
    pollfd poll{socket, 0, 0};
    if (::poll(&poll, 1, -1) < 0) return failure("poll");
    std::array<unsigned char, 256> control{};
    msghdr message{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    if (::recvmsg(socket, &message, MSG_ERRQUEUE) < 0) {
      if (errno == EAGAIN) return tl::unexpected{Failure{"the connection broke while sending"}};
      return failure("completions of sends");
    }
    for (auto* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
      sock_extended_err report{};
      std::memcpy(&report, CMSG_DATA(header), sizeof report);
      if (report.ee_origin == SO_EE_ORIGIN_ZEROCOPY) reported = report.ee_data + 1;
    }
  }
  return {};
}

Expected<std::size_t> send_from(int socket, std::uint32_t dmabuf, std::uint64_t offset, std::uint64_t size) {
  alignas(cmsghdr) std::array<unsigned char, CMSG_SPACE(sizeof dmabuf)> control{};
  iovec piece{reinterpret_cast<void*>(offset), size};  // the kernel reads an offset in the dma-buf here
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  auto* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = kernel::so_devmem_dmabuf;
  header->cmsg_len = CMSG_LEN(sizeof dmabuf);
  std::memcpy(CMSG_DATA(header), &dmabuf, sizeof dmabuf);
  const auto done = ::sendmsg(socket, &message, MSG_ZEROCOPY | MSG_NOSIGNAL);
  if (done < 0) return failure("sendmsg from the dma-buf");
  return static_cast<std::size_t>(done);
}

}  // namespace

Expected<Outcome> receive_by_devmem(const Traffic& traffic) {
  const auto buffer = make_buffer(traffic.memory);
  if (!buffer) return tl::unexpected{buffer.error()};
  const auto steering = steer(traffic);
  if (!steering) return tl::unexpected{steering.error()};
  const auto binding = bind_rx(traffic.interface, traffic.queue, buffer->dmabuf());
  if (!binding) return tl::unexpected{binding.error()};
  const auto listener = listen_at(traffic);
  if (!listener) return tl::unexpected{listener.error()};
  const auto connection = accept_one(*listener);
  if (!connection) return tl::unexpected{connection.error()};
  Outcome outcome;
  double start = 0;
  for (;;) {
    const auto more = receive_some(traffic, connection->get(), *buffer, outcome);
    if (!more) return tl::unexpected{more.error()};
    if (!*more) return outcome;
    if (start == 0) start = now();
    outcome.seconds = now() - start;
  }
}

Expected<Outcome> send_by_devmem(const Traffic& traffic) {
  const auto buffer = make_buffer(traffic.memory);
  if (!buffer) return tl::unexpected{buffer.error()};
  const auto binding = bind_tx(traffic.interface, buffer->dmabuf());
  if (!binding) return tl::unexpected{binding.error()};
  const auto connection = connect_to(traffic);
  if (!connection) return tl::unexpected{connection.error()};
  const int on = 1;
  if (::setsockopt(connection->get(), SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on) != 0) return failure("SO_ZEROCOPY");
  Outcome outcome;
  std::uint32_t sends = 0, reported = 0;
  const double start = now();
  while (outcome.bytes < traffic.bytes) {
    const auto part = std::min<std::uint64_t>(buffer->bytes().size(), traffic.bytes - outcome.bytes);
    if (auto filled = fill_piece(traffic, *buffer, part, outcome); !filled) return tl::unexpected{filled.error()};
    for (std::uint64_t offset = 0; offset < part;) {
      const auto done = send_from(connection->get(), binding->id(), offset, std::min(traffic.send_size, part - offset));
      if (!done) return tl::unexpected{done.error()};
      offset += *done;
      sends += 1;
    }
    outcome.bytes += part;
    outcome.fragments = sends;
    // The memory is filled anew only when nobody reads it any more; a retransmission would.
    if (auto done = wait_until_sent(connection->get(), sends, reported); !done) return tl::unexpected{done.error()};
  }
  ::shutdown(connection->get(), SHUT_WR);
  char end = 0;
  if (::recv(connection->get(), &end, 1, 0) < 0) return failure("the other end");
  outcome.seconds = now() - start;
  outcome.retransmitted = retransmitted(*connection);
  return outcome;
}

}  // namespace peerpath::agent
