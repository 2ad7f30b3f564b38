// When two performances of a program mean the same.
#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <sstream>

#include "validation/gpunet/programs/program.hpp"

namespace peerpath::gpunet::programs {
namespace {

using Who = Line::Who;

std::string text(const Line& line) {
  constexpr std::array verbs{"socket",  "bind",     "listen", "accept",       "connect", "send",
                             "receive", "shutdown", "close",  "set_blocking", "end"};
  std::ostringstream out;
  out << (line.who == Who::subject ? "subject "
          : line.who == Who::peer  ? "peer "
                                   : "peer resets, ")
      << verbs[static_cast<std::size_t>(line.step.verb)] << " socket " << line.step.socket << " argument "
      << line.step.argument << " size " << line.step.size << " flags " << line.step.flags
      << (line.step.address.family == Family::tcp ? " tcp" : " unix");
  return out.str();
}

/// A UNIX socket that is closed with bytes unread resets its peer. The proxy has taken those bytes from the kernel, and
/// has no call that resets: the peer sees a clean end.
bool reset_seen_as_end(const Outcome& oracle, const Outcome& subject) {
  return oracle.result == -ECONNRESET && subject.result == 0;
}

}  // namespace

std::string difference(const std::vector<Line>& program, const std::vector<Outcome>& oracle,
                       const std::vector<Outcome>& subject) {
  std::set<std::uint32_t> closed_by_subject;
  for (std::size_t n = 0; n < program.size(); ++n) {
    const auto& line = program[n];
    if (line.who == Who::subject && line.step.verb == Verb::close) closed_by_subject.insert(line.step.socket);
    if (oracle[n].result == subject[n].result && oracle[n].received == subject[n].received) continue;
    if (line.who == Who::peer && line.step.verb == Verb::receive && line.step.address.family == Family::local &&
        closed_by_subject.count(line.step.socket) != 0 && reset_seen_as_end(oracle[n], subject[n]))
      continue;
    std::ostringstream out;
    for (std::size_t k = 0; k <= n; ++k)
      out << text(program[k]) << ": " << oracle[k].result << (k == n ? " expected, " : " and ") << subject[k].result
          << "\n";
    if (oracle[n].result == subject[n].result) {
      const auto at = std::mismatch(oracle[n].received.begin(), oracle[n].received.end(), subject[n].received.begin());
      out << "other bytes from " << at.first - oracle[n].received.begin() << " on\n";
    }
    return out.str();
  }
  return "";
}

}  // namespace peerpath::gpunet::programs
