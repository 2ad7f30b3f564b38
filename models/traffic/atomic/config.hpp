// Options of atomic operations.
#pragma once

#include <string_view>

#include "traffic/dma/config.hpp"

namespace peerpath::scenario::traffic {

/// Kernels of a GPU add to words of another memory: a request and its answer each.
struct Atomic : Dma {
  static constexpr std::string_view name = "atomic";
};

}  // namespace peerpath::scenario::traffic
