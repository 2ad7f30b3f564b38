// results.json of a network scenario.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "platform/network/run.hpp"

namespace peerpath::study {

/// The document of all results, without the parts that are of PCIe, and with the cables. `version` of peerpath.
nlohmann::ordered_json network_document(const network_scenario::Loaded& loaded, const network_run::Outcome& outcome,
                                        const std::string& version);

}  // namespace peerpath::study
