// The only file that knows CLI11.
#include "tools/peerpath/command_line/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>

#include "peerpath/base/nearest.hpp"
#include "study/text/split_list.hpp"
#include "tools/peerpath/command_line/version.hpp"

namespace peerpath::cli {
namespace {

std::vector<std::string_view> names_of(std::span<const Command> commands) {
  std::vector<std::string_view> names;
  for (const auto& command : commands) names.push_back(command.name);
  return names;
}

std::string with_suggestion(std::string sentence, std::string_view word, const std::vector<std::string_view>& names,
                            std::string_view otherwise) {
  const auto near = nearest(word, names);
  sentence += near.empty() ? "; " + std::string{otherwise} : "; did you mean '" + near + "'?";
  return sentence;
}

Message unknown_command(std::string_view word, std::span<const Command> commands) {
  return {with_suggestion("there is no subcommand '" + std::string{word} + "'", word, names_of(commands),
                          "`peerpath --help` lists them"),
          Exit::wrong_input};
}

Message unknown_option(const std::string& flag, const Command& command) {
  std::vector<std::string_view> names{"--help"};
  for (const auto& option : command.options) names.push_back(option.name);
  return {with_suggestion("'" + std::string{command.name} + "' has no option '" + flag + "'", flag, names,
                          "`peerpath " + std::string{command.name} + " --help` lists them"),
          Exit::wrong_input};
}

/// CLI11 says "SCENARIO: At least 3 required but received 2" of words that have no options.
std::string missing_words(const Command& command) {
  const auto& positional = command.positional;
  const auto count = std::to_string(positional.least);
  return "'" + std::string{command.name} + "' needs " + (positional.least < positional.most ? "at least " : "") +
         count + (positional.least == 1 ? " argument: " : " arguments: ") + std::string{positional.doc};
}

std::string flag_of(std::string_view word) { return std::string{word.substr(0, word.find('='))}; }

const Option* option_of(const Command& command, std::string_view flag) {
  const auto found = std::ranges::find_if(command.options, [flag](const Option& option) {
    return option.name == flag || (!option.letter.empty() && option.letter == flag);
  });
  return found == command.options.end() ? nullptr : &*found;
}

/// Whether the word behind this one is the value of the option.
bool takes_next(const Option& option, std::string_view word) {
  return !option.value.empty() && word.find('=') == word.npos;
}

/// The words with the name of the subcommand first: options may stand before it, as in `peerpath --json list devices`.
std::vector<const char*> command_first(std::vector<const char*> words, std::span<const Command> commands) {
  for (std::size_t n = 1; n < words.size(); ++n) {
    const auto command = std::ranges::find(commands, std::string_view{words[n]}, &Command::name);
    if (command == commands.end()) continue;
    std::size_t at = 0;
    while (at < n) {
      const auto* option = option_of(*command, flag_of(words[at]));
      if (option == nullptr) break;
      at += takes_next(*option, words[at]) ? 2 : 1;
    }
    if (at != n) continue;
    std::rotate(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n),
                words.begin() + static_cast<std::ptrdiff_t>(n) + 1);
    return words;
  }
  return words;
}

/// The first option that the subcommand does not have. Looked for before CLI11 parses, which would count the value of
/// an unknown option as a word too many.
std::optional<Message> find_unknown_option(std::span<const char* const> words, const Command& command) {
  for (std::size_t n = 0; n < words.size(); ++n) {
    const std::string_view word = words[n];
    if (word == "--") break;
    if (!word.starts_with("-") || word == "-") continue;
    const auto flag = flag_of(word);
    const auto* known = option_of(command, flag);
    if (known == nullptr && flag != "--help" && flag != "-h") return unknown_option(flag, command);
    if (known != nullptr && takes_next(*known, word)) ++n;
  }
  return std::nullopt;
}

/// What CLI11 fills while it parses one subcommand.
struct Slots {
  std::vector<std::string> words;
  std::map<std::string_view, std::vector<std::string>> values;
  std::map<std::string_view, bool> flags;
};

/// Why the value of an option, or a word, is none of its choices; nothing if it is one.
std::optional<Message> not_among(std::string_view name, const std::string& word, Choices choices) {
  const auto names = choices();
  if (std::ranges::find(names, word) != names.end()) return std::nullopt;
  std::string all;
  for (const auto each : names) all += (all.empty() ? "" : ", ") + std::string{each};
  const auto near = nearest(word, names);
  return Message{std::string{name} + " takes " + all + ", not '" + word + "'" +
                     (near.empty() ? "" : "; did you mean '" + near + "'?"),
                 Exit::wrong_input};
}

std::optional<Message> find_wrong_choice(const Arguments& arguments, const Command& command) {
  for (const auto& option : command.options) {
    if (option.choices == nullptr) continue;
    for (const auto& value : arguments.values(option.name))
      for (const auto& word : option.list ? study::split_list(value, ',') : std::vector{value})
        if (auto wrong = not_among(option.name, word, option.choices)) return wrong;
  }
  if (command.positional.choices == nullptr || arguments.words().empty()) return std::nullopt;
  return not_among(command.positional.name, arguments.words().front(), command.positional.choices);
}

std::string spelling(const Option& option) {
  return (option.letter.empty() ? "" : std::string{option.letter} + ",") + std::string{option.name};
}

void declare(CLI::App& app, const Command& command, Slots& slots) {
  const auto& positional = command.positional;
  if (positional.most > 0) {
    auto* option = app.add_option(std::string{positional.name}, slots.words, std::string{positional.doc});
    if (positional.least > 0) option->required();
    option->expected(std::max(positional.least, positional.least == 0 ? 0 : 1), positional.most);
    option->option_text(positional.most > 1 ? "..." : " ");
  }
  for (const auto& option : command.options) {
    if (option.value.empty()) {
      app.add_flag(spelling(option), slots.flags[option.name], doc_of(option));
    } else {
      auto* added = app.add_option(spelling(option), slots.values[option.name], doc_of(option));
      // One value each time, so that words that follow are not swallowed; repeated ones collect.
      added->expected(1)->option_text(std::string{option.value} + (option.repeatable ? " ..." : ""));
      added->multi_option_policy(option.repeatable ? CLI::MultiOptionPolicy::TakeAll
                                                   : CLI::MultiOptionPolicy::TakeLast);
      added->allow_extra_args(false);
    }
  }
}

Arguments collect(const Slots& slots, const Command& command) {
  std::vector<Arguments::Given> given;
  for (const auto& option : command.options) {
    if (const auto flag = slots.flags.find(option.name); flag != slots.flags.end() && flag->second)
      given.push_back({std::string{option.name}, ""});
    if (const auto values = slots.values.find(option.name); values != slots.values.end())
      for (const auto& value : values->second) given.push_back({std::string{option.name}, value});
  }
  std::vector<std::string> overrides;
  if (const auto set = slots.values.find("--set"); set != slots.values.end()) overrides = set->second;
  for (const auto& option : command.options)
    if (const auto values = slots.values.find(option.name); !option.sets.empty() && !values->second.empty())
      overrides.push_back(std::string{option.sets} + "=" + values->second.back());
  return {slots.words, std::move(given), std::move(overrides)};
}

}  // namespace

