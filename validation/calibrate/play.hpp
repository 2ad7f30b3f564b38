// What a GPU does over its link, played on the fabric: rates and waiting times that no closed form of ours gives.
#pragma once

#include "peerpath/base/units.hpp"
#include "peerpath/pcie/link_shape.hpp"

namespace peerpath::calibrate {

/// Of the latency of a read, what passes in the GPU: only the sum can be seen.
constexpr double gpu_share = 0.3;

/// The path between a GPU and host memory. Times in nanoseconds: the optimiser's variables; whole femtoseconds before
/// anything is simulated.
struct Path {
  pcie::LinkShape link{5, 16};
  Bytes max_payload{256};
  double link_share = 1;         ///< of the modelled link rate
  double update_interval = 10;   ///< TLPs received this far apart cause one UpdateFC each; each causes one ACK
  double read_latency = 1000;    ///< a request's way to memory and its data's way back, without their time on the line
  double read_service = 0;       ///< memory takes in one read request after the other
  double write_service = 0;      ///< likewise a write
  Bytes max_read_request{4096};  ///< reads are cut into requests of this size
};

/// Nanoseconds from a step to the next of `outstanding` chains of dependent reads, the slowest chain counting.
double read_step(const Path& path, Bytes request, int outstanding);

/// Nanoseconds that a completion with so much data takes on the line where nothing else is.
double completion_time(const Path& path, Bytes data);

/// Nanoseconds from one write to the next when all are queued.
double write_interval(const Path& path, Bytes request);

struct BothWays {
  double read = 0, write = 0;  ///< ns from one request to the next
};

/// Writes until both have found their turns: the reads begin as a burst, which slow ones take longer to work off.
inline constexpr int beside_fast_reads = 2400, beside_slow_reads = 12000;

/// Reads of `read_request`, as many outstanding as it takes, while writes of `write_request` are queued. The second
/// half of `writes` counts.
BothWays both_intervals(const Path& path, Bytes read_request, Bytes write_request, int writes = beside_fast_reads);

}  // namespace peerpath::calibrate
