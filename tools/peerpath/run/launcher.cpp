#include "tools/peerpath/run/launcher.hpp"

#include <array>

#include "tools/peerpath/command_line/whole_number.hpp"

namespace peerpath::cli {

std::optional<Rank> launcher_rank(const std::function<const char*(const char*)>& environment) {
  struct Names {
    const char *rank, *size;
  };
  // mpirun below Slurm sets its own pair beside Slurm's, so its pair comes first.
  static constexpr std::array launchers{Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                        Names{"PMI_RANK", "PMI_SIZE"}, Names{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const Names& names : launchers) {
    const char* rank = environment(names.rank);
    const char* size = environment(names.size);
    if (rank == nullptr || size == nullptr) continue;
    const auto number = whole_number(rank, 0), of = whole_number(size, 1);
    if (!number || !of || *number >= *of) continue;
    if (*of == 1) return std::nullopt;
    return Rank{static_cast<std::size_t>(*number), static_cast<std::size_t>(*of)};
  }
  return std::nullopt;
}

}  // namespace peerpath::cli
