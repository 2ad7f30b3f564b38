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
    return std::tuple{field("max_payload_supported", &FunctionConfig::max_payload_supported,
                            "Largest Max_Payload_Size (MPS) that the function supports")
                          .at_least(128_B)
                          .at_most(4096_B),
                      field("max_payload", &FunctionConfig::max_payload,
                            "Max_Payload_Size (MPS): largest data payload of a TLP that it sends")
                          .at_least(128_B)
                          .at_most(4096_B),
                      field("max_read_request", &FunctionConfig::max_read_request,
                            "Max_Read_Request_Size (MRRS): largest read request that it sends")
                          .at_least(128_B)
                          .at_most(4096_B),
                      field("tags", &FunctionConfig::tags,
                            "Maximum number of outstanding non-posted requests: 32, 256 or up to 768 (10-bit tags)")
                          .at_least(1)
                          .at_most(768),
                      field("completion_timeout", &FunctionConfig::completion_timeout,
                            "Time after which a request without completion fails")
                          .at_least(50us)
                          .at_most(std::chrono::seconds{64}),
                      field("one_queue", &FunctionConfig::one_queue,
                            "Models a faulty receiver with one queue for requests and completions: once this number of "
                            "its completions wait to be sent, it accepts neither. 0: a correct receiver")
                          .at_least(0)
                          .at_most(1'000'000),
                      field("relaxed_ordering", &FunctionConfig::relaxed_ordering,
                            "Enable Relaxed Ordering: its reads and payload writes carry RO, and their completions may "
                            "pass earlier posted requests")
                          .from("off: safe for every device"),
                      field("id_based_ordering", &FunctionConfig::id_based_ordering,
                            "IDO Request Enable and IDO Completion Enable: its requests and their completions wait "
                            "only for posted requests of the same requester")
                          .from("off: the default of Linux")};
  }
};

}  // namespace peerpath::device
