#include "traffic/dma/setup.hpp"
#include "traffic/write/kind.hpp"

namespace peerpath::scenario::traffic {

std::unique_ptr<platform::KindSetup> Kind<Write>::set_up(platform::SetupContext& context) {
  return std::make_unique<platform::DmaSetup>(context, pcie::Operation::memory_write);
}

}  // namespace peerpath::scenario::traffic
