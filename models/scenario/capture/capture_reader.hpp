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
/// Errors: a file that libpcap cannot read or that ends within a frame, a link type other than Ethernet, a capture
/// without frames, and frames captured too short for their headers to be parsed.
tl::expected<std::vector<transport::CapturedFrame>, Problem> read_capture(const std::string& path);

}  // namespace peerpath::capture
