// A MapReduce job over nodes: each has a share of the workers, every one of which is a mapper's block and a reducer's.
#pragma once

#include <span>
#include <vector>

#include "validation/gpunet/run/trials.hpp"

namespace peerpath::gpunet::run {

struct Share {
  std::unique_ptr<Node> node;
  apps::Task task;
};

struct Job {
  apps::Job what = apps::Job::count_words;
  int nodes = 1;
  unsigned mappers = 1;  ///< of each node
  Dimensions size;       ///< of each node's net; `blocks` is set
  std::span<const unsigned char> input;
  std::uint32_t workers() const { return static_cast<std::uint32_t>(nodes) * mappers; }
};

/// Nodes with the input, and with a word of `results` for each block; what else the job needs is the caller's.
std::vector<Share> open_shares(const Trial& trial, const Job& job);

/// Runs them all. False if a node took longer than a minute, or if a block left anything but 0 in its result.
bool run_shares(std::vector<Share>& shares, unsigned mappers, unsigned threads, double& seconds);

}  // namespace peerpath::gpunet::run
