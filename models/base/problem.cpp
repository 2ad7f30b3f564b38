#include "peerpath/base/problem.hpp"

namespace peerpath {

std::string to_string(const Problem& problem) {
  std::string text;
  if (!problem.file.empty()) {
    text = problem.file;
    if (problem.line > 0) text += ':' + std::to_string(problem.line) + ':' + std::to_string(problem.column);
    text += ": ";
  }
  if (!problem.key.empty()) text += problem.key + ": ";
  return text + problem.message;
}

}  // namespace peerpath
