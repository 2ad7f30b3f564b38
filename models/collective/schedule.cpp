#include "collective/schedule.hpp"

namespace peerpath::collective {
namespace {

Bytes part(Bytes bytes, std::uint32_t parts, std::uint32_t number) {
  const Bytes each{bytes.count() / parts};
  return number + 1 == parts ? bytes - each * (parts - 1) : each;
}

}  // namespace

Schedule ring_steps(std::uint32_t ranks, Bytes bytes, std::uint32_t steps) {
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

Schedule ring_all_reduce(std::uint32_t ranks, Bytes bytes) {
  return ranks < 2 ? Schedule{} : ring_steps(ranks, bytes, 2 * (ranks - 1));
}

Schedule ring_all_gather(std::uint32_t ranks, Bytes bytes) {
  return ranks < 2 ? Schedule{} : ring_steps(ranks, bytes, ranks - 1);
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

Schedule all_to_some(std::uint32_t ranks, Bytes bytes, std::uint32_t window, std::uint32_t others) {
  Schedule schedule;
  for (std::uint32_t number = 0; number < others; ++number) {
    const auto distance = 1 + static_cast<std::uint32_t>(std::uint64_t{number} * (ranks - 1) / others);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto to = (rank + distance) % ranks;
      const auto after = number >= window ? (number - window) * ranks + rank : Send::at_once;
      schedule.push_back({rank, to, part(bytes, ranks, to), after});
    }
  }
  return schedule;
}

Schedule all_to_all(std::uint32_t ranks, Bytes bytes, std::uint32_t window) {
  return ranks < 2 ? Schedule{} : all_to_some(ranks, bytes, window, ranks - 1);
}

}  // namespace peerpath::collective
