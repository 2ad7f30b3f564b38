#include "collective/schedule.hpp"

namespace peerpath::collective {
namespace {

/// A rank of a tree and its parent; the root has itself.
struct Hung {
  std::uint32_t rank = 0, parent = 0;
};

/// Ranks from `first` to before `last` with their parents, each behind its parent.
void hang(std::uint32_t first, std::uint32_t last, std::uint32_t parent, std::vector<Hung>& out) {
  if (first == last) return;
  const auto middle = first + (last - first) / 2;
  out.push_back({middle, parent});
  hang(first, middle, middle, out);
  hang(middle + 1, last, middle, out);
}

void wait_for(Send& send, std::uint32_t cause) {
  if (cause == Send::at_once) return;
  (send.after == Send::at_once ? send.after : send.also) = cause;
}

/// One tree; `name`: the rank that stands at a place of it.
template <class Name>
void add_tree(std::uint32_t ranks, Bytes bytes, const Name& name, Schedule& out) {
  std::vector<Hung> tree;
  hang(0, ranks, ranks / 2, tree);
  // By place: messages that bring what its children have, and the one that brings the sum.
  std::vector<Send> waiting(ranks);
  std::vector<std::uint32_t> sum(ranks, Send::at_once);
  for (auto i = tree.size(); i-- > 1;) {
    auto send = waiting[tree[i].rank];
    send.from = name(tree[i].rank);
    send.to = name(tree[i].parent);
    send.bytes = bytes;
    wait_for(waiting[tree[i].parent], static_cast<std::uint32_t>(out.size()));
    out.push_back(send);
  }
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const auto parent = tree[i].parent;
    Send send{name(parent), name(tree[i].rank), bytes};
    if (parent == tree.front().rank) {
      send.after = waiting[parent].after;
      send.also = waiting[parent].also;
    } else {
      send.after = sum[parent];
    }
    sum[tree[i].rank] = static_cast<std::uint32_t>(out.size());
    out.push_back(send);
  }
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

Schedule ring_reduce_scatter(std::uint32_t ranks, Bytes bytes) { return ring_all_gather(ranks, bytes); }

Schedule tree_all_reduce(std::uint32_t ranks, Bytes bytes) {
  Schedule schedule;
  if (ranks < 2) return schedule;
  const auto half = part(bytes, 2, 0);
  add_tree(
      ranks, half, [](std::uint32_t place) { return place; }, schedule);
  add_tree(
      ranks, bytes - half, [&](std::uint32_t place) { return ranks - 1 - place; }, schedule);
  return schedule;
}

Schedule chain_broadcast(std::uint32_t ranks, Bytes bytes, std::uint32_t root) {
  Schedule schedule;
  for (std::uint32_t i = 0; i + 1 < ranks; ++i)
    schedule.push_back({(root + i) % ranks, (root + i + 1) % ranks, bytes, i == 0 ? Send::at_once : i - 1});
  return schedule;
}

Schedule in_slices(const Schedule& whole, std::uint32_t slices) {
  return in_slices(whole, slices, {static_cast<std::uint32_t>(whole.size())});
}

Schedule in_slices(const Schedule& whole, std::uint32_t slices, const std::vector<std::uint32_t>& ends) {
  Schedule schedule;
  schedule.reserve(whole.size() * slices);
  struct Place {
    std::uint32_t first = 0, apart = 0;  ///< of its slices
  };
  std::vector<Place> places;
  places.reserve(whole.size());
  std::uint32_t begin = 0;
  for (const auto end : ends) {
    for (auto i = begin; i < end; ++i) places.push_back({begin * slices + i - begin, end - begin});
    for (std::uint32_t slice = 0; slice < slices; ++slice)
      for (auto i = begin; i < end; ++i) {
        const auto& send = whole[i];
        const auto behind = [&](std::uint32_t cause) {
          return cause == Send::at_once ? cause : places[cause].first + slice * places[cause].apart;
        };
        schedule.push_back(
            {send.from, send.to, part(send.bytes, slices, slice), behind(send.after), behind(send.also)});
      }
    begin = end;
  }
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

Schedule all_to_all_v(std::uint32_t ranks, const std::vector<Bytes>& sizes, std::uint32_t window) {
  Schedule schedule;
  std::vector<std::vector<std::uint32_t>> sent(ranks);
  for (std::uint32_t distance = 1; distance < ranks; ++distance)
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto to = (rank + distance) % ranks;
      const auto bytes = sizes[std::size_t{rank} * ranks + to];
      if (bytes == Bytes{}) continue;
      auto& mine = sent[rank];
      const auto after = mine.size() >= window ? mine[mine.size() - window] : Send::at_once;
      mine.push_back(static_cast<std::uint32_t>(schedule.size()));
      schedule.push_back({rank, to, bytes, after});
    }
  return schedule;
}

std::vector<Bytes> equal_sizes(std::uint32_t ranks, Bytes bytes) {
  std::vector<Bytes> sizes;
  for (std::uint32_t from = 0; from < ranks; ++from)
    for (std::uint32_t to = 0; to < ranks; ++to) sizes.push_back(part(bytes, ranks, to));
  return sizes;
}

}  // namespace peerpath::collective
