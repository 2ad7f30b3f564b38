#include "tools/peerpath/run/what_if.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "tools/peerpath/batch/child_pool.hpp"
#include "tools/peerpath/command_line/interrupt.hpp"

namespace peerpath::cli {

bool prove(study::Outcome& outcome, int jobs, const Terminal& terminal) {
  constexpr std::size_t suspects = 10;
  const InterruptGuard guard;
  const auto reruns = outcome.reruns(suspects);
  std::size_t done = 0;
  ChildPool pool;
  pool.jobs = jobs;
  pool.work = [&](std::size_t n) { return reruns->play(n); };
  pool.ended = [&](std::size_t n, const ChildEnd& end) {
    reruns->note(n, end.output, end.crash);
    if (!terminal.progress()) return;
    std::fputs(fmt::format("\rwhat if: {} of {} reruns\033[K", ++done, reruns->count()).c_str(), stderr);
    std::fflush(stderr);
  };
  pool.stop = [&guard] { return guard.interrupted(); };
  run_children(reruns->count(), pool);
  if (terminal.progress()) std::fputs("\r\033[K", stderr);
  if (guard.interrupted()) return false;
  reruns->conclude();
  return true;
}

}  // namespace peerpath::cli
