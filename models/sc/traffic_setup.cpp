#include "sc/traffic_setup.hpp"

#include <algorithm>
#include <tuple>

#include "peerpath/net/ethernet.hpp"
#include "peerpath/scenario/frames.hpp"
#include "scenario/capture/capture_reader.hpp"
#include "transport/traffic/pattern_stream.hpp"
#include "transport/traffic/replay_stream.hpp"

namespace peerpath::sc {
namespace {

using scenario::TrafficKind;

constexpr Bytes tcp_headers{66};         ///< Ethernet, IPv4, TCP with timestamps
constexpr Bytes ip_and_tcp{52};          ///< of those, what counts for the MTU
constexpr std::uint32_t most_rules = 4096;
constexpr int dma_outstanding = 64;      ///< of a device that is no DMA card

transport::Arrival law_of(scenario::ArrivalLaw law) {
  switch (law) {
    case scenario::ArrivalLaw::regular: return transport::Arrival::regular;
    case scenario::ArrivalLaw::jittered: return transport::Arrival::jittered;
    case scenario::ArrivalLaw::poisson: return transport::Arrival::poisson;
    case scenario::ArrivalLaw::burst: return transport::Arrival::burst;
  }
  return transport::Arrival::regular;
}

/// Queue numbers of share `share` of `shares`.
std::vector<int> share_of(int queues, std::size_t share, std::size_t shares) {
  std::vector<int> mine;
  for (int q = 0; q < queues; ++q)
    if (static_cast<std::size_t>(q) % shares == share) mine.push_back(q);
  return mine;
}

net::FlowKey whole_flow() {
  net::FlowKey mask;
  mask.source.fill(0xff);
  mask.destination.fill(0xff);
  mask.source_port = mask.destination_port = 0xffff;
  return mask;
}

}  // namespace

TrafficSetup::TrafficSetup(const scenario::Scenario& scenario, Platform& platform, Meter& meter,
                           const std::vector<std::filesystem::path>& captures)
    : scenario_{scenario}, platform_{platform}, meter_{meter} {
  std::map<std::string, std::vector<std::size_t>> receivers, transmitters;
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    const auto& t = scenario.traffic[i];
    observe::TrafficResult result;
    result.name = t.name;
    result.kind = name_of(t.kind);
    result.path = name_of(t.path);
    result.from = t.from;
    result.to = t.to;
    result.requesters = {t.from};
    if (t.path == scenario::DataPath::bounce) result.requesters.push_back(t.to);
    meter.traffic.push_back(result);
    meter.map_requester(platform.node(t.from), i);
    if (t.kind == TrafficKind::receive) receivers[t.from].push_back(i);
    if (t.kind == TrafficKind::transmit) transmitters[t.from].push_back(i);
    if (t.kind == TrafficKind::write || t.kind == TrafficKind::read) transfer(i);
  }
  for (const auto& [nic, entries] : receivers) receive(nic, entries, captures);
  for (const auto& [nic, entries] : transmitters) transmit(nic, entries);
  platform.domain.observe(&meter);
}

void TrafficSetup::problem(std::size_t entry, const std::string& key, const std::string& message) {
  problems_.push_back({{}, 0, 0, "/traffic/" + std::to_string(entry) + "/" + key, message});
}

