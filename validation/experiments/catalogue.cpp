#include "validation/experiments/catalogue.hpp"

namespace peerpath::experiments {

std::vector<Experiment> catalogue() {
  std::vector<Experiment> all;
  for (const auto part : {copies, accesses, signals, several_gpus, mixed, loads, link_bytes, gpu_sockets, nics})
    for (auto& experiment : part()) all.push_back(experiment);
  return all;
}

}  // namespace peerpath::experiments
