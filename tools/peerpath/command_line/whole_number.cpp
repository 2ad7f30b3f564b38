#include "tools/peerpath/command_line/whole_number.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>

namespace peerpath::cli {

std::optional<int> whole_number(std::string_view text, int least) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least) return std::nullopt;
  return number;
}

std::optional<int> jobs_of(const std::optional<std::string>& text, const Terminal& terminal) {
  if (text) {
    const auto jobs = whole_number(*text, 1);
    if (jobs && *jobs <= 1024) return jobs;
    terminal.error("--jobs takes a whole number from 1 to 1024, such as --jobs 4, not '" + *text + "'");
    return std::nullopt;
  }
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(CPU_COUNT(&set), 1) : 1;
}

}  // namespace peerpath::cli
