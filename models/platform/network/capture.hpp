// The frames of a network's hosts as a pcapng file, for Wireshark and tshark.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "network/network.hpp"
#include "observe/trace/formats.hpp"
#include "observe/trace/pcapng_writer.hpp"
#include "peerpath/base/problem.hpp"

namespace peerpath::network_run {

/// Which frames, and where to.
struct CaptureRequest {
  std::filesystem::path file;
  std::string program;             ///< as the file names it
  std::vector<std::string> links;  ///< of hosts: "h0-leaf", or patterns such as h*-leaf; none: all
  trace::Window window;
  Instant end{};  ///< of the run
};

/// 02:00 and the number of the host; 10.0.0.0/8 and the same number. Both count from 1.
std::array<std::uint8_t, 6> mac_of(network::HostIndex host);
std::uint32_t ip_of(network::HostIndex host);

/// Of RoCE.
std::vector<std::uint8_t> roce_headers(const network::Packet& packet);

/// Stands between a network and its hosts, and notes what they send (as its first bit leaves) and receive (as its last
/// bit is in). An interface for each host, made with its first frame. Of a frame the headers are kept, and its length:
/// payload has no content here. PFC frames are not shown: the model tells a port to stop without one.
class Capture final : public network::Hosts {
 public:
  /// The headers of a packet, as bytes.
  using Headers = std::vector<std::uint8_t> (*)(const network::Packet&);
  Capture(const CaptureRequest& request, const network::Graph& graph, network::Hosts& hosts, Headers headers);

  /// Patterns that match no link, a file that cannot be written.
  const Problems& problems() const { return problems_; }
  /// Ends the file. How many frames it holds; nothing if it could not be written whole.
  std::optional<std::int64_t> finish();

  bool next(network::HostIndex host, std::uint8_t open, Instant now, network::Packet& packet) override;
  void arrived(network::HostIndex host, const network::Packet& packet, Instant now) override;
  void woken(std::uint32_t subject, std::uint64_t detail, Instant now) override { hosts_.woken(subject, detail, now); }

 private:
  /// A host's cable: whether it is shown, and its interface from the first frame on.
  struct Link {
    bool shown = false;
    std::optional<std::uint32_t> interface {};
    std::string name{};
    BitRate rate{};
  };
  void write(network::HostIndex host, const network::Packet& packet, Instant now, trace::PacketDirection direction);

  network::Hosts& hosts_;
  Headers headers_;
  trace::Window window_;
  int digits_;
  std::ofstream out_;
  trace::PcapngWriter writer_;
  std::vector<Link> links_;  ///< by host
  std::int64_t frames_ = 0;
  Problems problems_;
};

}  // namespace peerpath::network_run
