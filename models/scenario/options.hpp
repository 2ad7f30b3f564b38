// Sections of a scenario beside its devices, and a walk over the options of either.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "scenario/catalogue.hpp"

namespace peerpath::scenario {

inline constexpr std::tuple section_kinds{
    Kind<Link>{"link", "An entry of `links`: a PCIe link between two ports"},
    Kind<InterSocket>{"inter_socket",
                      "An entry of `inter_socket`: the link between the root complexes of two sockets of a host"},
    Kind<Cable>{"cable", "An entry of `cables`: an Ethernet cable between two NICs"},
    Kind<HostConfig>{"host", "An entry of `hosts`: machines of one kind, each with devices and links of its own"},
    Kind<Weight>{"arbitration", "An entry of `arbitration`: turns in a row that an ingress port has at an egress port"},
    Kind<Traffic>{"traffic", "An entry of `traffic`: one source of frames or transfers"},
    Kind<Event>{"event", "An entry of `events`: something that happens to the hardware at a time"},
    Kind<Run>{"run", "How long to simulate, and from which seed"},
    Kind<Emulator>{"emulator", "Guest program and machine of the emulator"},
    Kind<Sweep>{"sweep", "Values that `peerpath sweep` varies"},
    Kind<Expectation>{"expect", "An entry of `expect`: a condition on the results"}};

/// Calls `use` with each device kind, then each section.
template <class Use>
constexpr void for_each_topic(Use use) {
  for_each_kind(use);
  std::apply([&](const auto&... section) { (use(section), ...); }, section_kinds);
}

}  // namespace peerpath::scenario
