// Scenarios of PCIe: NICs, switches, GPUs and memory of one host or several.
#pragma once

#include "study/kind.hpp"

namespace peerpath::study {

SubjectPtr pcie_subject(scenario::Loaded loaded);

/// What results.json holds of a run of it, also on other backends.
nlohmann::ordered_json pcie_document(const observe::Results& results, const scenario::Loaded& loaded,
                                     const std::string& version);

/// Takes every file.
MaybeSubject load_pcie(const std::filesystem::path& name, const scenario::LoadOptions& options);
MaybeSubject vary_pcie(const scenario::Prepared& prepared, const std::filesystem::path& name,
                       const scenario::LoadOptions& options, const std::vector<std::string>& overrides);

inline constexpr Kind pcie_kind{load_pcie, vary_pcie};

}  // namespace peerpath::study
