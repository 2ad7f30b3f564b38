#include "tools/peerpath/command_line/refusal.hpp"

#include <algorithm>

#include "tools/peerpath/command_line/catalogue.hpp"

namespace peerpath::cli {

std::string refusal(const Arguments& arguments, std::string_view command, std::string_view subject,
                    std::string_view backend) {
  const auto found = std::ranges::find(catalogue(), command, &Command::name);
  for (const auto& option : found->options) {
    if (!arguments.has(option.name)) continue;
    const std::string name{option.name};
    const auto& [subjects, backends] = option.only;
    if (!subjects.empty() && std::ranges::find(subjects, subject) == subjects.end())
      return name + " requires " + std::string{subjects.back()} + "; this is " + std::string{subject};
    if (!backends.empty() && std::ranges::find(backends, backend) == backends.end())
      return name + " requires the " + std::string{backends.front()} + "; it is not available with --on " +
             std::string{backend};
  }
  return {};
}

}  // namespace peerpath::cli
