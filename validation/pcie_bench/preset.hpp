// The card's constants as they are kept, with where they come from.
#pragma once

#include <filesystem>
#include <string>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/pcie_bench/constants.hpp"

namespace peerpath::pcie_bench {

/// Reads nfp6000.json: every constant once, within its bounds, and nothing else beside "provenance".
tl::expected<CardConstants, Problems> parse_card(const std::string& text, const std::string& file);
tl::expected<CardConstants, Problems> load_card(const std::filesystem::path& file);

/// The same as text, to be kept.
std::string card_to_json(const CardConstants& card, const std::string& provenance);

}  // namespace peerpath::pcie_bench
