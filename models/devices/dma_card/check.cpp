#include "devices/dma_card/kind.hpp"
#include "scenario/check/device_check.hpp"

namespace peerpath::device {

void Kind<DmaCardConfig>::check(const DmaCardConfig& card, scenario::DeviceCheck& check) {
  check.bar("memory", card.memory, card.bar_address);
}

}  // namespace peerpath::device
