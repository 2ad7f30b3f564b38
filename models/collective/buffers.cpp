#include "collective/buffers.hpp"

#include <algorithm>

#include "collective/hierarchical.hpp"

namespace peerpath::collective {
namespace {

/// Parts that a rank's bytes are divided into and that go as messages; 0: it does not go chunk by chunk.
std::uint32_t parts_of(const Pattern& p) {
  switch (p.kind) {
    case Exchange::all_reduce:
      if (p.server == 1 && p.algorithm == Algorithm::tree) return 2;
      [[fallthrough]];
    case Exchange::all_gather:
    case Exchange::reduce_scatter:
      return p.algorithm == Algorithm::tree ? p.server : p.ranks;
    case Exchange::broadcast:
    case Exchange::reduce:
      return 1;
    default:
      return 0;
  }
}

void append(Schedule& to, Schedule&& more) {
  const auto before = static_cast<std::uint32_t>(to.size());
  for (auto send : more) {
    for (auto* cause : {&send.after, &send.also})
      if (*cause != Send::at_once) *cause += before;
    to.push_back(send);
  }
}

}  // namespace

bool goes_in_chunks(const Pattern& pattern) { return parts_of(pattern) > 0; }

Schedule in_chunks(const Pattern& pattern, const Buffers& buffers) {
  const auto parts = parts_of(pattern);
  if (parts == 0) return cut(schedule_of(pattern), buffers.slice(), Bytes{});
  Schedule out;
  const auto most = buffers.chunk() * parts;
  for (auto left = pattern.bytes; left > Bytes{}; left -= std::min(left, most)) {
    auto round = pattern;
    round.bytes = std::min(left, most);
    // What is left over of a division makes no slice of its own: a chunk fits the buffer.
    append(out, cut(round.server > 1 ? hierarchical(round, Order::as_they_come) : schedule_of(round), buffers.slice(),
                    Bytes{pattern.ranks}));
  }
  return out;
}

Schedule cut(const Schedule& whole, Bytes most, Bytes more) {
  Schedule out;
  // By message: its first piece, and how many there are.
  std::vector<std::uint32_t> first, count;
  for (const auto& s : whole) {
    const auto pieces = static_cast<std::uint32_t>(
        std::max<std::int64_t>(1, ((s.bytes - more).count() + most.count() - 1) / most.count()));
    first.push_back(static_cast<std::uint32_t>(out.size()));
    count.push_back(pieces);
    for (std::uint32_t i = 0; i < pieces; ++i) {
      const auto behind = [&](std::uint32_t cause) -> std::uint64_t {
        if (cause == Send::at_once) return cause;
        return first[cause] + (std::uint64_t{i + 1} * count[cause] + pieces - 1) / pieces - 1;
      };
      out.push_back({s.from, s.to, part(s.bytes, pieces, i), static_cast<std::uint32_t>(behind(s.after)),
                     static_cast<std::uint32_t>(behind(s.also))});
    }
  }
  return out;
}

Schedule with_flags(Schedule schedule, Protocol protocol) {
  for (auto& s : schedule) {
    if (protocol == Protocol::LL) s.bytes = s.bytes * 2;
    if (protocol == Protocol::LL128) s.bytes = Bytes{(s.bytes.count() + 119) / 120 * 128};
  }
  return schedule;
}

}  // namespace peerpath::collective
