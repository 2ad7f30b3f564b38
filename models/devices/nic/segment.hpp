// TCP and UDP segmentation offload: one large send becomes frames of at most MSS payload bytes.
#pragma once

#include "peerpath/net/headers.hpp"

namespace peerpath::nic {

/// Cuts one packet. Each frame has the header of the packet with its own IP length, IPv4 identification + 1 a frame,
/// TCP sequence number (or UDP length), FIN and PSH on the last frame alone, and the IPv4 header checksum; the layer-4
/// checksum stays as it is, since payload exists only as a length.
class Segmenter {
 public:
  /// `mss` 0: a single frame. Packets without TCP and UDP are never cut.
  Segmenter(const net::HeaderBytes& header, Bytes payload, Bytes mss);

  struct Segment {
    net::HeaderBytes header;
    Bytes offset{}, payload{};
  };
  int count() const { return count_; }
  Segment at(int index) const;

 private:
  net::HeaderBytes header_;
  net::ParsedFrame parsed_{};  ///< of what is cut
  Bytes payload_, mss_;
  int count_ = 1;
};

}  // namespace peerpath::nic
