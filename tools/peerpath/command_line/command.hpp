// A subcommand: its name, its options and words, and its function. The parser, the help and the completion scripts are
// generated from the catalogue of subcommands.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peerpath/command_line/terminal.hpp"

namespace peerpath::cli {

/// Exit statuses (design rule: each kind of end has its own).
enum class Exit : int {
  done = 0,
  expectation_failed = 1,
  wrong_input = 2,
  waived = 3,
  drifted = 4,
  bug = 70,
  interrupted = 130
};

/// The meaning of a word on the command line, by which the completion scripts choose their suggestions.
enum class Word : std::uint8_t { text, file, folder, scenario, topic };

/// What an option is for, where that is not everything. The parser refuses the rest; help, manual and completions say
/// it.
struct Only {
  std::span<const std::string_view> subjects{};  ///< "a PCIe scenario"; the last is how texts call them; none: all
  std::span<const std::string_view> backends{};  ///< none: all
};

/// The words that there are to choose from; a null pointer: any.
using Choices = std::vector<std::string_view> (*)();

/// An option such as --seed N, or a flag if `value` is empty.
struct Option {
  std::string_view name;   ///< "--seed"
  std::string_view value;  ///< "N"
  std::string_view doc;
  Word word = Word::text;
  bool repeatable = false;
  std::string_view letter{};  ///< "-o", or none
  std::string_view sets{};    ///< key of the scenario that the value overrides: --seed is short for --set run.seed
  Only only{};
  Choices choices = nullptr;
  bool list = false;  ///< the value is several of the choices, with commas between them
};

/// The words that are not options.
struct Positional {
  std::string_view name;  ///< "SCENARIO"
  std::string_view doc;
  Word word = Word::text;
  int least = 0;
  int most = 0;               ///< 0: none are taken; a large number: any number
  Choices choices = nullptr;  ///< for the first word
};

/// What the user wrote after the subcommand.
class Arguments {
 public:
  struct Given {
    std::string option;
    std::string value;
  };
  Arguments() = default;
  Arguments(std::vector<std::string> words, std::vector<Given> options, std::vector<std::string> overrides = {});

  const std::vector<std::string>& words() const { return words_; }
  bool has(std::string_view option) const;
  /// The last value given.
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> values(std::string_view option) const;
  /// What is to be other than in the scenario, as --set takes it, of all options that say so.
  const std::vector<std::string>& overrides() const { return overrides_; }

 private:
  std::vector<std::string> words_;
  std::vector<Given> options_;
  std::vector<std::string> overrides_;
};

/// The text of an option, with what it is for.
std::string doc_of(const Option& option);

struct Command {
  std::string_view name;
  std::string_view doc;
  Positional positional{};
  std::span<const Option> options{};
  Exit (*run)(const Arguments&, Terminal&) = nullptr;
};

inline constexpr int any_number = 1'000'000;

}  // namespace peerpath::cli
