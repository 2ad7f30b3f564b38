#include "study/located.hpp"

namespace peerpath::study {

Problem located(Problem problem, const scenario::Loaded& loaded) {
  return located(std::move(problem), loaded.file, loaded.origins);
}

Problem located(Problem problem, const std::filesystem::path& file,
                const std::map<std::string, scenario::Origin>& origins) {
  if (problem.key.starts_with("--")) return problem;  // the command line's, not the scenario's
  const auto origin = origins.find(problem.key);
  problem.file = file.string();
  if (origin == origins.end() || origin->second.file.empty()) return problem;
  problem.file = (file.parent_path() / origin->second.file).lexically_normal().string();
  problem.line = origin->second.line;
  problem.column = origin->second.column;
  return problem;
}

}  // namespace peerpath::study
