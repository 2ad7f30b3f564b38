#include "tools/peerpath/located.hpp"

namespace peerpath::cli {

Problem located(Problem problem, const scenario::Loaded& loaded) {
  if (problem.key.starts_with("--")) return problem;  // the command line's, not the scenario's
  const auto origin = loaded.origins.find(problem.key);
  problem.file = loaded.file.string();
  if (origin == loaded.origins.end() || origin->second.file.empty()) return problem;
  problem.file = (loaded.file.parent_path() / origin->second.file).lexically_normal().string();
  problem.line = origin->second.line;
  problem.column = origin->second.column;
  return problem;
}

}  // namespace peerpath::cli