void TrafficSetup::receive(const std::string& name, const std::vector<std::size_t>& entries,
                           const std::vector<std::filesystem::path>& captures) {
  auto& nic = *platform_.nics.at(name);
  using Destination = std::tuple<std::string, scenario::DataPath, std::string>;
  std::vector<Destination> destinations;
  for (const auto i : entries) {
    const auto& t = scenario_.traffic[i];
    const Destination d{t.to, t.path, t.headers_to};
    if (std::ranges::find(destinations, d) == destinations.end()) destinations.push_back(d);
  }
  const auto queues = nic.config().queues;
  if (destinations.size() > static_cast<std::size_t>(queues))
    return problem(entries[0], "from", "more destinations than the NIC has queues");
  for (std::size_t d = 0; d < destinations.size(); ++d) {
    const auto& [to, path, headers] = destinations[d];
    auto* cpu = platform_.cpu_of(headers);
    if (cpu == nullptr) return problem(entries[0], "headers_to", "a host needs a host_cpu to receive");
    const auto gpu = platform_.gpus.find(to);
    cpu->receive(nic, share_of(queues, d, destinations.size()), gpu == platform_.gpus.end() ? nullptr : gpu->second.get(),
                 path == scenario::DataPath::bounce);
  }

  auto& sender = *(senders_[name] = std::make_unique<transport::EthernetSender>(nic.config().wire_rate));
  sender.watch([this](const device::FrameArrival& arrival) { meter_.frame(arrival); });
  std::uint32_t first_flow = 0;
  for (const auto i : entries) {
    const auto& t = scenario_.traffic[i];
    const auto flows = static_cast<std::uint32_t>(t.flows);
    if (destinations.size() > 1) {
      if (!t.capture.empty() || first_flow + flows > most_rules)
        return problem(i, "to", "a NIC with several destinations steers by flow rules: no captures, 4096 flows at most");
      const Destination wanted{t.to, t.path, t.headers_to};
      const auto d = static_cast<std::size_t>(std::ranges::find(destinations, wanted) - destinations.begin());
      const auto mine = share_of(queues, d, destinations.size());
      for (std::uint32_t f = 0; f < flows; ++f)
        nic.behaviour().datapath().steering().add_rule(
            {first_flow + f, net::generated_flow(first_flow + f), whole_flow(),
             nic::QueueIndex{static_cast<std::uint16_t>(mine[f % mine.size()])}});
    }
    add_stream(i, first_flow, captures, sender);
    first_flow += flows;
  }
  nic.rings()->journal().set_sink(&meter_);
  platform_.domain.feed({nic.device(), 0}, sender);
}

void TrafficSetup::add_stream(std::size_t entry, std::uint32_t first_flow,
                              const std::vector<std::filesystem::path>& captures, transport::EthernetSender& sender) {
  const auto& t = scenario_.traffic[entry];
  const auto stream = static_cast<std::uint16_t>(entry);
  if (t.capture.empty()) {
    transport::FramePattern pattern;
    pattern.stream = stream;
    pattern.rate = t.rate;
    pattern.payloads = t.sizes;
    pattern.flows = static_cast<std::uint32_t>(t.flows);
    pattern.first_flow = first_flow;
    pattern.arrival = law_of(t.arrival);
    pattern.burst = t.burst;
    pattern.count = scenario::frames_of(t).value_or(0);
    const Random random{static_cast<std::uint64_t>(scenario_.run.seed), "traffic " + t.name};
    sender.add(std::make_unique<transport::PatternStream>(pattern, random));
    return;
  }
  const auto path = entry < captures.size() ? captures[entry] : std::filesystem::path{t.capture};
  auto frames = capture::read_capture(path.string());
  if (!frames) {
    auto what = frames.error();
    if (what.key.empty()) what.key = "/traffic/" + std::to_string(entry) + "/capture";
    problems_.push_back(what);
    return;
  }
  const auto scale = static_cast<std::int64_t>(t.time_scale * 1e6 + 0.5);
  sender.add(std::make_unique<transport::ReplayStream>(
      std::make_shared<const std::vector<transport::CapturedFrame>>(std::move(*frames)),
      transport::Replay{stream, Instant{}, scale}));
}

