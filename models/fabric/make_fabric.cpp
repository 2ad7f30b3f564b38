#include "fabric/engine/computed_fabric.hpp"
#include "fabric/reference/event_reference.hpp"

namespace peerpath::fabric {

std::unique_ptr<Fabric> make_fabric(const Topology& topology, DeliverySink& sink, Mode mode) {
  if (mode == Mode::event) return std::make_unique<EventReference>(topology, sink);
  return std::make_unique<ComputedFabric>(topology, sink);
}

}  // namespace peerpath::fabric
