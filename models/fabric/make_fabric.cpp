#include "fabric/event_reference.hpp"

namespace peerpath::fabric {

std::unique_ptr<Fabric> make_fabric(const Topology& topology, DeliverySink& sink, Mode) {
  return std::make_unique<EventReference>(topology, sink);
}

}  // namespace peerpath::fabric
