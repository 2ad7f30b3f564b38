#include "traffic/dma/setup.hpp"
#include "traffic/atomic/kind.hpp"

namespace peerpath::scenario::traffic {

std::unique_ptr<platform::KindSetup> Kind<Atomic>::set_up(platform::SetupContext& context) {
  return std::make_unique<platform::DmaSetup>(context, pcie::Operation::memory_read, true);
}

}  // namespace peerpath::scenario::traffic
