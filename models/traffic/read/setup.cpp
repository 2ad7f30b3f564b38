#include "traffic/dma/setup.hpp"
#include "traffic/read/kind.hpp"

namespace peerpath::scenario::traffic {

std::unique_ptr<platform::KindSetup> Kind<Read>::set_up(platform::SetupContext& context) {
  return std::make_unique<platform::DmaSetup>(context, pcie::Operation::memory_read);
}

}  // namespace peerpath::scenario::traffic
