// From argv to a subcommand and its arguments.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

/// A subcommand that is to be run.
struct Invocation {
  const Command* command = nullptr;
  Arguments arguments;
};

/// The user asked for text (help, version), or wrote something wrong.
struct Message {
  std::string text;
  Exit exit = Exit::done;
};

std::variant<Invocation, Message> parse(int argc, const char* const* argv, std::span<const Command> commands);

}  // namespace peerpath::cli
