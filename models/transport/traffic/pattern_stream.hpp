// Generated TCP traffic: flows in turn, sizes in turn, at a rate on the wire.
#pragma once

#include <vector>

#include "peerpath/net/headers.hpp"
#include "transport/traffic/arrival_process.hpp"
#include "transport/traffic/frame_stream.hpp"

namespace peerpath::transport {

/// What a pattern sends.
struct FramePattern {
  std::uint16_t stream = 0;                  ///< in the handles of its frames
  BitRate rate{};                            ///< on the wire: headers, FCS, preamble and gap included
  std::vector<Bytes> payloads{Bytes{4096}};  ///< bytes behind the TCP header, taken in turn
  std::uint32_t flows = 16;
  std::uint32_t first_flow = 0;  ///< number of its first flow, so that patterns do not share any
  Arrival arrival = Arrival::regular;
  int burst = 32;
  Instant start{};
  std::int64_t count = 0;  ///< frames; 0: without end
};

/// Frames of Ethernet, IPv4 and TCP with timestamps (66 B of headers), whose sequence numbers advance by flow as those
/// of a sender that loses nothing. The TCP checksum is left 0, for payload exists only as a length.
class PatternStream final : public FrameStream {
 public:
  PatternStream(FramePattern pattern, Random random);

  std::optional<TimedFrame> next() override;

 private:
  std::optional<TimedFrame> make();

  FramePattern pattern_;
  ArrivalProcess arrivals_;
  std::vector<net::HeaderBytes> headers_;  ///< by flow, as last sent; built when the flow first comes
  std::vector<Bytes> last_payload_;        ///< by flow
  std::uint32_t flow_ = 0;
  std::size_t size_ = 0;
  std::int64_t sent_ = 0;
};

}  // namespace peerpath::transport
