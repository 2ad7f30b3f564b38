#include "tools/peerpath/run/backends.hpp"

#include <array>

namespace peerpath::cli {
namespace {

constexpr std::array known{
    Backend{"model", "Cycle-approximate SystemC model", ""},
    Backend{"emulator", "QEMU devices under an unmodified kernel", ""},
    Backend{"hardware", "Real NICs and GPUs", ""},
};

}  // namespace

std::span<const Backend> backends() { return known; }

}  // namespace peerpath::cli
