#include "tools/peerpath/command_line/completion_script.hpp"

#include <gtest/gtest.h>

#include "tools/peerpath/command_line/catalogue.hpp"

namespace peerpath::cli {
namespace {

TEST(CompletionScript, NamesEveryCommandAndOption) {
  for (const auto& script : {bash_completion(catalogue()), zsh_completion(catalogue()), fish_completion(catalogue())}) {
    for (const auto& command : catalogue()) {
      EXPECT_NE(script.find(command.name), std::string::npos) << command.name;
      for (const auto& option : command.options)
        EXPECT_NE(script.find(option.name.substr(2)), std::string::npos) << option.name;
    }
  }
}

}  // namespace
}  // namespace peerpath::cli
