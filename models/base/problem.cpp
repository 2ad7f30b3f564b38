#include "peerpath/base/problem.hpp"

namespace peerpath {
namespace {

/// Bytes of the UTF-8 sequence that starts here; 0 if none does.
std::size_t sequence(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  for (const char c : text.substr(0, length).substr(length > 0 ? 1 : 0))
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) return 0;
  return length;
}

std::string hex(unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {digits[byte >> 4], digits[byte & 15]};
}

std::string spelt(unsigned char control) {
  if (control == '\n') return "\\n";
  if (control == '\t') return "\\t";
  return control == '\r' ? "\\r" : "\\x" + hex(control);
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    const auto length = sequence(text);
    const auto first = static_cast<unsigned char>(text.front());
    const auto second = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0;
    if (length == 0 || (length == 1 && (first < 0x20 || first == 0x7f) && kept.find(text.front()) == kept.npos))
      out += spelt(first);
    else if (length == 2 && first == 0xc2 && second < 0xa0)  // the control characters of ISO 6429, U+0080 to U+009F
      out += "\\u00" + hex(second);
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string to_string(const Problem& problem) {
  std::string text;
  if (!problem.file.empty()) {
    text = problem.file;
    if (problem.line > 0) text += ':' + std::to_string(problem.line) + ':' + std::to_string(problem.column);
    text += ": ";
  }
  if (!problem.key.empty()) text += problem.key + ": ";
  return printable(text + problem.message);
}

}  // namespace peerpath
