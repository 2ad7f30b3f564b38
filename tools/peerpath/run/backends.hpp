// What can run a scenario: a new one is a function, and a line in backends.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/subject.hpp"
#include "tools/peerpath/command_line/command.hpp"
#include "tools/peerpath/files/input_files.hpp"
#include "tools/peerpath/run/run_arguments.hpp"

namespace peerpath::cli {

/// A run that is asked for, and is not refused.
struct RunTask {
  const RunArguments& wanted;
  const study::Subject& subject;
  InputFiles inputs;
  network_run::Ranks* ranks = nullptr;  ///< that run it together with this process
  bool speaks = true;                   ///< false: another rank says what comes of it
};

/// Why this machine cannot run a scenario.
struct Waiver {
  std::vector<std::string> reasons{};    ///< none: it can
  std::vector<std::string> would_run{};  ///< the traffic, in words
  std::string advice{};
};

struct Backend {
  std::string_view name;
  std::string_view doc;
  std::string_view subjects;  ///< kinds of scenario that it runs; "": all
  Waiver (*missing)(const RunArguments& wanted, const study::Subject& subject);
  Exit (*run)(RunTask task, Terminal& terminal);
};

std::span<const Backend> backends();

}  // namespace peerpath::cli
