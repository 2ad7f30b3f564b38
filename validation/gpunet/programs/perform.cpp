// How a program is performed by two parties.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "validation/gpunet/programs/program.hpp"

namespace peerpath::gpunet::programs {
namespace {

using Who = Line::Who;

/// An address of the loopback network that is this process's own.
const std::uint32_t own_ip = 0x7f000001u | (static_cast<std::uint32_t>(::getpid()) & 0xffffu) << 8;

/// A TCP port that nobody listens on, below those that connections get by themselves: one could connect to itself.
std::uint16_t free_port() {
  static std::atomic<unsigned> next{0};
  for (;;) {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(own_ip);
    const auto port = static_cast<std::uint16_t>(12000 + next++ % 20000);
    at.sin_port = htons(port);
    const bool free = ::bind(probe, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    ::close(probe);
    if (free) return port;
  }
}

/// Of connection c, the same for all steps.
class AddressBook {
 public:
  explicit AddressBook(const Places& places) : places_{places} {}
  Address at(std::uint32_t connection, Family family) {
    const auto found = addresses_.find(connection);
    if (found != addresses_.end()) return found->second;
    const auto path = places_.folder + "/" + std::to_string(places_.number) + "." + std::to_string(connection);
    const auto address = family == Family::local ? local_address(path.c_str()) : tcp_address(own_ip, free_port());
    if (family == Family::local) ::unlink(path.c_str());
    return addresses_[connection] = address;
  }

 private:
  Places places_;
  std::map<std::uint32_t, Address> addresses_;
};

std::vector<unsigned char> content(std::uint64_t seed, std::size_t size) {
  std::minstd_rand random{static_cast<std::uint32_t>(seed)};
  std::vector<unsigned char> bytes(size);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random() >> 8);
  return bytes;
}

class Performance {
 public:
  Performance(Actor& subject, const Places& places, const std::function<void()>& settle)
      : subject_{subject}, addresses_{places}, settle_{settle} {}

  /// `expected`: null for the oracle itself.
  Outcome perform(const Line& line, const Outcome* expected) {
    auto step = line.step;
    step.address = addresses_.at(step.socket / 3, step.address.family);
    // The oracle never waits; who is held against it may where it did not have to.
    if (!expected || expected->result == -EAGAIN) step.flags |= dont_wait;
    auto outcome = act(line, step);
    // A peer's kernel may take a moment, and gives what came by then.
    for (int n = 0; expected && line.who != Who::subject && n < 200 && step.verb == Verb::receive; ++n) {
      if (outcome.result == expected->result) break;
      const bool early = outcome.result == -EAGAIN;
      const bool part = outcome.result > 0 && outcome.result < expected->result;
      if (!early && !part) break;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
      auto rest = step;
      if (part) rest.size = static_cast<std::uint32_t>(expected->result - outcome.result);
      const auto more = act(line, rest);
      if (early) outcome = more;
      if (part && more.result > 0) {
        outcome.result += more.result;
        outcome.received.insert(outcome.received.end(), more.received.begin(), more.received.end());
      }
    }
    return outcome;
  }

 private:
  Outcome act(const Line& line, const Step& step) {
    Outcome outcome;
    std::vector<unsigned char> bytes;
    if (step.verb == Verb::send) bytes = content(line.content, step.size);
    settle_();
    if (line.who == Who::subject) {
      outcome.result = subject_.perform(step, bytes);
    } else {
      if (line.who == Who::peer_reset) peer_.reset(step.socket);
      outcome.result = peer_.perform(step, bytes);
    }
    if (step.verb == Verb::receive) outcome.received = bytes;
    const bool opens = step.verb == Verb::socket || step.verb == Verb::accept;
    if (opens && outcome.result > 0) outcome.result = 0;  // which number a descriptor has is nobody's business
    return outcome;
  }

  Actor& subject_;
  PosixActor peer_;
  AddressBook addresses_;
  const std::function<void()>& settle_;
};

}  // namespace

std::vector<Outcome> perform(const std::vector<Line>& program, Actor& subject, const Places& places,
                             const std::function<void()>& settle, const std::vector<Outcome>& expected) {
  Performance performance{subject, places, settle};
  std::vector<Outcome> outcomes;
  for (std::size_t n = 0; n < program.size(); ++n)
    outcomes.push_back(performance.perform(program[n], expected.empty() ? nullptr : &expected[n]));
  settle();
  return outcomes;
}

}  // namespace peerpath::gpunet::programs
