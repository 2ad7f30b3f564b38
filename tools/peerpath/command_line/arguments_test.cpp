#include "tools/peerpath/command_line/arguments.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/refusal.hpp"

namespace peerpath::cli {
namespace {

std::variant<Invocation, Message> parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "peerpath");
  return parse(static_cast<int>(words.size()), words.data(), catalogue());
}

Arguments accepted(std::vector<const char*> words) {
  const auto result = parsed(std::move(words));
  const auto* message = std::get_if<Message>(&result);
  EXPECT_EQ(message, nullptr) << message->text;
  return message == nullptr ? std::get<Invocation>(result).arguments : Arguments{};
}

std::string refused(std::vector<const char*> words) {
  const auto result = parsed(std::move(words));
  const auto* message = std::get_if<Message>(&result);
  if (message == nullptr) return "accepted";
  EXPECT_EQ(message->exit, Exit::wrong_input);
  return message->text;
}

TEST(ArgumentsOf, RunTakesAScenarioAndOptionsInAnyOrder) {
  const auto arguments = accepted({"run", "--set", "a=1", "x.json", "--set", "b=2", "--json", "--seed", "7"});
  EXPECT_EQ(arguments.words(), std::vector<std::string>{"x.json"});
  EXPECT_EQ(arguments.values("--set"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(arguments.value("--seed"), "7");
  EXPECT_TRUE(arguments.has("--json"));
  EXPECT_FALSE(arguments.has("--quiet"));
  EXPECT_EQ(arguments.value("--out"), std::nullopt);
}

TEST(ArgumentsOf, AnOptionTakesOneWordAndLeavesTheNext) {
  const auto arguments = accepted({"validate", "-o", "page.html", "set.jsonl"});
  EXPECT_EQ(arguments.words(), std::vector<std::string>{"set.jsonl"});
  EXPECT_EQ(arguments.value("--out"), "page.html");
}

TEST(ArgumentsOf, EachOptionMayStandBeforeTheWordsAndBehindThemAndBeforeTheSubcommand) {
  for (const auto& command : catalogue()) {
    const std::string name{command.name};
    std::vector<const char*> words(
        static_cast<std::size_t>(std::max(command.positional.least, command.positional.most > 0 ? 1 : 0)),
        command.positional.choices != nullptr ? command.positional.choices().front().data() : "word");
    for (const auto& option : command.options) {
      std::vector<const char*> given{option.name.data()};
      if (!option.value.empty()) given.push_back(option.choices != nullptr ? option.choices().front().data() : "value");
      const auto joined = [](std::initializer_list<std::vector<const char*>> parts) {
        std::vector<const char*> all;
        for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
        return all;
      };
      const std::vector<const char*> subcommand{name.c_str()};
      for (const auto& line : {joined({subcommand, words, given}), joined({subcommand, given, words}),
                               joined({given, subcommand, words})}) {
        const auto arguments = accepted(line);
        EXPECT_EQ(arguments.words().size(), words.size()) << name << " " << option.name;
        EXPECT_TRUE(arguments.has(option.name)) << name << " " << option.name;
      }
    }
  }
}

TEST(ArgumentsOf, TheValueOfAnOptionIsNoSubcommand) {
  const auto arguments = accepted({"--out", "run", "run", "x.json"});
  EXPECT_EQ(arguments.value("--out"), "run");
  EXPECT_EQ(arguments.words(), std::vector<std::string>{"x.json"});
  EXPECT_NE(refused({"--jsn", "run", "x"}), "accepted");
}

TEST(ArgumentsOf, CheckTakesManyScenarios) { EXPECT_EQ(accepted({"check", "a", "b", "c"}).words().size(), 3u); }

TEST(ArgumentsOf, MissingWordsAreNamed) {
  EXPECT_EQ(
      refused({"route", "x.json", "nic0"}),
      "'route' needs 3 arguments: Scenario, requester and target, such as nic0 gpu0; see `peerpath route --help`");
  EXPECT_TRUE(refused({"explain"}).starts_with("'explain' needs 1 argument: ")) << refused({"explain"});
  EXPECT_TRUE(refused({"sweep"}).starts_with("'sweep' needs at least 1 argument: ")) << refused({"sweep"});
}

TEST(ArgumentsOf, TheProgramAloneIsAskedForHelp) {
  const auto result = parsed({});
  ASSERT_TRUE(std::holds_alternative<Message>(result));
  EXPECT_EQ(std::get<Message>(result).exit, Exit::done);
  EXPECT_NE(std::get<Message>(result).text.find("Usage: peerpath"), std::string::npos);
}

TEST(ArgumentsOf, MistakesGetTheNearestName) {
  EXPECT_NE(refused({"rnu", "x"}).find("did you mean 'run'?"), std::string::npos);
  EXPECT_NE(refused({"run", "x", "--sede", "1"}).find("did you mean '--seed'?"), std::string::npos);
  EXPECT_NE(refused({"run", "--set", "--odd", "x", "--quit"}).find("did you mean '--quiet'?"), std::string::npos);
  EXPECT_NE(refused({"run", "x", "--jsn"}).find("did you mean '--json'?"), std::string::npos);
  EXPECT_NE(refused({"run", "x", "--sede=1"}).find("no option '--sede'"), std::string::npos);
}

TEST(ArgumentsOf, MissingAndSurplusWordsAreRefused) {
  EXPECT_NE(refused({"run"}), "accepted");
  EXPECT_NE(refused({"run", "a", "b"}), "accepted");
  EXPECT_NE(refused({"run", "a", "--seed"}), "accepted");
  EXPECT_NE(refused({"schema", "x"}), "accepted");
}

TEST(ArgumentsOf, AWordThatIsNoChoiceIsRefusedWithTheChoices) {
  EXPECT_EQ(refused({"run", "x", "--on", "modle"}),
            "--on takes model, emulator, hardware, not 'modle'; did you mean 'model'?");
  EXPECT_EQ(refused({"run", "x", "--trace", "pcapng,vdc"}),
            "--trace takes pcapng, perfetto, vcd, series, not 'vdc'; did you mean 'vcd'?");
  EXPECT_EQ(refused({"completion", "tcsh"}), "SHELL takes bash, zsh, fish, not 'tcsh'");
  EXPECT_EQ(accepted({"run", "x", "--trace", "vcd,series"}).value("--trace"), "vcd,series");
}

TEST(ArgumentsOf, OptionsThatAreShortForSetAreOverridesBehindIt) {
  EXPECT_EQ(accepted({"run", "--seed", "7", "x", "--set", "a=1", "--quantum", "1us"}).overrides(),
            (std::vector<std::string>{"a=1", "run.seed=7", "run.quantum=1us"}));
}

TEST(ArgumentsOf, OptionsOfAnotherSubjectOrBackendAreRefused) {
  const auto why = [](std::vector<const char*> words, std::string_view subject, std::string_view backend) {
    words.insert(words.begin(), {"run", "x"});
    return refusal(accepted(std::move(words)), "run", subject, backend);
  };
  EXPECT_EQ(why({"--profile"}, "a network scenario", "model"),
            "--profile requires a PCIe scenario; this is a network scenario");
  EXPECT_EQ(why({"--fabric", "event"}, "a PCIe scenario", "emulator"),
            "--fabric requires the model; it is not available with --on emulator");
  EXPECT_EQ(why({"--kernel", "k"}, "a PCIe scenario", "model"),
            "--kernel requires the emulator; it is not available with --on model");
  EXPECT_EQ(why({"--kernel", "k", "--trace", "pcapng"}, "a PCIe scenario", "emulator"), "");
}

TEST(Options, SayWhatTheyAreFor) {
  const auto run = std::ranges::find(catalogue(), "run", &Command::name);
  const auto text = [&](std::string_view name) {
    return doc_of(*std::ranges::find(run->options, name, &Option::name));
  };
  EXPECT_TRUE(text("--profile").ends_with(" (for a PCIe scenario on the model)"));
  EXPECT_TRUE(text("--quantum").ends_with(" (for a PCIe scenario)"));
  EXPECT_TRUE(text("--trace").ends_with(" (on the model or emulator)"));
  EXPECT_FALSE(text("--seed").ends_with(")"));
}

TEST(ArgumentsOf, HelpAndVersionAreData) {
  for (const auto& words : {std::vector<const char*>{"--help"}, {"--version"}, {"run", "--help"}}) {
    const auto result = parsed(words);
    ASSERT_TRUE(std::holds_alternative<Message>(result));
    EXPECT_EQ(std::get<Message>(result).exit, Exit::done);
  }
}

TEST(Catalogue, EveryCommandIsDocumentedAndRuns) {
  for (const auto& command : catalogue()) {
    EXPECT_FALSE(command.doc.empty()) << command.name;
    EXPECT_NE(command.run, nullptr) << command.name;
    for (const auto& option : command.options) EXPECT_TRUE(option.name.starts_with("--")) << option.name;
  }
}

}  // namespace
}  // namespace peerpath::cli
