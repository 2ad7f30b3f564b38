#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

std::string doc_of(const Option& option) {
  std::string only;
  if (!option.only.subjects.empty()) only = "for " + std::string{option.only.subjects.back()};
  for (const auto backend : option.only.backends)
    only += (backend == option.only.backends.front() ? (only.empty() ? "on the " : " on the ") : " or ") +
            std::string{backend};
  return std::string{option.doc} + (only.empty() ? "" : " (" + only + ")");
}

}  // namespace peerpath::cli
