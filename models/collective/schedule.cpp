#include "collective/schedule.hpp"

namespace peerpath::collective {
namespace {

Bytes part(Bytes bytes, std::uint32_t parts, std::uint32_t number) {
  const Bytes each{bytes.count() / parts};
  return number + 1 == parts ? bytes - each * (parts - 1) : each;
}

Schedule ring(std::uint32_t ranks, Bytes bytes, std::uint32_t steps) {
  Schedule schedule;
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto before = (rank + ranks - 1) % ranks;
      // Part (rank - step) mod n goes on; it came from the rank before in the step before.
      const auto number = (rank + steps * ranks - step) % ranks;
      schedule.push_back({rank, (rank + 1) % ranks, part(bytes, ranks, number),
                          step == 0 ? Send::at_once : (step - 1) * ranks + before});
    }
  }
  return schedule;
}

}  // namespace

Schedule ring_all_reduce(std::uint32_t ranks, Bytes bytes) {
  return ranks < 2 ? Schedule{} : ring(ranks, bytes, 2 * (ranks - 1));
}

Schedule ring_all_gather(std::uint32_t ranks, Bytes bytes) {
  return ranks < 2 ? Schedule{} : ring(ranks, bytes, ranks - 1);
}

Schedule in_slices(const Schedule& whole, std::uint32_t slices) {
  Schedule schedule;
  const auto count = static_cast<std::uint32_t>(whole.size());
  for (std::uint32_t slice = 0; slice < slices; ++slice)
    for (const auto& send : whole)
      schedule.push_back({send.from, send.to, part(send.bytes, slices, slice),
                          send.after == Send::at_once ? Send::at_once : send.after + slice * count});
  return schedule;
}

Schedule all_to_all(std::uint32_t ranks, Bytes bytes, std::uint32_t window) {
  Schedule schedule;
  for (std::uint32_t distance = 1; distance < ranks; ++distance) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto to = (rank + distance) % ranks;
      const auto after = distance > window ? (distance - 1 - window) * ranks + rank : Send::at_once;
      schedule.push_back({rank, to, part(bytes, ranks, to), after});
    }
  }
  return schedule;
}

}  // namespace peerpath::collective
