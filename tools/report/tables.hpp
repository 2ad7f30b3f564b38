// The tables of the report, each an HTML fragment; "" if there is nothing to show.
#pragma once

#include <string>

#include "tools/report/html.hpp"

namespace peerpath::report {

std::string expectation_table(const Json& results);
std::string traffic_table(const Json& results);
std::string way_table(const Json& results);
std::string utilisation_table(const Json& results);
std::string said_list(const Json& results);    ///< of a network: what limits it, sentence by sentence
std::string rank_table(const Json& results);   ///< of jobs of a network: what each rank did
std::string cable_table(const Json& results);  ///< of a network: the busiest first
std::string ledger_table(const Json& results);
std::string bar1_table(const Json& results);
std::string event_table(const Json& results);
std::string fault_table(const Json& results);
std::string error_table(const Json& results);
std::string deadlock_table(const Json& results);
std::string metric_table(const Json& results);
std::string origin_table(const Json& results);
/// Goodput, loss and latency of each traffic entry in two runs; nothing without another one.
std::string comparison_table(const Json& results, const Json& other, const std::string& other_name);
std::string run_table(const Json& run);

}  // namespace peerpath::report
