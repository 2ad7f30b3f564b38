#include "tools/peerpath/command_line/refusal.hpp"

#include <algorithm>

#include "tools/peerpath/command_line/catalogue.hpp"

namespace peerpath::cli {

std::string refusal(const Arguments& arguments, std::string_view command, std::string_view kind,
                    std::string_view backend) {
  const auto found = std::ranges::find(catalogue(), command, &Command::name);
  for (const auto& option : found->options) {
    if (!arguments.has(option.name)) continue;
    const std::string name{option.name};
    if (!option.only.subjects.empty() && option.only.subjects != kind)
      return name + " requires a " + std::string{option.only.subjects} + " scenario; this is a " + std::string{kind} +
             " scenario";
    if (!option.only.backends.empty() && std::ranges::find(option.only.backends, backend) == option.only.backends.end())
      return name + " requires the " + std::string{option.only.backends.front()} + "; it is not available with --on " +
             std::string{backend};
  }
  return {};
}

}  // namespace peerpath::cli
