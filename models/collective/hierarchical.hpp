// Collectives that go over the links inside servers, and between servers by a rail for each GPU of a server.
#pragma once

#include "collective/schedule.hpp"

namespace peerpath::collective {

/// Servers of as many GPUs. Rank s * gpus + i is GPU i of server s; its rail are all GPUs i.
struct Servers {
  std::uint32_t count = 1, gpus = 1;
  std::uint32_t ranks() const { return count * gpus; }
};

/// A ReduceScatter round the GPUs of each server, an AllReduce of a GPU's part over its rail, by a ring or two trees,
/// and an AllGather round the GPUs: a NIC has to send 2 (n - 1) / n of a g-th of `bytes`, for n servers of g GPUs, and
/// a GPU 2 (g - 1) / g of them over the links inside.
Schedule hierarchical_all_reduce(Servers servers, Bytes bytes, bool trees);
/// Round each rail, then round the GPUs of each server.
Schedule hierarchical_all_gather(Servers servers, Bytes bytes);
/// Round the GPUs of each server, then round each rail.
Schedule hierarchical_reduce_scatter(Servers servers, Bytes bytes);

/// AlltoAll of those sizes ([from * ranks + to]) where no message changes rails outside: what GPU a of a server has for
/// GPU b of another goes inside to its own GPU b, which sends what all of its server have for that one together (NCCL's
/// PXN, "Doubling all2all performance with NCCL 2.12", NVIDIA 2022). `window` messages of a GPU over its rail are on
/// their way at a time.
Schedule rail_all_to_all(Servers servers, const std::vector<Bytes>& sizes, std::uint32_t window);

}  // namespace peerpath::collective
