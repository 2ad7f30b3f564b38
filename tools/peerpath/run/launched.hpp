// How this process takes part in a run that a launcher (mpirun, srun) has started several times.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "platform/network/ranks.hpp"
#include "study/subject.hpp"
#include "tools/peerpath/run/run_arguments.hpp"

namespace peerpath::cli {

/// Whether this process is the one of its launcher's ranks that says what all of them would.
bool speaks_for_all();

struct Part {
  std::unique_ptr<network_run::Ranks> ranks{};  ///< that run the scenario together; none: this process runs it alone
  bool idle = false;                            ///< rank 0 alone runs it
};

/// Or a sentence that says why it cannot be run so. Ranks make sure that they were given the same scenario.
tl::expected<Part, std::string> part_in(const study::Subject& subject, const RunArguments& wanted);

}  // namespace peerpath::cli
