#include "fabric/engine/state.hpp"

#include <algorithm>

namespace peerpath::fabric::engine {

[[gnu::noinline]] void State::notice(EndpointState& endpoint, Femto done) {
  --endpoint.notices_coming;
  --notices_coming;
  if (endpoint.config.reaction >= Duration{unknown_time / 2}) return;
  const Femto bound = done + femtoseconds(endpoint.config.reaction);
  bounds.push(bound);
  horizon = std::min(horizon, bound);
}

void State::bound_horizon() {
  while (!bounds.empty() && bounds.top() <= reached) bounds.pop();
  if (!bounds.empty()) horizon = std::min(horizon, bounds.top());
}

void State::mark_old_records() {
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    if (!records[i].alive || records[i].rerouted) continue;
    records[i].rerouted = true;
    ++old_records;
  }
}

Femto EndpointState::read_time(std::int32_t bytes) {
  if (read_bytes != bytes) {
    read_bytes = bytes;
    read_spacing = config.read_rate.bps() > 0 ? femtoseconds(Bytes{bytes} / config.read_rate) : 0;
  }
  return read_spacing;
}

/// Works out how long a TLP of this size occupies the server of its class.
Femto EndpointState::serve(int tlp_class, std::int32_t data_dw) {
  Femto& known = occupancy[static_cast<std::size_t>(tlp_class)][static_cast<std::size_t>(data_dw)];
  const ServiceTime& service = config.service[static_cast<std::size_t>(tlp_class)];
  known = femtoseconds(service.per_tlp);
  if (service.rate.bps() > 0 && data_dw > 0) known += femtoseconds(Bytes{4 * data_dw} / service.rate);
  return known;
}

}  // namespace peerpath::fabric::engine
