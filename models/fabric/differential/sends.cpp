#include "fabric/differential/sends.hpp"

#include "fabric/differential/draw.hpp"
#include "fabric/differential/parts.hpp"

namespace peerpath::fabric::differential {

void add_sends(Scenario& s) {
  Draw draw{s.seed ^ 0x5e4d5};
  if (draw.chance(50)) return;
  const int told = draw.one_of({0, 20, 100}), noticed = draw.one_of({0, 10, 100});
  for (Planned& p : s.planned) {
    if (pcie::request_class(p.transaction.op) != pcie::TlpClass::posted) continue;
    p.transaction.tell_sent = draw.chance(told);
    p.transaction.notify_sent = p.transaction.tell_sent && draw.chance(noticed);
  }
  for (Exchange& exchange : s.exchanges) {
    if (exchange.kind != Exchange::Kind::receive_ring || !draw.chance(80)) continue;
    exchange.interrupts = true;
    exchange.d = {exchange.a.node, new_channel(s.topology, exchange.a.node)};
  }
}

}  // namespace peerpath::fabric::differential
