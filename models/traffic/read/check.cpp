#include "traffic/dma/check.hpp"
#include "traffic/read/kind.hpp"

namespace peerpath::scenario::traffic {

void Kind<Read>::check(const Read& read, TrafficCheck& check) { check_dma(read, check); }

}  // namespace peerpath::scenario::traffic