void TrafficSetup::transmit(const std::string& name, const std::vector<std::size_t>& entries) {
  auto& nic = *platform_.nics.at(name);
  for (std::size_t share = 0; share < entries.size(); ++share) {
    const auto i = entries[share];
    const auto& t = scenario_.traffic[i];
    const auto queues = share_of(nic.config().queues, share, entries.size());
    auto* cpu = platform_.cpu_of(t.headers_to);
    if (cpu == nullptr) return problem(i, "headers_to", "a host needs a host_cpu to send");
    if (queues.empty()) return problem(i, "from", "more transmit entries than the NIC has queues");
    if (t.path == scenario::DataPath::bounce) return problem(i, "path", "transmit has no bounce path; use zero_copy");
    if (t.arrival != scenario::ArrivalLaw::regular && t.arrival != scenario::ArrivalLaw::burst)
      return problem(i, "arrival", "transmit is regular or burst");
    cpu->watch_sent(&meter_);
    const auto gpu = platform_.gpus.find(t.to);
    const Bytes largest = nic.config().mtu - ip_and_tcp;
    for (std::size_t q = 0; q < queues.size(); ++q) {
      const Bytes packet = t.sizes[q % t.sizes.size()];
      const auto whole = packet / largest;
      const Bytes rest = packet % largest;
      Bytes wire = net::wire_size(tcp_headers + largest) * whole;
      if (whole == 0 || rest > Bytes{0}) wire += net::wire_size(tcp_headers + rest);
      HostCpu::Send send;
      send.queue = queues[q];
      send.from = gpu == platform_.gpus.end() ? nullptr : gpu->second.get();
      send.packet = packet;
      send.segment = packet > largest ? largest : Bytes{0};
      send.interval = wire * static_cast<std::int64_t>(queues.size()) / t.rate;
      send.burst = t.arrival == scenario::ArrivalLaw::burst ? t.burst : 1;
      send.flows = std::max(1, t.flows / static_cast<int>(queues.size()));
      cpu->send(nic, send);
      meter_.map_queue(nic.node(), nic::QueueIndex{static_cast<std::uint16_t>(send.queue)}, i);
      // Offered is what the application would send at this rate.
      const auto window = scenario_.run.measure / send.interval;
      meter_.traffic[i].offered_packets += window;
      meter_.traffic[i].offered_payload += packet * window;
    }
  }
}

void TrafficSetup::transfer(std::size_t entry) {
  const auto& t = scenario_.traffic[entry];
  const auto op = t.kind == TrafficKind::read ? pcie::Operation::memory_read : pcie::Operation::memory_write;
  const auto source = platform_.node(t.from), target = platform_.node(t.to);
  const auto address = platform_.memory_of(t.to, t.window).value();
  const auto seed = static_cast<std::uint64_t>(scenario_.run.seed);
  Bytes round{};
  for (const auto size : t.sizes) round += size;
  const auto offered = static_cast<WideInt>(t.rate.bps()) * scenario_.run.measure.count() / 8 / 1'000'000'000'000'000;
  meter_.traffic[entry].offered_payload = Bytes{static_cast<std::int64_t>(offered)};
  meter_.traffic[entry].offered_packets =
      static_cast<std::int64_t>(offered * static_cast<WideInt>(t.sizes.size()) / round.count());

  const auto card = platform_.cards.find(t.from);
  if (card != platform_.cards.end() && t.arrival == scenario::ArrivalLaw::regular) {
    dma_card::Stream stream;
    stream.steps = {t.kind == TrafficKind::read ? dma_card::Step::read : dma_card::Step::write};
    stream.target = target;
    stream.address = address;
    stream.window = t.window;
    stream.sizes = t.sizes;
    stream.rate = t.rate;
    card->second->add(stream);
    meter_.map_transfers(source, op, target, address, t.window, entry);
    return;
  }
  transport::DmaPattern pattern;
  pattern.stream = static_cast<std::uint16_t>(entry);
  pattern.op = op;
  pattern.target = target;
  pattern.address = address;
  pattern.window = t.window;
  pattern.flows = t.flows;
  pattern.sizes = t.sizes;
  pattern.rate = t.rate;
  pattern.arrival = law_of(t.arrival);
  pattern.burst = t.burst;
  const auto gpu = platform_.gpus.find(t.from);
  pattern.outstanding =
      gpu == platform_.gpus.end() ? dma_outstanding : gpu->second->config().outstanding.value_or(dma_outstanding);
  auto& dma = *dma_.emplace_back(std::make_unique<transport::DmaSource>(pattern, Random{seed, "traffic " + t.name}));
  dma.watch([this, entry](Instant when, const fabric::Delivery& d) {
    if (d.status == pcie::Status::success) meter_.done(entry, when, d.done, d.bytes);
  });
  auto& endpoint = platform_.domain.endpoint(source);
  ++endpoint.channels;
  platform_.domain.attach(dma, {.node = source, .channels = 1, .hears_arrivals = true});
}

}  // namespace peerpath::sc
