// From how a run ended to the exit status of the program.
#pragma once

#include "study/verdict.hpp"
#include "tools/peerpath/command_line/command.hpp"

namespace peerpath::cli {

inline Exit exit_of(study::Ending ending) {
  switch (ending) {
    case study::Ending::passed:
    case study::Ending::skipped:
      return Exit::done;
    case study::Ending::failed:
      return Exit::expectation_failed;
    case study::Ending::wrong:
      return Exit::wrong_input;
    case study::Ending::crashed:
      break;
    case study::Ending::interrupted:
      return Exit::interrupted;
  }
  return Exit::bug;
}

}  // namespace peerpath::cli
