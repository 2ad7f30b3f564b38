#include "observe/trace/formats.hpp"

#include <array>

#include "observe/trace/pcapng.hpp"
#include "observe/trace/perfetto.hpp"
#include "observe/trace/series.hpp"
#include "observe/trace/vcd.hpp"

namespace peerpath::trace {
namespace {

constexpr std::array all{
    Format{"pcapng", "trace.pcapng", "TLPs and Ethernet frames for Wireshark, an interface for each link", make_pcapng},
    Format{"perfetto", "trace.perfetto", "A timeline for ui.perfetto.dev: tracks, flows, counters", make_perfetto},
    Format{"vcd", "trace.vcd", "Signals for GTKWave: transmissions, tags and FIFO levels", make_vcd},
    Format{"series", "series.json", "Goodput, queues, credits, drops over time, for the report", make_series},
};

}  // namespace

std::span<const Format> formats() { return all; }

}  // namespace peerpath::trace
