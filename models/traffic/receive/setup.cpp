#include "traffic/receive/setup.hpp"

#include <algorithm>

#include "peerpath/scenario/frames.hpp"
#include "peerpath/scenario/queues.hpp"
#include "scenario/capture/capture_reader.hpp"
#include "traffic/receive/kind.hpp"
#include "transport/traffic/pattern_stream.hpp"
#include "transport/traffic/replay_stream.hpp"

namespace peerpath::platform {
namespace {

net::FlowKey whole_flow() {
  net::FlowKey mask;
  mask.source.fill(0xff);
  mask.destination.fill(0xff);
  mask.source_port = mask.destination_port = 0xffff;
  return mask;
}

nic::QueueIndex queue_index(int queue) { return nic::QueueIndex{static_cast<std::uint16_t>(queue)}; }

}  // namespace

std::vector<observe::StageResult> receive_stages() {
  return {{"pipeline", "From the last bit on the wire until the NIC has parsed the frame", {}},
          {"descriptor", "In the FIFO until buffer descriptors are available", {}},
          {"dma", "DMA writes until the last byte is in memory: queues, credits, address translation and transit", {}},
          {"writeback", "Until its completion entry is in host memory", {}},
          {"moderation", "Until the interrupt, which moderation may delay", {}},
          {"driver", "Interrupt, wake-up, the core's queue, driver and protocol; for bounced payload, the copies", {}}};
}

void ReceiveSetup::add(std::size_t entry) {
  context_.meter.traffic[entry].stages = receive_stages();
  nics_.add(context_.entry(entry).from);
}

void ReceiveSetup::complete() {
  for (const auto& nic : nics_.all()) receive(nic);
}

void ReceiveSetup::receive(const std::string& name) {
  auto& nic = *context_.platform.find<Nic>(name);
  auto& meter = context_.meter;
  const auto problems = context_.problems.size();
  drive_queues(nic, name);
  if (context_.problems.size() > problems) return;
  const auto rate = nic.config().wire_rate;
  auto& sender = *(senders_[name] = std::make_unique<transport::EthernetSender>(rate));
  sender.watch([&meter, rate](const auto& arrival) { meter.frame(arrival, rate); });
  for (const auto& flows : flow_ranges(context_.scenario, name)) {
    // A write of an unsplit frame carries its headers too.
    if (!goes_through_host(context_, flows.entry) && nic.config().header_split)
      meter.count_arrivals(flows.entry, context_.platform.node(context_.entry(flows.entry).to));
    else
      meter.count_failures(flows.entry, Meter::Failing::ends_packets);
    steer(nic, name, flows);
    if (flows.is_fed) add_stream(flows, sender);
  }
  nic.rings()->journal().set_sink(&meter);
  if (!sender.empty()) context_.platform.domain.feed({nic.device(), 0}, sender);
}

void ReceiveSetup::drive_queues(Nic& nic, const std::string& name) {
  for (const auto& share : receive_shares(context_.scenario, name)) {
    const auto first = share.entries.front();
    const auto& t = context_.entry(first);
    auto* cpu = cpu_of(context_, first, "receive");
    if (cpu == nullptr) return;
    if (context_.refused(first, t.to)) {  // nobody sets its queues up
      for (const int queue : share.queues) nic.behaviour().datapath().stop_rx(queue_index(queue), Instant{});
      continue;
    }
    cpu->receive(nic, share.queues, context_.platform.find<Gpu>(t.to), goes_through_host(context_, first),
                 buffers_of(context_, first), t.path != scenario::DataPath::staged);
  }
}

void ReceiveSetup::steer(Nic& nic, const std::string& name, const FlowRange& flows) {
  const auto shares = receive_shares(context_.scenario, name);
  if (shares.size() == 1) return;
  const auto& queues = std::ranges::find_if(shares, [&](const auto& share) {
                         return std::ranges::find(share.entries, flows.entry) != share.entries.end();
                       })->queues;
  for (std::uint32_t f = 0; f < flows.count; ++f)
    nic.behaviour().datapath().steering().add_rule(
        {flows.first + f, net::generated_flow(flows.first + f), whole_flow(), queue_index(queues[f % queues.size()])});
}

void ReceiveSetup::add_stream(const FlowRange& flows, transport::EthernetSender& sender) {
  const auto& t = context_.entry(flows.entry);
  if (t.replays()) return replay(flows.entry, sender);
  transport::FramePattern pattern;
  pattern.stream = static_cast<std::uint16_t>(flows.entry);
  pattern.rate = t.rate;
  pattern.payloads = t.sizes;
  pattern.flows = static_cast<std::uint32_t>(t.flows);
  pattern.first_flow = flows.first;
  pattern.arrival = law_of(t.arrival);
  pattern.burst = t.burst;
  pattern.count = scenario::frames_of(t).value_or(0);
  sender.add(std::make_unique<transport::PatternStream>(pattern, context_.random_of(t)));
}

void ReceiveSetup::replay(std::size_t entry, transport::EthernetSender& sender) {
  const auto& receive = *context_.entry(entry).as<scenario::traffic::Receive>();
  const auto& files = context_.captures;
  auto frames = capture::read_capture(entry < files.size() ? files[entry].string() : receive.capture);
  if (!frames) {
    auto what = frames.error();
    if (what.key.empty()) what.key = "/traffic/" + std::to_string(entry) + "/capture";
    context_.problems.push_back(what);
    return;
  }
  const auto scale = static_cast<std::int64_t>(receive.time_scale * 1e6 + 0.5);
  sender.add(std::make_unique<transport::ReplayStream>(
      std::make_shared<const std::vector<transport::CapturedFrame>>(std::move(*frames)),
      transport::Replay{static_cast<std::uint16_t>(entry), Instant{}, scale}));
}

}  // namespace peerpath::platform

namespace peerpath::scenario::traffic {

std::unique_ptr<platform::KindSetup> Kind<Receive>::set_up(platform::SetupContext& context) {
  return std::make_unique<platform::ReceiveSetup>(context);
}

}  // namespace peerpath::scenario::traffic
