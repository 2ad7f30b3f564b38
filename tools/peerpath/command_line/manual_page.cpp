#include "tools/peerpath/command_line/manual_page.hpp"

#include "tools/peerpath/command_line/version.hpp"

namespace peerpath::cli {
namespace {

/// Text as man(7) wants it: "-" would be a hyphen that nobody can copy, and a point at the start of a line a macro.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if ((c == '.' || c == '\'') && result.empty())
      result += std::string{"\\&"} + c;
    else
      result += c;
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string paragraph(const std::string& head, std::string_view text) {
  return ".TP\n" + head + "\n" + escaped(text) + "\n";
}

std::string option(const Option& option) {
  std::string head = option.letter.empty() ? "" : bold(option.letter) + ", ";
  head += bold(option.name);
  if (!option.value.empty()) head += " " + italic(option.value);
  return paragraph(head, doc_of(option));
}

std::string words_of(const Positional& positional) {
  if (positional.most == 0) return "";
  auto words = italic(positional.name);
  if (positional.most > 1) words += " ...";
  return positional.least == 0 ? " [" + words + "]" : " " + words;
}

std::string section(const Command& command) {
  auto text = ".SS \"peerpath " + escaped(command.name) + "\"\n";
  text += bold("peerpath " + std::string{command.name}) + (command.options.empty() ? "" : " [options]") +
          words_of(command.positional) + "\n.PP\n" + escaped(command.doc) + ".\n";
  if (command.positional.most > 0) text += paragraph(italic(command.positional.name), command.positional.doc);
  for (const auto& each : command.options) text += option(each);
  return text;
}

}  // namespace

std::string manual_page(std::span<const Command> commands) {
  auto text = ".TH PEERPATH 1 \"\" \"peerpath " + escaped(version()) + "\"\n";
  text += ".SH NAME\npeerpath \\- simulates data paths from a NIC through PCIe into GPU memory\n";
  text += ".SH SYNOPSIS\n" + bold("peerpath") + " " + italic("command") + " [options] [words]\n.br\n" +
          bold("peerpath") + " " + italic("command") + " " + bold("--help") + "\n.br\n" + bold("peerpath --version") +
          "\n";
  text += ".SH DESCRIPTION\n" +
          escaped(
              "Simulates NIC, PCIe switches, root complex, GPU and host memory TLP by TLP from one JSON scenario, and "
              "prints goodput, latency, the path of the payload and the bottleneck. Results go to standard output, "
              "progress and problems to standard error.") +
          "\n.SH COMMANDS\n";
  for (const auto& command : commands) text += section(command);
  text += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] :
       {std::pair{Exit::done, "done, every expectation holds"},
        std::pair{Exit::expectation_failed, "an expectation or a comparison failed"},
        std::pair{Exit::wrong_input, "wrong scenario or command line; every problem is listed"},
        std::pair{Exit::waived, "equipment is missing; waived, with the reason"},
        std::pair{Exit::drifted, "every expectation holds, but metrics have drifted from the baseline (peerpath test)"},
        std::pair{Exit::bug, "a bug of peerpath"},
        std::pair{Exit::interrupted, "interrupted; partial results are kept and marked incomplete"}})
    text += paragraph(bold(std::to_string(static_cast<int>(status))), meaning);
  return text;
}

}  // namespace peerpath::cli
