#include "tools/peerpath/command_line/terminal.hpp"

#include <unistd.h>

#include <algorithm>
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

constexpr std::string_view layout = "\n\t";

/// Text for a terminal, which obeys no control character in it but those that lay it out and our own colours.
std::string harmless(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto colour = std::min(text.find("\033["), text.size());
    out += printable(text.substr(0, colour), layout);
    text.remove_prefix(colour);
    const auto end = text.find_first_not_of("0123456789;", 2);
    if (text.empty()) break;
    const bool ours = end != text.npos && text[end] == 'm';
    out += ours ? std::string{text.substr(0, end + 1)} : printable(text.substr(0, 1));
    text.remove_prefix(ours ? end + 1 : 1);
  }
  return out;
}

void write(std::FILE* stream, std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream); }

std::string line(std::string text) {
  text += '\n';
  return text;
}

}  // namespace

Terminal::Terminal()
    : out_is_terminal_{isatty(STDOUT_FILENO) == 1},
      error_is_terminal_{isatty(STDERR_FILENO) == 1},
      colour_out_{colour_wanted(STDOUT_FILENO)},
      colour_error_{colour_wanted(STDERR_FILENO)} {}

void Terminal::data(std::string_view text) const {
  if (out_is_terminal_)
    write(stdout, harmless(text));
  else
    write(stdout, text);
}

void Terminal::say(std::string_view sentence) const {
  if (!quiet_) write(stderr, line(printable(sentence, layout)));
}

void Terminal::warn(std::string_view sentence) const {
  write(stderr, line(painted(Paint::yellow, "warning: ", colour_error_) + printable(sentence, layout)));
}

void Terminal::error(std::string_view sentence) const {
  write(stderr, line(painted(Paint::red, "error: ", colour_error_) + printable(sentence, layout)));
}

int Terminal::report(const Problems& problems) const {
  for (const auto& problem : problems) {
    const auto whole = to_string(problem);
    // The place, which editors jump to, is set in bold.
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
