#include "tools/peerpath/run/backends.hpp"

#include <array>

#include "tools/peerpath/run/run_on_emulator.hpp"
#include "tools/peerpath/run/run_on_hardware.hpp"
#include "tools/peerpath/run/run_on_model.hpp"

namespace peerpath::cli {

std::span<const Backend> backends() {
  static constexpr std::array all{
      Backend{"model", "Cycle-approximate SystemC model", "", needs_nothing, run_on_model},
      Backend{"emulator", "QEMU devices under an unmodified kernel", "PCIe", missing_for_emulator, run_on_emulator},
      Backend{"hardware", "Real NICs and GPUs", "PCIe", missing_on_node, run_on_hardware},
  };
  return all;
}

}  // namespace peerpath::cli
