// The results of a network scenario as a person reads them on a terminal.
#pragma once

#include <string>

#include "platform/network/run.hpp"
#include "study/text/painter.hpp"

namespace peerpath::study {

std::string network_table(const network_scenario::Loaded& loaded, const network_run::Outcome& outcome,
                          const Painter& painter);

}  // namespace peerpath::study
