#include "validation/gpunet/run/shares.hpp"

#include <algorithm>

namespace peerpath::gpunet::run {

std::vector<Share> open_shares(const Trial& trial, const Job& job) {
  std::vector<Share> shares;
  for (int n = 0; n < job.nodes; ++n) {
    auto size = job.size;
    size.blocks = 2 * job.mappers;
    Share share{trial.open(n, size, {}), {}};
    share.task.job = job.what;
    share.task.address = trial.address;
    share.task.bytes = job.input.size();
    share.task.first = static_cast<std::uint32_t>(n) * job.mappers;
    share.task.workers = job.workers();
    auto* input = share.node->allocate(job.input.size());
    share.node->write(input, job.input.data(), job.input.size());
    share.task.input = input;
    share.task.results = reinterpret_cast<std::uint64_t*>(share.node->allocate(size.blocks * sizeof(std::uint64_t)));
    shares.push_back(std::move(share));
  }
  return shares;
}

bool run_shares(std::vector<Share>& shares, unsigned mappers, unsigned threads, double& seconds) {
  const auto start = Clock::now();
  bool right = true;
  for (auto& share : shares) share.node->launch(share.task, 2 * mappers, threads);
  for (auto& share : shares) right = share.node->wait(60) && right;
  seconds = std::chrono::duration<double>{Clock::now() - start}.count();
  for (auto& share : shares) {
    std::vector<std::uint64_t> results(2 * mappers);
    share.node->read(results.data(), reinterpret_cast<const unsigned char*>(share.task.results), results.size() * 8);
    right = right && std::ranges::all_of(results, [](auto result) { return result == 0; });
  }
  return right;
}

}  // namespace peerpath::gpunet::run
