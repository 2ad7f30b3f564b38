#include "tools/peerpath/run/launched.hpp"

#include <cstdlib>

#include "tools/peerpath/run/launcher.hpp"
#include "tools/peerpath/run/mpi_ranks.hpp"
#include "tools/peerpath/run/rank_agreement.hpp"

namespace peerpath::cli {
namespace {

/// Rank 0 alone runs what cannot be shared.
tl::expected<Part, std::string> left_to_rank_0(const study::Subject& subject, const Rank& rank) {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return Part{};
  const auto ranks = join_ranks(rank);
  if (!ranks) return Part{};  // without Open MPI's library each process is by itself
  if (const auto why = disagreement(**ranks, subject.written().dump()); !why.empty()) return tl::unexpected{why};
  return Part{{}, rank.number != 0};
}

}  // namespace

bool speaks_for_all() {
  const auto rank = launcher_rank(&std::getenv);
  return !rank || rank->number == 0;
}

tl::expected<Part, std::string> part_in(const study::Subject& subject, const RunArguments& wanted) {
  const auto rank = launcher_rank(&std::getenv);
  if (!rank) return Part{};
  if (!subject.runs_on_ranks()) return left_to_rank_0(subject, *rank);
  if (!wanted.trace.formats.empty())
    return tl::unexpected{std::string{"--trace works with a single process: run without the launcher"}};
  if (wanted.what_if)
    return tl::unexpected{std::string{"--what-if starts processes of its own: run without the launcher"}};
  auto ranks = join_ranks(*rank);
  if (!ranks) return tl::unexpected{ranks.error()};
  if (const auto why = disagreement(**ranks, subject.written().dump()); !why.empty()) return tl::unexpected{why};
  return Part{std::move(*ranks), false};
}

}  // namespace peerpath::cli