Arguments::Arguments(std::vector<std::string> words, std::vector<Given> options, std::vector<std::string> overrides)
    : words_{std::move(words)}, options_{std::move(options)}, overrides_{std::move(overrides)} {}

bool Arguments::has(std::string_view option) const {
  return std::ranges::any_of(options_, [option](const Given& given) { return given.option == option; });
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const auto all = values(option);
  return all.empty() ? std::nullopt : std::optional{all.back()};
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  std::vector<std::string> found;
  for (const auto& given : options_)
    if (given.option == option) found.push_back(given.value);
  return found;
}

std::variant<Invocation, Message> parse(int argc, const char* const* argv, std::span<const Command> commands) {
  CLI::App app{"peerpath: simulates data paths from a NIC through PCIe switches into GPU memory", "peerpath"};
  app.set_version_flag("--version", "peerpath " + std::string{version()});
  app.footer(
      "Exit status: 0 done, 1 an expectation failed, 2 wrong input, 3 waived, 4 drifted from the baseline, 70 a bug, "
      "130 interrupted.");
  app.require_subcommand(0, 1);
  std::vector<Slots> slots(commands.size());
  std::vector<CLI::App*> subcommands;
  for (std::size_t n = 0; n < commands.size(); ++n) {
    auto* added = app.add_subcommand(std::string{commands[n].name}, std::string{commands[n].doc});
    declare(*added, commands[n], slots[n]);
    subcommands.push_back(added);
  }
  if (argc < 2) return Message{app.help(), Exit::done};
  auto words = command_first({argv + 1, argv + argc}, commands);
  const std::string first = words.front();
  const auto command = std::ranges::find(commands, std::string_view{first}, &Command::name);
  if (!first.starts_with("-") && command == commands.end()) return unknown_command(first, commands);
  if (command != commands.end())
    if (auto unknown = find_unknown_option(std::span{words}.subspan(1), *command)) return *unknown;
  try {
    words.insert(words.begin(), argv[0]);
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::CallForHelp&) {
    const auto parsed = app.get_subcommands();
    return Message{parsed.empty() ? app.help() : parsed.front()->help("peerpath"), Exit::done};
  } catch (const CLI::CallForVersion&) {
    return Message{"peerpath " + std::string{version()} + "\n", Exit::done};
  } catch (const CLI::ParseError& e) {
    const auto name = command == commands.end() ? "" : " " + std::string{command->name};
    const bool words_missing = command != commands.end() && command->positional.most > 0 &&
                               std::string_view{e.what()}.starts_with(command->positional.name);
    return Message{
        (words_missing ? missing_words(*command) : std::string{e.what()}) + "; see `peerpath" + name + " --help`",
        Exit::wrong_input};
  }
  for (std::size_t n = 0; n < commands.size(); ++n) {
    if (!subcommands[n]->parsed()) continue;
    auto arguments = collect(slots[n], commands[n]);
    if (auto wrong = find_wrong_choice(arguments, commands[n])) return *wrong;
    return Invocation{&commands[n], std::move(arguments)};
  }
  return Message{app.help(), Exit::wrong_input};
}

}  // namespace peerpath::cli
