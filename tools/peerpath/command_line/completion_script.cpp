#include "tools/peerpath/command_line/completion_script.hpp"

namespace peerpath::cli {
namespace {

std::string joined(std::span<const Command> commands) {
  std::string names;
  for (const auto& command : commands) names += (names.empty() ? "" : " ") + std::string{command.name};
  return names;
}

std::string options(const Command& command) {
  std::string names = "--help";
  for (const auto& option : command.options) names += " " + std::string{option.name};
  return names;
}

/// Shell words that yield the candidates; "" where the shell's file names are wanted.
std::string candidates(Word word, Choices choices) {
  if (choices != nullptr) {
    std::string all;
    for (const auto each : choices()) all += (all.empty() ? "" : " ") + std::string{each};
    return all;
  }
  if (word == Word::scenario) return "$(peerpath list scenarios 2>/dev/null | cut -d' ' -f1)";
  if (word == Word::topic) return "$(peerpath list devices 2>/dev/null | cut -d' ' -f1) link traffic run expect";
  return "";
}

bool takes_files(Word word) { return word == Word::file || word == Word::folder || word == Word::scenario; }

/// A case of the bash function: the options and words that this subcommand takes.
std::string bash_case(const Command& command) {
  std::string text = "    " + std::string{command.name} + ")\n      case \"$before\" in\n";
  for (const auto& option : command.options) {
    if (option.value.empty()) continue;
    text += "        " + std::string{option.name} + ") words=\"" + candidates(option.word, option.choices) +
            "\"; files=" + (takes_files(option.word) ? "yes" : "no") + " ;;\n";
  }
  text += "        *) words=\"" + options(command) + " " +
          candidates(command.positional.word, command.positional.choices) +
          "\"; files=" + (takes_files(command.positional.word) ? "yes" : "no") + " ;;\n      esac ;;\n";
  return text;
}

/// Text between single quotes of a shell.
std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return result + "'";
}

/// Text inside a zsh option specification, where brackets and colons mean something.
std::string zsh_doc(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(Word word, Choices choices) {
  if (choices != nullptr) return "(" + candidates(word, choices) + ")";
  switch (word) {
    case Word::text:
      return " ";
    case Word::file:
      return "_files";
    case Word::folder:
      return "_files -/";
    case Word::scenario:
      return "_peerpath_scenarios";
    case Word::topic:
      break;
  }
  return "(" + candidates(word, choices) + ")";
}

}  // namespace

std::string bash_completion(std::span<const Command> commands) {
  std::string text =
      "# bash completion of peerpath; source it, or put it into bash-completion's folder as `peerpath`.\n"
      "_peerpath() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" words=\"\" files=no\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      joined(commands) +
      " --help --version\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]}\" in\n";
  for (const auto& command : commands) text += bash_case(command);
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  [ $files = yes ] && COMPREPLY+=($(compgen -f -- \"$current\"))\n"
         "}\n"
         "complete -o filenames -F _peerpath peerpath\n";
}

std::string zsh_completion(std::span<const Command> commands) {
  std::string text =
      "#compdef peerpath\n"
      "# zsh completion of peerpath; put it into a folder of $fpath as `_peerpath`.\n"
      "_peerpath_scenarios() {\n"
      "  compadd -- $(peerpath list scenarios 2>/dev/null | cut -d' ' -f1)\n"
      "  _files\n"
      "}\n"
      "_peerpath() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands=(\n";
  for (const auto& command : commands)
    text += "      " + shell_quoted(std::string{command.name} + ":" + zsh_doc(command.doc)) + "\n";
  text += "    )\n    _describe command commands\n    return\n  fi\n  case ${words[2]} in\n";
  for (const auto& command : commands) {
    text += "    " + std::string{command.name} + ") _arguments";
    for (const auto& option : command.options)
      text += " \\\n      " + shell_quoted((option.repeatable ? "*" : "") + std::string{option.name} + "[" +
                                           zsh_doc(doc_of(option)) + "]" +
                                           (option.value.empty() ? ""
                                                                 : ":" + std::string{option.value} + ":" +
                                                                       zsh_action(option.word, option.choices)));
    if (command.positional.most > 0)
      text += " \\\n      " + shell_quoted("*:" + std::string{command.positional.name} + ":" +
                                           zsh_action(command.positional.word, command.positional.choices));
    text += " ;;\n";
  }
  return text + "  esac\n}\ncompdef _peerpath peerpath\n";
}

std::string fish_completion(std::span<const Command> commands) {
  std::string text =
      "# fish completion of peerpath; put it into ~/.config/fish/completions/peerpath.fish.\ncomplete -c peerpath -f\n";
  for (const auto& command : commands) {
    text += "complete -c peerpath -n __fish_use_subcommand -a " + std::string{command.name} + " -d " +
            shell_quoted(command.doc) + "\n";
    const auto after = "complete -c peerpath -n '__fish_seen_subcommand_from " + std::string{command.name} + "'";
    for (const auto& option : command.options) {
      text += after + " -l " + std::string{option.name.substr(2)} + " -d " + shell_quoted(doc_of(option));
      if (!option.value.empty()) text += takes_files(option.word) ? " -rF" : " -x";
      if (const auto words = candidates(option.word, option.choices); !words.empty())
        text += " -a " + shell_quoted(words);
      text += "\n";
    }
    const auto word = command.positional.word;
    // fish spells command substitution without the dollar sign.
    auto words = candidates(word, command.positional.choices);
    if (words.starts_with("$")) words.erase(0, 1);
    if (!words.empty()) text += after + " -a " + shell_quoted(words) + "\n";
    if (takes_files(word)) text += after + " -F\n";
  }
  return text;
}

}  // namespace peerpath::cli
