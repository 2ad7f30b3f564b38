#include "traffic/dma/setup.hpp"
#include "traffic/p2p_ring/kind.hpp"

namespace peerpath::scenario::traffic {

std::unique_ptr<platform::KindSetup> Kind<P2pRing>::set_up(platform::SetupContext& context) {
  return std::make_unique<platform::DmaSetup>(context, pcie::Operation::memory_write);
}

}  // namespace peerpath::scenario::traffic
