// RDMA of a network scenario: who sends which messages to whom.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"
#include "transport/roce/work.hpp"

namespace peerpath::network_scenario {

using namespace literals;
using namespace std::chrono_literals;

/// The service of a queue pair.
enum class Transport : std::uint8_t {
  rc,  ///< reliable connection
  ud,  ///< unreliable datagram
};
constexpr std::array<EnumName<Transport>, 2> enum_names(Transport) {
  return {{{"RC", Transport::rc}, {"UD", Transport::ud}}};
}

/// Whence the size of a message.
enum class Sizes : std::uint8_t {
  fixed,
  web_search,  ///< of the flows of a web search cluster (Alizadeh et al. 2010), as HPCC's traffic generator has them
};
constexpr std::array<EnumName<Sizes>, 2> enum_names(Sizes) {
  return {{{"fixed", Sizes::fixed}, {"web_search", Sizes::web_search}}};
}

/// Messages from hosts to a host.
struct Rdma {
  std::string name;
  std::vector<std::string> from{}, to{};
  roce::Work operation = roce::Work::write;
  Bytes size = 64_KiB;
  int qps = 1;
  int outstanding = 16;
  int messages = 0;
  Duration start{};
  Duration interval{};
  bool fresh = false;
  Transport transport = Transport::rc;
  int receives = 0;
  Duration receive_time{};
  double load = 0;
  Sizes sizes = Sizes::fixed;
  Bytes registered{};
  int priority = 3;

  static constexpr auto fields() {
    using C = Rdma;
    return std::tuple{
        field("name", &C::name, "Name in metrics"),
        field("from", &C::from, "Hosts that post the work requests; h0..h7 names eight"),
        field("to", &C::to, "Hosts at the other end: one, or as many as `from` to form pairs"),
        field("operation", &C::operation, "Operation of each work request"),
        field("size", &C::size, "Message size").at_least(1_B).at_most(1_GiB),
        field("qps", &C::qps, "Queue pairs per pair of hosts").at_least(1).at_most(64),
        field("outstanding", &C::outstanding, "Messages posted and not yet complete per queue pair")
            .at_least(1)
            .at_most(4096),
        field("messages", &C::messages, "Number of messages per queue pair; 0: unlimited").at_least(0),
        field("start", &C::start, "Time of the first post").at_most(10s),
        field("interval", &C::interval, "Time between two messages; 0ns: the next is posted as soon as one completes")
            .at_most(10s),
        field(
            "fresh", &C::fresh,
            "With `interval`: sends each message on a new queue pair, with no rate reduction from earlier congestion"),
        field("transport", &C::transport,
              "RC: reliable connection. UD: datagrams of one packet without acknowledgement; a queue pair of each "
              "`from` host sends to the `to` hosts in turn"),
        field("receives", &C::receives,
              "UD: posted receive requests per `to` host; a datagram without one is dropped. 0: unlimited")
            .at_least(0)
            .at_most(1 << 20),
        field("receive_time", &C::receive_time,
              "UD: software time per datagram before its receive request is posted again")
            .at_most(10s),
        field("load", &C::load,
              "Offered payload of each `from` host in percent of its cable rate, with Poisson arrivals; each message "
              "goes to a random `to` host on a queue pair of its own. 0: `outstanding` or `interval` controls posting")
            .at_least(0.0)
            .at_most(100.0),
        field("sizes", &C::sizes,
              "With `load`: message sizes. fixed: all of `size`; web_search: the flow sizes of a web search cluster, "
              "mean 1.7 MB, half below 80 KB")
            .from("HPCC's traffic generator"),
        field("registered", &C::registered,
              "Memory that each queue pair writes to; each message goes to a random multiple of its size. 0: all "
              "messages use one address")
            .at_least(0_B),
        field("priority", &C::priority,
              "Priority of the data at `switches`: scheduling, marking and PFC; clear-to-send messages use 5, "
              "acknowledgements 6")
            .at_least(0)
            .at_most(4)};
  }
};

}  // namespace peerpath::network_scenario
