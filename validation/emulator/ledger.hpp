// The ledger that the emulated devices keep, read back as the model's results have it.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/observe/results.hpp"

namespace peerpath::emulator {

/// `document`: JSON with "ledger", a list of {link, direction, nearer, farther, rows: [{requester, purpose, tlps,
/// data_bytes, overhead_bytes}]} as in results.json. A sentence if it is something else.
tl::expected<std::vector<observe::LinkResult>, std::string> read_ledger(const std::string& document);

}  // namespace peerpath::emulator
