// What every PCIe function has in its configuration space or data sheet.
#pragma once

#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::device {

using namespace literals;
using namespace std::chrono_literals;

/// What every PCIe function has in its configuration space or data sheet.
struct FunctionConfig {
  Bytes max_payload_supported = 512_B;
  Bytes max_payload = 256_B;
  Bytes max_read_request = 512_B;
  int tags = 256;
  Duration completion_timeout = 50ms;
  int one_queue = 0;
  bool relaxed_ordering = false;
  bool id_based_ordering = false;

  static constexpr auto fields() {
    return std::tuple{
        field("max_payload_supported", &FunctionConfig::max_payload_supported, "Largest MPS that the function can do")
            .at_least(128_B)
            .at_most(4096_B),
        field("max_payload", &FunctionConfig::max_payload, "MPS: largest data block of a TLP that it sends")
            .at_least(128_B)
            .at_most(4096_B),
        field("max_read_request", &FunctionConfig::max_read_request, "MRRS: largest read request")
            .at_least(128_B)
            .at_most(4096_B),
        field("tags", &FunctionConfig::tags, "Non-posted requests outstanding: 32, 256 or up to 768 (10-bit tags)")
            .at_least(1)
            .at_most(768),
        field("completion_timeout", &FunctionConfig::completion_timeout, "Ends a request that nobody answers")
            .at_least(50us)
            .at_most(std::chrono::seconds{64}),
        field("one_queue", &FunctionConfig::one_queue,
              "A faulty receiver, one queue for requests and completions: with so many completions waiting to leave it "
              "takes in neither; 0: sound")
            .at_least(0)
            .at_most(1'000'000),
        field("relaxed_ordering", &FunctionConfig::relaxed_ordering,
              "Enable Relaxed Ordering: its reads and its payload carry RO, and completions need not wait for posted "
              "requests before them")
            .from("off: what every device can live with"),
        field("id_based_ordering", &FunctionConfig::id_based_ordering,
              "IDO Request and IDO Completion Enable: its requests and their completions wait for posted requests of "
              "the same sender alone")
            .from("off: Linux leaves it so")};
  }
};

}  // namespace peerpath::device
