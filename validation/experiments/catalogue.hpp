// All experiments. A new one is a row in a table of its file; a new file is one line in catalogue.cpp.
#pragma once

#include "validation/experiments/experiment.hpp"

namespace peerpath::experiments {

std::vector<Experiment> copies();        ///< copies.cpp
std::vector<Experiment> accesses();      ///< accesses.cpp: loads, stores and atomics of kernels
std::vector<Experiment> signals();       ///< signals.cpp: flags, doorbell, launch, interrupt
std::vector<Experiment> several_gpus();  ///< several_gpus.cpp
std::vector<Experiment> gpu_sockets();   ///< gpu_sockets.cpp: by validation/gpunet
std::vector<Experiment> mixed();         ///< mixed.cpp: several kinds of traffic at once
std::vector<Experiment> loads();         ///< loads.cpp: stores beside copies, and all kinds at once
std::vector<Experiment> link_bytes();    ///< link_bytes.cpp: bytes on the link by the GPU's own counters
std::vector<Experiment> nics();          ///< nics.cpp: with another machine

std::vector<Experiment> catalogue();

}  // namespace peerpath::experiments
