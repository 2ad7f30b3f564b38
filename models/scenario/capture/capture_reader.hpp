// Reads the frames of a pcap or pcapng file.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "peerpath/base/problem.hpp"
#include "transport/traffic/replay_stream.hpp"

namespace peerpath::capture {

/// The frames of an Ethernet capture, in the order of the file, with times in nanoseconds (a capture in microseconds
/// has multiples of 1000). Of each frame the first bytes are kept, enough for its headers. Taken as captures usually
/// are: without FCS.
///
/// Refused: what libpcap cannot read or what ends in the middle of a frame, other link types than Ethernet, a capture
/// without frames, and frames of which so little was captured that their headers cannot be parsed.
tl::expected<std::vector<transport::CapturedFrame>, Problem> read_capture(const std::string& path);

}  // namespace peerpath::capture
