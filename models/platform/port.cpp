#include "platform/port.hpp"

namespace peerpath::platform {

void bind(Port& a, Port& b, const LinkConfig& config) {
  a.link = b.link = config;
  a.link.tlp_gap = Bytes{};
  if (config.error_sequence) {  // each direction has its own
    a.link.error_sequence = 2 * *config.error_sequence;
    b.link.error_sequence = 2 * *config.error_sequence + 1;
  }
  a.peer = &b;
  b.peer = &a;
}

}  // namespace peerpath::platform
