#include "traffic/dma/check.hpp"
#include "traffic/write/kind.hpp"

namespace peerpath::scenario::traffic {

void Kind<Write>::check(const Write& write, TrafficCheck& check) { check_dma(write, check); }

}  // namespace peerpath::scenario::traffic
