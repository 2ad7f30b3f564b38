// The results of a PCIe scenario as a person reads them on a terminal.
#pragma once

#include <string>

#include "peerpath/observe/results.hpp"
#include "peerpath/scenario/scenario.hpp"
#include "study/text/painter.hpp"

namespace peerpath::study {

std::string result_table(const observe::Results& results, const scenario::Scenario& scenario, const Painter& painter);

}  // namespace peerpath::study
