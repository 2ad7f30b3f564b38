// The mapping of GPU memory into the BAR1 window, and the fate of traffic that finds no room there.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "peerpath/scenario/scenario.hpp"

namespace peerpath::scenario {

/// What becomes of a registration.
enum class Bar1Verdict : std::uint8_t { mapped, remapped, bounced, refused };
constexpr std::array<EnumName<Bar1Verdict>, 4> enum_names(Bar1Verdict) {
  return {{{"mapped", Bar1Verdict::mapped},
           {"remapped", Bar1Verdict::remapped},
           {"bounced", Bar1Verdict::bounced},
           {"refused", Bar1Verdict::refused}}};
}

/// Memory that entries of `traffic` register together.
struct Bar1Mapping {
  std::vector<std::size_t> entries;
  Bytes registered{};
  Bytes given{};  ///< room in the window: as much as needed, a share, or none
  Bar1Verdict verdict{};
};

/// The window of one GPU. Registrations that fit are mapped in the order of the traffic entries; those that remap then
/// share the rest evenly, in whole pieces.
struct Bar1Plan {
  std::string gpu;
  Bytes size{}, reserved{}, used{};
  std::vector<Bar1Mapping> mappings;
};

/// The plan of each GPU that a scenario has, in its order. Copies by the GPU's own engines (path bounce) need no
/// mapping.
std::vector<Bar1Plan> bar1_plans(const Scenario& scenario);

/// The mapping of traffic entry `entry`, or nullptr if it maps no GPU memory. `gpu`: search this GPU's window only.
const Bar1Mapping* bar1_mapping(const std::vector<Bar1Plan>& plans, std::size_t entry, const std::string& gpu = {});

/// A sentence: "1GiB registered, which does not fit into the 224MiB that are left: bounced through host memory".
std::string to_text(const Bar1Plan& plan, const Bar1Mapping& mapping);

}  // namespace peerpath::scenario
