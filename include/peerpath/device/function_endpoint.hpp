// What the fabric knows of a PCIe function.
#pragma once

#include "peerpath/device/function_config.hpp"
#include "peerpath/fabric/topology.hpp"

namespace peerpath::device {

/// Its completions are as long as its writes may be.
inline fabric::Endpoint endpoint_of(const FunctionConfig& function, int channels) {
  return {.max_payload = function.max_payload,
          .max_read_request = function.max_read_request,
          .max_completion = function.max_payload,
          .tags = function.tags,
          .completion_timeout = function.completion_timeout,
          .channels = channels,
          .one_queue = function.one_queue};
}

}  // namespace peerpath::device
