#include "tools/peerpath/terminal.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace peerpath::cli {
namespace {

bool colour_wanted(int stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term == nullptr || std::string_view{term} == "dumb") return false;
  return isatty(stream) == 1;
}

void write(std::FILE* stream, std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream); }

std::string line(std::string text) {
  text += '\n';
  return text;
}

}  // namespace

Terminal::Terminal()
    : error_is_terminal_{isatty(STDERR_FILENO) == 1},
      colour_out_{colour_wanted(STDOUT_FILENO)},
      colour_error_{colour_wanted(STDERR_FILENO)} {}

void Terminal::data(std::string_view text) const { write(stdout, text); }

void Terminal::say(std::string_view sentence) const {
  if (!quiet_) write(stderr, line(std::string{sentence}));
}

void Terminal::warn(std::string_view sentence) const {
  write(stderr, line(painted(Paint::yellow, "warning: ", colour_error_) + std::string{sentence}));
}

void Terminal::error(std::string_view sentence) const {
  write(stderr, line(painted(Paint::red, "error: ", colour_error_) + std::string{sentence}));
}

int Terminal::report(const Problems& problems) const {
  for (const auto& problem : problems) {
    const auto whole = to_string(problem);
    // The place is what an editor jumps to; it stands out, the rest is for reading.
    const auto place = problem.file.empty() ? std::size_t{0} : whole.find(": ");
    if (place == std::string::npos)
      write(stderr, line(whole));
    else
      write(stderr, line(painted(Paint::bold, whole.substr(0, place), colour_error_) + whole.substr(place)));
  }
  return static_cast<int>(problems.size());
}

std::string Terminal::painted(Paint paint, std::string_view text, bool colour) {
  const auto code = [paint] {
    switch (paint) {
      case Paint::bold:
        return "\033[1m";
      case Paint::dim:
        return "\033[2m";
      case Paint::red:
        return "\033[1;31m";
      case Paint::green:
        return "\033[32m";
      case Paint::yellow:
        return "\033[33m";
      case Paint::plain:
        break;
    }
    return "";
  }();
  if (!colour || paint == Paint::plain) return std::string{text};
  return code + std::string{text} + "\033[0m";
}

}  // namespace peerpath::cli
