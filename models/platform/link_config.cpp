#include "peerpath/platform/link_config.hpp"

#include "core/pcie/link_rate.hpp"

namespace peerpath::platform {

fabric::LinkDirection link_direction(const LinkConfig& config, Bytes max_payload) {
  if (config.internal) return {.rate = BitRate{32'000'000'000'000}, .framing = Bytes{0}};
  if (config.inter_socket > BitRate{})
    return {.rate = config.inter_socket,
            .framing = Bytes{0},
            .propagation = config.propagation,
            .credits = config.credits,
            .update_fc = config.propagation};
  const auto timing = pcie::link_timing(config.shape, max_payload, config.dllp, config.link_share);
  return {.rate = timing.rate,
          .framing = timing.framing + config.tlp_gap,
          .propagation = config.propagation,
          .credits = config.credits,
          .vc1_credits = config.vc1_credits,
          .vc_arbitration = config.vc_arbitration,
          .update_fc = config.update_fc,
          .ack_interval = config.ack_interval.value_or(timing.ack_interval),
          .fc_interval = config.update_fc_interval.value_or(timing.fc_interval),
          .bits_per_error = config.bit_error_rate > 0 ? static_cast<std::int64_t>(1 / config.bit_error_rate + 0.5) : 0,
          .replay_delay = config.replay_delay,
          .errors = config.error_sequence};
}

}  // namespace peerpath::platform
