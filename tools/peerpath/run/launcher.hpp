// Which process of a parallel launcher (mpirun, srun) this is.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace peerpath::cli {

/// A process among those that a launcher started together.
struct Rank {
  std::size_t number = 0, of = 1;  ///< from 0
};

/// Asks the environment: OMPI_COMM_WORLD_RANK and _SIZE (Open MPI), PMI_RANK and PMI_SIZE (MPICH, Intel MPI),
/// SLURM_PROCID and SLURM_STEP_NUM_TASKS (srun; a batch script outside of srun has no SLURM_STEP_NUM_TASKS). No MPI
/// library is needed. None without a launcher, and for a launcher's only process.
std::optional<Rank> launcher_rank(const std::function<const char*(const char*)>& environment);

}  // namespace peerpath::cli
