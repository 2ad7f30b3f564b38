// What limits each entry of a network scenario, found in the outcome of its run.
#pragma once

#include "platform/network/run.hpp"

namespace peerpath::network_run {

/// Finds the limit of each entry by itself, on the shortest ways between its hosts, then puts those together that share
/// one: Results::limits, ::limit and ::bottleneck, and a sentence each in front of Outcome::said. In this order:
///
/// - RDMA, TCP: a host that pauses its switch; the busiest direction of a cable, if it is busy nearly all the time; of
///   TCP a core and the receiver's window; packets that a switch, a cable or a NIC dropped; congestion control, which
///   marks slow down; pauses that spread from elsewhere; the messages or packets in flight, which by Little's law make
///   the rate where nothing on the way is full;
/// - collectives and traces: the memory of a slow host, a cable or the links between GPUs, busy nearly all of their
///   time; computation; else the schedule, whose steps wait for each other.
///
/// Entries whose messages come at a given rate have none if that rate got through, nor has a collective without
/// messages.
void find_limits(const network_scenario::Loaded& loaded, Outcome& out);

/// Puts the sentences of Results::limits in front of what is said, in place of those of before.
void describe_limits(Outcome& out);

}  // namespace peerpath::network_run
