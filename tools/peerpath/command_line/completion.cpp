#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/completion_script.hpp"

namespace peerpath::cli {

Exit completion(const Arguments& arguments, Terminal& terminal) {
  const auto& shell = arguments.words().front();
  terminal.data(shell == "bash"  ? bash_completion(catalogue())
                : shell == "zsh" ? zsh_completion(catalogue())
                                 : fish_completion(catalogue()));
  return Exit::done;
}

}  // namespace peerpath::cli
