// Scenarios of Ethernet networks.
#pragma once

#include "study/kind.hpp"

namespace peerpath::study {

/// Takes files with a block of networks.
MaybeSubject load_network(const std::filesystem::path& name, const scenario::LoadOptions& options);
/// Reads the file anew: a point of a network takes far longer than that.
MaybeSubject vary_network(const scenario::Prepared& prepared, const std::filesystem::path& name,
                          const scenario::LoadOptions& options, const std::vector<std::string>& overrides);

inline constexpr Kind network_kind{load_network, vary_network};

}  // namespace peerpath::study
