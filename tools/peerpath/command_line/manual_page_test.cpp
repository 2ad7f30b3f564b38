#include "tools/peerpath/command_line/manual_page.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tools/peerpath/command_line/catalogue.hpp"

namespace peerpath::cli {
namespace {

TEST(ManualPage, NamesEveryCommandAndOption) {
  const auto page = manual_page(catalogue());
  for (const auto& command : catalogue()) {
    EXPECT_NE(page.find(".SS \"peerpath " + std::string{command.name} + "\""), std::string::npos) << command.name;
    for (const auto& option : command.options)
      EXPECT_NE(page.find("\\fB\\-\\-" + std::string{option.name.substr(2, 3)}), std::string::npos) << option.name;
  }
}

TEST(ManualPage, TextIsNoMacroAndNoEscape) {
  constexpr std::array options{Option{"--it", "A\\B", ".SH of a file, 'quoted'"}};
  const std::array commands{Command{"do", "Does it", {}, options, nullptr}};
  const auto page = manual_page(commands);
  EXPECT_NE(page.find("\\fB\\-\\-it\\fR \\fIA\\eB\\fR\n\\&.SH of a file, 'quoted'\n"), std::string::npos) << page;
}

}  // namespace
}  // namespace peerpath::cli
