// peerpath: the command line.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "tools/peerpath/command_line/arguments.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"

namespace peerpath::cli {
namespace {

/// Data that could not be written (a full disk, a closed pipe) must not look like success.
Exit written(Exit exit, const Terminal& terminal) {
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return exit;
  terminal.error("standard output could not be written completely");
  return exit == Exit::done ? Exit::wrong_input : exit;
}

Exit answer(const Message& message, const Terminal& terminal) {
  if (message.exit == Exit::done)
    terminal.data(message.text);
  else
    terminal.error(message.text);
  return message.exit;
}

Exit dispatch(int argc, const char* const* argv) {
  Terminal terminal;
  const auto parsed = parse(argc, argv, catalogue());
  if (const auto* message = std::get_if<Message>(&parsed)) return written(answer(*message, terminal), terminal);
  const auto& [command, arguments] = std::get<Invocation>(parsed);
  terminal.set_quiet(arguments.has("--quiet"));
  return written(command->run(arguments, terminal), terminal);
}

}  // namespace
}  // namespace peerpath::cli

// SystemC brings a main of its own that would call sc_main; this one comes first.
int main(int argc, char** argv) {
  using peerpath::cli::Exit;
  try {
    return static_cast<int>(peerpath::cli::dispatch(argc, argv));
  } catch (const std::filesystem::filesystem_error& e) {
    std::fprintf(stderr, "peerpath: %s\n", peerpath::printable(e.what()).c_str());
    return static_cast<int>(Exit::wrong_input);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "peerpath: bug: %s\n", e.what());
  } catch (...) {
    std::fputs("peerpath: bug: an exception of unknown type\n", stderr);
  }
  return static_cast<int>(Exit::bug);
}
