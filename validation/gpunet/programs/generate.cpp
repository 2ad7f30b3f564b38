// What random programs consist of.
#include <random>

#include "validation/gpunet/programs/program.hpp"

namespace peerpath::gpunet::programs {
namespace {

using Who = Line::Who;

/// Sockets of connection c: 3c for the data end, 3c+1 for the listening end, on whichever side it is.
constexpr std::uint32_t data_end(std::uint32_t c) { return 3 * c; }
constexpr std::uint32_t listening_end(std::uint32_t c) { return 3 * c + 1; }

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_{static_cast<std::uint32_t>(seed * 2654435761u + 1)} {}

  std::vector<Line> write() {
    const auto connections = 1 + below(3);
    for (std::uint32_t c = 0; c < connections; ++c) {
      families_.push_back(below(2) == 0 ? Family::local : Family::tcp);
      unread_.push_back(0);
      set_up(c);
    }
    for (auto steps = 4 + below(24); steps > 0; --steps) random_step(below(connections));
    for (std::uint32_t c = 0; c < connections; ++c) {
      line(Who::subject, Verb::close, data_end(c));
      line(Who::subject, Verb::close, listening_end(c));
    }
    return std::move(lines_);
  }

 private:
  std::uint32_t below(std::uint32_t most) { return static_cast<std::uint32_t>(random_() % most); }
  void line(Who who, Verb verb, std::uint32_t socket, std::uint32_t argument = 0, std::uint32_t size = 0,
            std::uint32_t flags = 0) {
    Line next;
    next.who = who;
    next.step.verb = verb;
    next.step.socket = socket;
    next.step.argument = argument;
    next.step.size = size;
    next.step.flags = flags;
    next.step.address.family = families_[socket / 3];
    next.content = random_();
    lines_.push_back(next);
  }

  void set_up(std::uint32_t c) {
    const bool accepts = below(2) == 0;
    const auto server = accepts ? Who::subject : Who::peer, client = accepts ? Who::peer : Who::subject;
    const auto family = static_cast<std::uint32_t>(families_[c]);
    line(client, Verb::socket, data_end(c), family);
    if (below(8) == 0) line(client, Verb::connect, data_end(c));  // nobody listens
    if (below(8) == 0) line(client, below(2) ? Verb::send : Verb::receive, data_end(c), 0, 10, dont_wait);
    line(server, Verb::socket, listening_end(c), family);
    line(server, Verb::bind, listening_end(c));
    if (below(8) == 0) line(server, Verb::bind, listening_end(c));  // bound already
    if (below(8) == 0) line(client, Verb::connect, data_end(c));    // still nobody listens
    line(server, Verb::listen, listening_end(c), 4);
    line(client, Verb::connect, data_end(c));
    line(server, Verb::accept, listening_end(c), data_end(c));
    if (below(8) == 0) line(client, Verb::connect, data_end(c));  // connected already
    if (below(4) == 0) line(server, Verb::close, listening_end(c));
  }

  std::uint32_t some_bytes() {
    switch (below(4)) {
      case 0:
        return 1 + below(8);
      case 1:
        return 1 + below(300);
      case 2:
        return 120 + below(10);
      default:
        return 1 + below(12000);
    }
  }

  void random_step(std::uint32_t c) {
    const bool tcp = families_[c] == Family::tcp;
    const auto socket = data_end(c);
    const auto who = below(2) == 0 ? Who::subject : Who::peer;
    const auto flags = below(2) ? static_cast<std::uint32_t>(dont_wait) : 0;
    switch (below(16)) {
      case 0:
        return line(who, Verb::shutdown, socket, tcp ? 1 : who == Who::peer ? 1 : below(3));
      case 1:
        if (below(2) == 0) return line(who, Verb::close, socket);
        return line(Who::peer_reset, Verb::close, socket);
      case 2:
        return line(Who::subject, Verb::set_blocking, socket, below(2));
      case 3:
        return line(Who::subject, Verb::close, socket + 2);  // never opened
      case 4:
      case 5:
      case 6:
      case 7:
      case 8: {
        const auto size = some_bytes();
        if (unread_[c] + size > 30000) return;  // neither side ever waits for room
        unread_[c] += size;
        return line(who, Verb::send, socket, 0, size, flags);
      }
      default:
        return line(who, Verb::receive, socket, 0, some_bytes(), flags);
    }
  }

  std::minstd_rand random_;
  std::vector<Family> families_;
  std::vector<std::uint32_t> unread_;  ///< at most, of each connection
  std::vector<Line> lines_;
};

}  // namespace

std::vector<Line> random_program(std::uint64_t seed) { return Writer{seed}.write(); }

}  // namespace peerpath::gpunet::programs
