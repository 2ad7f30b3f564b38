#include <algorithm>

#include "peerpath/net/ethernet.hpp"
#include "peerpath/scenario/frames.hpp"
#include "peerpath/scenario/queues.hpp"
#include "traffic/network/setup.hpp"
#include "traffic/transmit/kind.hpp"
#include "transport/traffic/frame_stream.hpp"

namespace peerpath::platform {
namespace {

constexpr Bytes sent_headers{66};  ///< Ethernet, IPv4, TCP with timestamps

std::vector<observe::StageResult> transmit_stages() {
  return {{"post", "From the application through the driver to its doorbell; for bounced payload, the copies", {}},
          {"descriptor", "Doorbell, descriptor read, and waiting for space in the transmit FIFO", {}},
          {"dma", "DMA reads until the last byte is in the NIC: queues, credits, address translation and transit", {}},
          {"writeback", "Until its completion entry is in host memory", {}},
          {"moderation", "Until the interrupt, which moderation may delay", {}},
          {"driver", "Interrupt, the core's queue, and the driver's processing of the completion", {}}};
}

/// What a packet takes of the wire, cut to segments of at most `largest`.
Bytes on_wire(Bytes packet, Bytes largest) {
  const auto whole = packet / largest;
  const Bytes rest = packet % largest;
  Bytes wire = net::wire_size(sent_headers + largest) * whole;
  if (whole == 0 || rest > Bytes{0}) wire += net::wire_size(sent_headers + rest);
  return wire;
}

/// The receive entry that takes the frames of a transmit entry by a cable, if one does.
std::optional<FlowRange> far_end(const scenario::Scenario& scenario, const std::string& sender) {
  for (const auto& t : scenario.traffic)
    if (t.sender() == sender)
      for (const auto& flows : flow_ranges(scenario, t.from))
        if (scenario.traffic[flows.entry].sender() == sender) return flows;
  return std::nullopt;
}

/// The transmit entries. The queues of a NIC are shared out evenly between them.
class TransmitSetup final : public KindSetup {
 public:
  explicit TransmitSetup(SetupContext& context) : context_{context} {}

  void add(std::size_t entry) override {
    context_.meter.traffic[entry].stages = transmit_stages();
    nics_.add(context_.entry(entry).from);
  }

  void complete() override {
    for (const auto& nic : nics_.all())
      for (const auto& share : transmit_shares(context_.scenario, nic))
        if (!send(*context_.platform.find<Nic>(nic), share)) break;
  }

 private:
  /// Whether there are cores that do so.
  bool send(Nic& nic, const scenario::QueueShare& share) {
    const auto i = share.entries.front();
    auto& meter = context_.meter;
    auto* cpu = cpu_of(context_, i, "send");
    if (cpu == nullptr) return false;
    cpu->watch_sent(&meter);
    auto payload = buffers_of(context_, i);
    for (std::size_t q = 0; q < share.queues.size(); ++q) {
      auto send = send_of(nic, share, q);
      if (payload) {
        send.mapped = payload;
        payload->address = payload->address + send.packet * nic.config().ring_entries;
      }
      if (!context_.refused(i, context_.entry(i).to)) cpu->send(nic, send);
      meter.owners.map_queue(nic.node(), nic::QueueIndex{static_cast<std::uint16_t>(send.queue)}, i);
      // Offered is what the application would send at this rate.
      meter.add_offers(i, planned_arrivals(send.interval, send.burst, send.packet));
      if (!send.bounce)
        meter.count_arrivals(i, nic.node());
      else
        meter.count_failures(i, Meter::Failing::ends_packets);
    }
    return true;
  }

  /// What queue `q` of a share sends.
  Send send_of(const Nic& nic, const scenario::QueueShare& share, std::size_t q) const {
    const auto i = share.entries.front();
    const auto& t = context_.entry(i);
    const auto queues = share.queues.size();
    const Bytes largest = scenario::largest_segment(nic.config());
    Send send;
    send.queue = share.queues[q];
    send.from = context_.platform.find<Gpu>(t.to);
    send.bounce = goes_through_host(context_, i);
    send.by_core = t.path != scenario::DataPath::staged;
    send.packet = t.sizes[q % t.sizes.size()];
    send.segment = send.packet > largest ? largest : Bytes{0};
    send.interval = on_wire(send.packet, largest) * static_cast<std::int64_t>(queues) / t.rate;
    send.burst = t.arrival == scenario::ArrivalLaw::burst ? t.burst : 1;
    send.flows = static_cast<int>(flows_of(t, queues) / queues);
    if (const auto far = far_end(context_.scenario, t.name)) {
      send.first_flow = far->first + static_cast<std::uint32_t>(q) * static_cast<std::uint32_t>(send.flows);
      send.first_handle = transport::frame_handle(static_cast<std::uint16_t>(far->entry), 0);
    }
    return send;
  }

  SetupContext& context_;
  NamesInTurn nics_;
};

}  // namespace
}  // namespace peerpath::platform

namespace peerpath::scenario::traffic {

std::unique_ptr<platform::KindSetup> Kind<Transmit>::set_up(platform::SetupContext& context) {
  return std::make_unique<platform::TransmitSetup>(context);
}

}  // namespace peerpath::scenario::traffic
