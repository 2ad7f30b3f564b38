#include "peerpath/sc/run.hpp"

#include "peerpath/base/fail.hpp"
#include "peerpath/sc/time.hpp"
#include "platform/model_run.hpp"
#include "sc/shell.hpp"

namespace peerpath::sc {

tl::expected<observe::Results, Problems> run_model(const scenario::Scenario& scenario,
                                                   const platform::RunOptions& options) {
  static bool used = false;
  require(!std::exchange(used, true), "SystemC runs once a process");
  set_femtosecond_resolution();
  platform::ModelRun run{scenario, options};
  if (auto problems = run.problems(); !problems.empty()) return tl::unexpected{std::move(problems)};
  run.build();
  Shell shell{"peerpath", run.reactor(), run.quantum()};
  bool over = false;
  shell.watch([&] { return over = run.over(now()); });
  sc_core::sc_start(to_sc_time(run.end() - Instant{}));
  // What happens at the end itself, sc_start(time) leaves for later.
  if (!over) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  return run.results(now());
}

}  // namespace peerpath::sc

// The SystemC library's own main refers to it; a program that calls run_model has a main of its own.
int sc_main(int, char**) { return 1; }
