// Collectives that go over the links inside servers, and between servers by a rail for each GPU of a server.
#pragma once

#include "collective/schedule.hpp"

namespace peerpath::collective {

/// Servers of as many GPUs. Rank s * gpus + i is GPU i of server s; its rail are all GPUs i.
struct Servers {
  std::uint32_t count = 1, gpus = 1;
  std::uint32_t ranks() const { return count * gpus; }
};

/// Order in which an AllGather's parts go round the GPUs of a server, which are numbered so. Where the lowest number
/// that is ready goes first, the part from the farthest server should: the last to come must not wait for others.
/// Through buffers messages go in the order of the schedule, ready or not, so it has to be that in which parts come.
enum class Order : std::uint8_t { farthest_first, as_they_come };

/// An AllGather of a part of each GPU: the part goes round its rail, and in each server round the GPUs as soon as it
/// has come there.
Schedule hierarchical_all_gather(Servers servers, Bytes bytes, std::uint32_t slices = 1,
                                 Order order = Order::farthest_first);
/// Its mirror image in time: a part is summed round the GPUs of a server, then with the sums that come on its rail.
Schedule hierarchical_reduce_scatter(Servers servers, Bytes bytes, std::uint32_t slices = 1);
/// One after the other; or, with two trees on each rail between servers, a ReduceScatter in each server before those
/// and an AllGather after. A NIC has to send 2 (n - 1) / n of a g-th of `bytes`, for n servers of g GPUs, and a GPU 2
/// (g - 1) / g of them over the links inside.
Schedule hierarchical_all_reduce(Servers servers, Bytes bytes, bool trees, std::uint32_t slices = 1,
                                 Order order = Order::farthest_first);

struct Pattern;
/// That of the pattern.
Schedule hierarchical(const Pattern& pattern, Order order);

/// AlltoAll of those sizes ([from * ranks + to]) where no message changes rails outside: what GPU a of a server has for
/// GPU b of another goes inside to its own GPU b, which sends what all of its server have for that one together (NCCL's
/// PXN, "Doubling all2all performance with NCCL 2.12", NVIDIA 2022). `window` messages of a GPU over its rail are on
/// their way at a time.
Schedule rail_all_to_all(Servers servers, const std::vector<Bytes>& sizes, std::uint32_t window);

}  // namespace peerpath::collective
