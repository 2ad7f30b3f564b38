#include "validation/gpunet/programs/actor.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "validation/gpunet/proxy/words.hpp"

namespace peerpath::gpunet::programs {
namespace {

std::int64_t answer(std::int64_t result) { return result < 0 ? -errno : result; }

/// `call` with the address as the kernel takes it.
template <class Call>
std::int64_t with_address(const Address& address, const Call& call) {
  if (address.family == Family::local) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, address.path, sizeof address.path);
    return answer(call(reinterpret_cast<const sockaddr*>(&to), sizeof to));
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(address.port);
  to.sin_addr.s_addr = htonl(address.ip);
  return answer(call(reinterpret_cast<const sockaddr*>(&to), sizeof to));
}

/// What TCP has sent is at its peer once it was acknowledged; or a moment later, if nobody is left to ask.
void wait_for_delivery(int socket) {
  for (int n = 0; n < 200; ++n) {
    int waiting = 0;
    if (::ioctl(socket, SIOCOUTQ, &waiting) != 0 || waiting == 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
}

}  // namespace

std::int64_t BlockActor::perform(const Step& step, std::vector<unsigned char>& bytes) {
  desk_.step = step;
  if (step.verb == Verb::send) std::copy(bytes.begin(), bytes.end(), desk_.bytes);
  store(&desk_.dictated, ++number_);
  const auto start = std::chrono::steady_clock::now();
  while (load(&desk_.done) != number_) {
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds{10}) return -ETIME;
    std::this_thread::yield();
  }
  const auto result = desk_.result;
  if (step.verb == Verb::receive) bytes.assign(desk_.bytes, desk_.bytes + std::max<std::int64_t>(result, 0));
  return result;
}

void BlockActor::end() {
  desk_.step = Step{};
  store(&desk_.dictated, ++number_);
}

PosixActor::~PosixActor() {
  for (const auto& [index, descriptor] : sockets_) ::close(descriptor);
}

std::int64_t PosixActor::open(std::uint32_t index, std::int64_t descriptor) {
  const int yes = 1;  // as the proxy does; a UNIX socket refuses
  ::setsockopt(static_cast<int>(descriptor), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (descriptor >= 0) sockets_[index] = static_cast<int>(descriptor);
  return descriptor;
}

std::int64_t PosixActor::perform(const Step& step, std::vector<unsigned char>& bytes) {
  const auto found = sockets_.find(step.socket);
  const int socket = found == sockets_.end() ? -1 : found->second;
  switch (step.verb) {
    case Verb::socket:
      return open(step.socket, answer(::socket(static_cast<Family>(step.argument) == Family::local ? AF_UNIX : AF_INET,
                                               SOCK_STREAM | SOCK_CLOEXEC, 0)));
    case Verb::bind: {
      const int yes = 1;
      if (step.address.family == Family::tcp) ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      return with_address(step.address, [&](const auto* to, socklen_t size) { return ::bind(socket, to, size); });
    }
    case Verb::listen:
      return answer(::listen(socket, static_cast<int>(step.argument)));
    case Verb::accept:
      if (pollfd item{.fd = socket, .events = POLLIN, .revents = 0}; ::poll(&item, 1, 2000) == 0) return -EAGAIN;
      return open(step.argument, answer(::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC)));
    case Verb::connect:
      return with_address(step.address, [&](const auto* to, socklen_t size) { return ::connect(socket, to, size); });
    case Verb::send: {
      const auto sent = answer(::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
      if (step.address.family == Family::tcp) wait_for_delivery(socket);
      return sent;
    }
    case Verb::receive: {
      bytes.resize(step.size);
      const auto got = answer(::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT));
      bytes.resize(static_cast<std::size_t>(std::max<std::int64_t>(got, 0)));
      return got;
    }
    case Verb::shutdown: {
      const auto result = answer(::shutdown(socket, static_cast<int>(step.argument)));
      if (step.address.family == Family::tcp) wait_for_delivery(socket);
      return result;
    }
    case Verb::close: {
      const auto result = answer(::close(socket));
      sockets_.erase(step.socket);
      if (step.address.family == Family::tcp) std::this_thread::sleep_for(std::chrono::microseconds{200});
      return result;
    }
    case Verb::set_blocking:
      return socket < 0 ? -EBADF : 0;
    case Verb::end:
      break;
  }
  return 0;
}

std::int64_t PosixActor::reset(std::uint32_t socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  const auto found = sockets_.find(socket);
  if (found == sockets_.end()) return -EBADF;
  return answer(::setsockopt(found->second, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once));
}

}  // namespace peerpath::gpunet::programs
