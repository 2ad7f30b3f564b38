// Perfetto traces: tracks, slices, flows and counters as TrackEvent packets.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace peerpath::perfetto {
class TracePacket;
}

namespace peerpath::trace {

/// What a slice or an instant says.
struct PerfettoEvent {
  std::string name, category;
  std::vector<std::uint64_t> flows;  ///< slices with the same number are joined by arrows, in the order of time
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<std::pair<std::string, std::int64_t>> numbers;
};

class PerfettoWriter {
 public:
  using Track = std::uint64_t;  ///< 0 stands for none

  explicit PerfettoWriter(std::ostream& out) : out_{out} {}

  Track add_track(const std::string& name, Track parent = 0);
  Track add_counter(const std::string& name, const std::string& unit, Track parent = 0);
  /// Slices of one track do not overlap. Times in the trace's nanoseconds, in any order between tracks.
  void slice(Track track, std::uint64_t begin, std::uint64_t end, const PerfettoEvent& event);
  void instant(Track track, std::uint64_t when, const PerfettoEvent& event);
  void counter(Track track, std::uint64_t when, std::int64_t value);

  std::int64_t events() const { return events_; }

 private:
  void write(perfetto::TracePacket& packet);

  std::ostream& out_;
  Track tracks_ = 0;
  std::int64_t events_ = 0;
};

}  // namespace peerpath::trace
