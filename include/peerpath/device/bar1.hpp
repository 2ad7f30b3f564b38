// How software uses the window through which peers reach a GPU's memory. NVIDIA calls it BAR1, AMD visible VRAM.
#pragma once

#include <array>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::device {

using namespace literals;
using namespace std::chrono_literals;

/// What software does with memory for which the window has no room left.
enum class Bar1Full : std::uint8_t {
  refuse,  ///< its registration fails, as nvidia_p2p_get_pages does; there is no such traffic
  bounce,  ///< what a NIC receives or sends goes through host memory instead
  remap,   ///< DMA of peers maps the memory piece by piece, each in place of the one used longest ago
};
constexpr std::array<EnumName<Bar1Full>, 3> enum_names(Bar1Full) {
  return {{{"refuse", Bar1Full::refuse}, {"bounce", Bar1Full::bounce}, {"remap", Bar1Full::remap}}};
}

/// The window itself is the BAR: `bar_size` of the GPU. The model card has the sources.
struct Bar1Config {
  Bytes page = 64_KiB;
  Bytes reserved{};
  Bar1Full when_full = Bar1Full::refuse;
  Bytes piece = 16_MiB;
  Duration map_call = 10us;
  Duration map_page = 1us;
  Duration unmap_call = 10us;

  static constexpr auto fields() {
    return std::tuple{
        field("page", &Bar1Config::page, "Page size of mappings in the window; a power of two")
            .at_least(4_KiB)
            .from("64 KiB: GPUDirect RDMA documentation"),
        field("reserved", &Bar1Config::reserved, "Part of the window that the GPU's driver keeps for itself")
            .at_least(0_B),
        field("when_full", &Bar1Config::when_full,
              "Action when memory no longer fits the window. refuse: the registration fails; bounce: received and sent "
              "payload goes through host memory; remap: pieces are mapped in turn for reads and writes. Traffic that "
              "an action does not cover is refused"),
        field("piece", &Bar1Config::piece, "With when_full remap: bytes mapped at a time; a multiple of the page")
            .from("assumed: a buffer of a registration cache"),
        field("map_call", &Bar1Config::map_call, "Fixed time to map a piece, page entries excluded")
            .at_least(Duration{0})
            .from("assumed: pinning takes 10 us to 1 ms, depending on the buffer size (GDRCopy's README)"),
        field("map_page", &Bar1Config::map_page, "Additional time per page mapped")
            .at_least(Duration{0})
            .from("assumed: as map_call"),
        field("unmap_call", &Bar1Config::unmap_call, "Time to unmap the piece that is replaced")
            .at_least(Duration{0})
            .from("assumed")};
  }
};

}  // namespace peerpath::device
