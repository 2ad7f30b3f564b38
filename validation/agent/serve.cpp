#include "validation/agent/serve.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "validation/agent/connection.hpp"

namespace peerpath::agent {
namespace {

constexpr std::size_t longest_request = 65536;

/// The first line, without its end; nothing if the other end closes before.
std::string request_from(const FileHandle& connection) {
  std::string text;
  std::array<char, 4096> piece{};
  while (text.size() < longest_request) {
    const auto got = ::recv(connection.get(), piece.data(), piece.size(), 0);
    if (got <= 0) return {};
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (const auto end = text.find('\n'); end != std::string::npos) return text.substr(0, end);
  }
  return {};
}

/// Passes on what the child prints, until it ends or the other end goes away.
void answer(const FileHandle& connection, const FileHandle& output, pid_t child) {
  std::array<char, 4096> piece{};
  for (;;) {
    std::array<pollfd, 2> waits{{{output.get(), POLLIN, 0}, {connection.get(), POLLIN, 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0) break;
    if (waits[0].revents != 0) {
      const auto got = ::read(output.get(), piece.data(), piece.size());
      if (got <= 0) break;
      if (::send(connection.get(), piece.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) != got) break;
    } else if (waits[1].revents != 0) {
      break;  // nothing more is to come from there but its end
    }
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace

Failure serve(const std::string& address, int port, int (*one)(const std::string& json)) {
  Traffic here;
  here.address = address;
  here.port = port;
  const auto listener = listen_at(here);
  if (!listener) return listener.error();
  for (;;) {
    const auto connection = accept_one(*listener);
    if (!connection) return connection.error();
    const auto request = request_from(*connection);
    if (request.empty()) continue;
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return {"pipe failed"};
    const auto child = ::fork();
    if (child < 0) return {"fork failed"};
    if (child == 0) {
      ::dup2(ends[1], 1);
      const auto status = one(request);
      std::fflush(stdout);
      ::_exit(status);
    }
    const FileHandle output{ends[0]};
    ::close(ends[1]);
    answer(*connection, output, child);
  }
}

}  // namespace peerpath::agent
