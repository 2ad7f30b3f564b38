#include <array>

#include "peerpath/base/nearest.hpp"
#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/completion_script.hpp"

namespace peerpath::cli {

Exit completion(const Arguments& arguments, Terminal& terminal) {
  const auto& shell = arguments.words().front();
  if (shell == "bash")
    terminal.data(bash_completion(catalogue()));
  else if (shell == "zsh")
    terminal.data(zsh_completion(catalogue()));
  else if (shell == "fish")
    terminal.data(fish_completion(catalogue()));
  else {
    const auto near = nearest(shell, std::array<std::string_view, 3>{"bash", "zsh", "fish"});
    terminal.error("there is no completion for '" + shell + "'" +
                   (near.empty() ? "; use bash, zsh or fish" : "; did you mean '" + near + "'?"));
    return Exit::wrong_input;
  }
  return Exit::done;
}

}  // namespace peerpath::cli
