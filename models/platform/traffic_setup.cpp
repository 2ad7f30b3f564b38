#include "platform/traffic_setup.hpp"

#include <algorithm>

#include "peerpath/net/ethernet.hpp"
#include "peerpath/scenario/frames.hpp"
#include "peerpath/scenario/queues.hpp"
#include "platform/stages.hpp"
#include "scenario/capture/capture_reader.hpp"
#include "scenario/tree.hpp"
#include "transport/traffic/pattern_stream.hpp"
#include "transport/traffic/replay_stream.hpp"

namespace peerpath::platform {
namespace {

namespace traffic = scenario::traffic;

constexpr Bytes tcp_headers{66};  ///< Ethernet, IPv4, TCP with timestamps

transport::Arrival law_of(scenario::ArrivalLaw law) {
  switch (law) {
    case scenario::ArrivalLaw::regular:
      return transport::Arrival::regular;
    case scenario::ArrivalLaw::jittered:
      return transport::Arrival::jittered;
    case scenario::ArrivalLaw::poisson:
      return transport::Arrival::poisson;
    case scenario::ArrivalLaw::burst:
      return transport::Arrival::burst;
  }
  return transport::Arrival::regular;
}

/// Flows of an entry of either kind: each transmit queue has as many as the others, one at least.
std::uint32_t flows_of(const scenario::Traffic& t, std::size_t queues) {
  const auto each = std::max(1, t.flows / static_cast<int>(queues));
  return static_cast<std::uint32_t>(each) * static_cast<std::uint32_t>(queues);
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
    : scenario_{scenario}, platform_{platform}, meter_{meter}, windows_{scenario::bar1_plans(scenario)} {
  // In the order of their entries, for that is the order in which queues get their cores.
  std::vector<std::string> receivers, transmitters;
  const auto once = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    const auto& t = scenario.traffic[i];
    observe::TrafficResult result;
    result.name = t.name;
    result.kind = t.kind();
    const auto path = bounced(i) ? scenario::DataPath::bounce : t.path;
    result.path = name_of(path);
    result.from = t.from;
    result.to = t.to;
    result.requesters = {t.from};
    if (through_host(path))
      meter.owners.map_copies(platform.node(t.to),
                              t.is<traffic::Transmit>() ? pcie::Operation::memory_write : pcie::Operation::memory_read,
                              i);
    if (through_host(path))  // in the order of the payload's way
      result.requesters.insert(t.is<traffic::Transmit>() ? result.requesters.begin() : result.requesters.end(), t.to);
    if (t.is<traffic::Receive>()) result.stages = receive_stages();
    if (t.is<traffic::Transmit>()) result.stages = transmit_stages();
    meter.add_entry(std::move(result));
    if (t.is<traffic::Receive>()) once(receivers, t.from);
    if (t.is<traffic::Transmit>()) once(transmitters, t.from);
    if (const auto* dma = t.as<traffic::Dma>()) transfer(i, *dma);
    if (const auto* copies = t.as<traffic::Copy>()) copy(i, *copies);
    if (t.is<traffic::Gpunet>()) sockets(i);
  }
  attach_copies();
  meter.record_stages(scenario.run.stage_interval);
  for (const auto& device : scenario.devices)
    if (const auto* function = scenario::function_of(device))
      meter.map_requester(platform.node(device.name), function->max_read_request);
  for (const auto& [name, nic] : platform.all<Nic>()) meter.owners.map_nic(nic->node(), nic->rings()->journal());
  for (const auto& cable : scenario.cables) join(cable);
  for (const auto& nic : receivers) receive(nic, captures);
  for (const auto& nic : transmitters) transmit(nic);
  platform.domain.reactor().observe(&meter);
  platform.domain.reactor().keep(&meter.owners);
  platform.domain.keep_accounts(meter.owners.accounts());
}

Random TrafficSetup::random_of(const scenario::Traffic& t) const {
  return {static_cast<std::uint64_t>(scenario_.run.seed), "traffic " + t.name};
}

transport::ArrivalProcess TrafficSetup::arrival_process(const scenario::Traffic& t) const {
  return {{t.rate, law_of(t.arrival), t.burst, Instant{}}, random_of(t)};
}

bool TrafficSetup::refused(std::size_t entry) const {
  const auto* mapping = scenario::bar1_mapping(windows_, entry);
  return mapping != nullptr && mapping->verdict == scenario::Bar1Verdict::refused;
}

bool TrafficSetup::bounced(std::size_t entry) const {
  const auto* mapping = scenario::bar1_mapping(windows_, entry);
  return mapping != nullptr && mapping->verdict == scenario::Bar1Verdict::bounced;
}

std::optional<BusAddress> TrafficSetup::mapped(std::size_t entry) {
  const auto* mapping = scenario::bar1_mapping(windows_, entry);
  if (mapping == nullptr || mapping->given == Bytes{0}) return std::nullopt;
  return platform_.find<Gpu>(scenario_.traffic[entry].to)->map(mapping->given);
}

/// Where the payload of a NIC's traffic is, if that is known before its queues are set up.
std::optional<Buffers> TrafficSetup::buffers(std::size_t entry) {
  const auto& to = scenario_.traffic[entry].to;
  const auto& device = platform_.device(to);
  if (const auto open = device.open_memory()) return Buffers{device.node(), *open};
  const auto in_window = mapped(entry);
  return in_window ? std::optional{Buffers{device.node(), *in_window}} : std::nullopt;
}

void TrafficSetup::problem(std::size_t entry, const std::string& key, const std::string& message) {
  problems_.push_back({{}, 0, 0, "/traffic/" + std::to_string(entry) + "/" + key, message});
}

void TrafficSetup::join(const scenario::Cable& cable) {
  const auto port = [&](const std::string& nic) { return EthernetPort{platform_.find<Nic>(nic)->device(), 0}; };
  const auto rate = platform_.find<Nic>(cable.from)->config().wire_rate;
  platform_.domain.join(port(cable.from), port(cable.to),
                        {rate, cable.delay, [this, rate](const auto& arrival) { meter_.frame(arrival, rate); }});
}

void TrafficSetup::receive(const std::string& name, const std::vector<std::filesystem::path>& captures) {
  auto& nic = *platform_.find<Nic>(name);
  const auto shares = receive_shares(scenario_, name);
  for (const auto& share : shares) {
    const auto first = share.entries.front();
    const auto& t = scenario_.traffic[first];
    auto* cpu = platform_.cpu_of(t.as<traffic::Network>()->headers_to);
    if (cpu == nullptr) return problem(first, "headers_to", "a host needs a host_cpu to receive");
    if (refused(first)) {  // nobody sets its queues up
      for (const int queue : share.queues)
        nic.behaviour().datapath().stop_rx(nic::QueueIndex{static_cast<std::uint16_t>(queue)}, Instant{});
      continue;
    }
    cpu->receive(nic, share.queues, platform_.find<Gpu>(t.to), through_host(t.path) || bounced(first), buffers(first),
                 t.path != scenario::DataPath::staged);
  }

  auto& sender = *(senders_[name] = std::make_unique<transport::EthernetSender>(nic.config().wire_rate));
  sender.watch([this, rate = nic.config().wire_rate](const auto& arrival) { meter_.frame(arrival, rate); });
  std::uint32_t first_flow = 0;
  for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) {
    const auto& t = scenario_.traffic[i];
    if (t.from != name || !t.is<traffic::Receive>()) continue;
    // A write of an unsplit frame carries its headers too.
    if (!through_host(t.path) && !bounced(i) && nic.config().header_split)
      meter_.count_arrivals(i, platform_.node(t.to));
    auto flows = static_cast<std::uint32_t>(t.flows);
    const auto sent_by = t.sender();
    if (sent_by) {
      far_ends_[*sent_by] = {i, first_flow};
      flows = flows_of_sender(*sent_by);
    }
    if (shares.size() > 1) {
      const auto mine = std::ranges::find_if(shares, [i](const auto& share) {
                          return std::ranges::find(share.entries, i) != share.entries.end();
                        })->queues;
      for (std::uint32_t f = 0; f < flows; ++f)
        nic.behaviour().datapath().steering().add_rule(
            {first_flow + f, net::generated_flow(first_flow + f), whole_flow(),
             nic::QueueIndex{static_cast<std::uint16_t>(mine[f % mine.size()])}});
    }
    if (!sent_by) add_stream(i, first_flow, captures, sender);
    first_flow += flows;
  }
  nic.rings()->journal().set_sink(&meter_);
  if (!sender.empty()) platform_.domain.feed({nic.device(), 0}, sender);
}

std::uint32_t TrafficSetup::flows_of_sender(const std::string& name) const {
  const auto sender = std::ranges::find(scenario_.traffic, name, &scenario::Traffic::name);
  const auto entry = static_cast<std::size_t>(sender - scenario_.traffic.begin());
  for (const auto& share : transmit_shares(scenario_, sender->from))
    if (share.entries.front() == entry) return flows_of(*sender, share.queues.size());
  return 0;
}

void TrafficSetup::add_stream(std::size_t entry, std::uint32_t first_flow,
                              const std::vector<std::filesystem::path>& captures, transport::EthernetSender& sender) {
  const auto& t = scenario_.traffic[entry];
  const auto stream = static_cast<std::uint16_t>(entry);
  if (!t.replays()) {
    transport::FramePattern pattern;
    pattern.stream = stream;
    pattern.rate = t.rate;
    pattern.payloads = t.sizes;
    pattern.flows = static_cast<std::uint32_t>(t.flows);
    pattern.first_flow = first_flow;
    pattern.arrival = law_of(t.arrival);
    pattern.burst = t.burst;
    pattern.count = scenario::frames_of(t).value_or(0);
    sender.add(std::make_unique<transport::PatternStream>(pattern, random_of(t)));
    return;
  }
  const auto& replayed = *t.as<traffic::Receive>();
  const auto path = entry < captures.size() ? captures[entry] : std::filesystem::path{replayed.capture};
  auto frames = capture::read_capture(path.string());
  if (!frames) {
    auto what = frames.error();
    if (what.key.empty()) what.key = "/traffic/" + std::to_string(entry) + "/capture";
    problems_.push_back(what);
    return;
  }
  const auto scale = static_cast<std::int64_t>(replayed.time_scale * 1e6 + 0.5);
  sender.add(std::make_unique<transport::ReplayStream>(
      std::make_shared<const std::vector<transport::CapturedFrame>>(std::move(*frames)),
      transport::Replay{stream, Instant{}, scale}));
}

void TrafficSetup::transmit(const std::string& name) {
  auto& nic = *platform_.find<Nic>(name);
  for (const auto& [entries, queues] : transmit_shares(scenario_, name)) {
    const auto i = entries.front();
    const auto& t = scenario_.traffic[i];
    auto* cpu = platform_.cpu_of(t.as<traffic::Network>()->headers_to);
    if (cpu == nullptr) return problem(i, "headers_to", "a host needs a host_cpu to send");
    cpu->watch_sent(&meter_);
    auto payload = buffers(i);
    const Bytes largest = scenario::largest_segment(nic.config());
    for (std::size_t q = 0; q < queues.size(); ++q) {
      const Bytes packet = t.sizes[q % t.sizes.size()];
      const auto whole = packet / largest;
      const Bytes rest = packet % largest;
      Bytes wire = net::wire_size(tcp_headers + largest) * whole;
      if (whole == 0 || rest > Bytes{0}) wire += net::wire_size(tcp_headers + rest);
      Send send;
      send.queue = queues[q];
      send.from = platform_.find<Gpu>(t.to);
      send.bounce = through_host(t.path) || bounced(i);
      send.by_core = t.path != scenario::DataPath::staged;
      send.packet = packet;
      send.segment = packet > largest ? largest : Bytes{0};
      send.interval = wire * static_cast<std::int64_t>(queues.size()) / t.rate;
      send.burst = t.arrival == scenario::ArrivalLaw::burst ? t.burst : 1;
      send.flows = static_cast<int>(flows_of(t, queues.size()) / queues.size());
      if (const auto far = far_ends_.find(t.name); far != far_ends_.end()) {
        send.first_flow =
            far->second.first_flow + static_cast<std::uint32_t>(q) * static_cast<std::uint32_t>(send.flows);
        send.first_handle = transport::frame_handle(static_cast<std::uint16_t>(far->second.entry), 0);
      }
      if (payload) {
        send.mapped = payload;
        payload->address = payload->address + packet * nic.config().ring_entries;
      }
      if (!refused(i)) cpu->send(nic, send);
      meter_.owners.map_queue(nic.node(), nic::QueueIndex{static_cast<std::uint16_t>(send.queue)}, i);
      // Offered is what the application would send at this rate.
      meter_.add_offers(i, planned_arrivals(send.interval, send.burst, packet));
      if (!send.bounce) meter_.count_arrivals(i, nic.node());
    }
  }
}

void TrafficSetup::transfer(std::size_t entry, const scenario::traffic::Dma& dma) {
  const auto& t = scenario_.traffic[entry];
  const auto op = t.is<traffic::Write>() ? pcie::Operation::memory_write : pcie::Operation::memory_read;
  const auto target = platform_.node(t.to);
  const auto count = scenario::frames_of(t).value_or(0);
  meter_.add_offers(entry, arrivals_of(arrival_process(t), t.sizes, count));
  if (!platform_.device(t.from).lands_elsewhere())
    meter_.count_arrivals(entry, op == pcie::Operation::memory_read ? platform_.node(t.from) : target);

  if (refused(entry)) return;
  const auto* mapping = scenario::bar1_mapping(windows_, entry);
  const bool remapped = mapping != nullptr && mapping->verdict == scenario::Bar1Verdict::remapped;
  const auto window = mapped(entry);
  const auto memory = window ? *window : platform_.device(t.to).memory(dma.window + dma.offset);
  const auto address = (memory + dma.offset).value();
  auto& device = platform_.device(t.from);
  const bool random = dma.addresses == scenario::Addresses::random;
  if (t.arrival == scenario::ArrivalLaw::regular && dma.traffic_class == 0 && dma.bytes == Bytes{} && !remapped)
    if (const auto stream = device.start(
            {op, target, address, dma.window, t.sizes, t.rate, random,
             [this, entry](Instant begin, Instant end, Bytes size) { meter_.done(entry, begin, end, size); }}))
      return meter_.owners.map_stream(device, *stream, entry);
  transport::DmaPattern pattern;
  pattern.stream = static_cast<std::uint16_t>(entry + 1);  // 0: what a card does itself
  pattern.op = op;
  pattern.target = target;
  pattern.traffic_class = static_cast<std::uint8_t>(dma.traffic_class);
  pattern.address = address;
  pattern.window = dma.window;
  pattern.flows = t.flows;
  pattern.random = random;
  pattern.sizes = t.sizes;
  pattern.rate = t.rate;
  pattern.arrival = law_of(t.arrival);
  pattern.burst = t.burst;
  pattern.count = count;
  if (remapped) {
    auto& gpu = *platform_.find<Gpu>(t.to);
    pattern.pieces = pieces_
                         .emplace_back(std::make_unique<gpu::Bar1Pieces>(
                             gpu.bar1(), gpu.config().bar1.piece, dma.window, memory - gpu.window(), mapping->given))
                         .get();
    pattern.address = gpu.window().value();
  }
  pattern.outstanding = dma.outstanding.value_or(device.outstanding());
  device.shape(pattern, t.is<traffic::Atomic>());
  if (leaves_by_one_queue(t.from))
    platform_.find<Gpu>(t.from)->queue(pattern, dma.outstanding.value_or(device.outstanding()));
  start_source(entry, std::move(pattern));
}

void TrafficSetup::start_source(std::size_t entry, transport::DmaPattern pattern) {
  const auto& t = scenario_.traffic[entry];
  const auto source = platform_.node(t.from);
  if (!leaves_by_one_queue(t.from)) meter_.limit_in_flight(entry, pattern.outstanding);
  auto& dma = *dma_.emplace_back(std::make_unique<transport::DmaSource>(std::move(pattern), random_of(t)));
  sources_[entry] = &dma;
  dma.watch([this, entry](Instant when, Instant over, const fabric::Delivery& d) {
    if (d.status == pcie::Status::success) meter_.transferred(entry, when, over, d.bytes, over - d.ready);
  });
  if (leaves_by_one_queue(t.from)) {
    queued_[t.from].sources.emplace_back(&dma, entry);
    return;
  }
  auto& endpoint = platform_.domain.endpoint(source);
  ++endpoint.channels;
  const auto device =
      platform_.domain.attach(dma, {.node = source, .channels = 1, .hears_arrivals = true, .only_asks = true});
  meter_.owners.map_source(source, platform_.domain.first_channel(device), entry);
}

void TrafficSetup::copy(std::size_t entry, const scenario::traffic::Copy& copy) {
  const auto& t = scenario_.traffic[entry];
  auto& result = meter_.traffic[entry];
  meter_.add_offers(entry, arrivals_of(arrival_process(t), t.sizes));
  const bool from_gpu = platform_.find<Gpu>(t.from) != nullptr, to_gpu = platform_.find<Gpu>(t.to) != nullptr;
  gpu::CopyWork work;
  work.by_kernel = copy.by == scenario::CopyBy::kernel;
  work.single = copy.submission == scenario::Submission::single;
  work.sizes = t.sizes;
  work.rate = t.rate;
  work.chunk = copy.chunk;
  work.port = static_cast<int>(entry);
  if (const auto& host = copy.through.empty() ? (from_gpu ? t.to : t.from) : copy.through;
      platform_.find<HostMemory>(host) != nullptr) {
    auto& memory = platform_.device(host);
    work.host = {memory.node(), memory.memory(std::ranges::max(t.sizes))};
  }
  const auto add = [&](const std::string& name, gpu::CopyWork::Way way, gpu::CopyWork::Stage stage, bool tells) {
    auto& [streams, entries] = copies_[name];
    if (!streams) streams = std::make_unique<gpu::CopyStreams>(platform_.find<Gpu>(name)->config());
    work.way = way;
    work.stage = stage;
    if (tells)
      work.done = [this, entry](Instant begin, Instant end, Bytes size) {
        meter_.transferred(entry, begin, end, size);
      };
    streams->add(work);
    entries.push_back(entry);
    result.requesters.push_back(name);
  };
  using Way = gpu::CopyWork::Way;
  using Stage = gpu::CopyWork::Stage;
  result.requesters.clear();
  if (!from_gpu || !to_gpu) {
    add(from_gpu ? t.from : t.to, from_gpu ? Way::from_gpu : Way::to_gpu, Stage::none, true);
  } else if (copy.through.empty()) {  // no link of the fabric carries it
    add(t.from, Way::to_peer, Stage::none, true);
  } else {
    add(t.from, Way::from_gpu, Stage::first, false);
    add(t.to, Way::to_gpu, Stage::second, true);
  }
  if (work.way != Way::to_peer) meter_.count_arrivals(entry, platform_.node(t.to));
}

void TrafficSetup::sockets(std::size_t entry) {
  const auto& t = scenario_.traffic[entry];
  auto& result = meter_.traffic[entry];
  for (const auto& [name, doc] : GpuSockets::stages(t, platform_.find<HostMemory>(t.from) != nullptr))
    result.stages.push_back({name, doc, {}});
  result.requesters.clear();
  for (const auto& end : {t.from, t.to})
    if (const auto* proxy = platform_.find<GpunetProxy>(end)) {
      result.requesters.push_back(proxy->config().gpu);
      if (!proxy->config().nic.empty()) result.requesters.push_back(proxy->config().nic);
    }
  const auto& sockets = *sockets_.emplace_back(std::make_unique<GpuSockets>(
      t, platform_, [this, entry](Instant when, Bytes size) { meter_.offered(entry, when, size); },
      [this, entry](const proxy::Moments& at, Bytes size) {
        meter_.transferred(entry, at.front(), at.back(), size);
        meter_.staged(entry, at);
      }));
  for (const auto& [node, device] : sockets.sources())
    meter_.owners.map_source(node, platform_.domain.first_channel(device), entry);
}

/// With one entry alone there is nobody to queue with.
bool TrafficSetup::leaves_by_one_queue(const std::string& name) const {
  const auto* gpu = platform_.find<Gpu>(name);
  if (gpu == nullptr || !gpu->config().kernels || !gpu->config().kernels->one_queue) return false;
  std::size_t accesses = 0, copies = 0;
  for (const auto& t : scenario_.traffic) {
    const auto* copy = t.as<traffic::Copy>();
    if (copy != nullptr)
      copies += t.from == name || t.to == name;
    else
      accesses += t.from == name && t.as<traffic::Dma>() != nullptr;
  }
  return accesses > 0 && accesses + copies > 1;
}

device::DeviceIndex TrafficSetup::attach_queue(const std::string& name, gpu::CopyStreams* copies) {
  const auto& gpu = *platform_.find<Gpu>(name);
  const auto& config = gpu.config();
  auto& [queue, sources] = queued_[name];
  queue = std::make_unique<gpu::RequestQueue>(
      config.function.tags, config.copies ? config.copies->request : config.function.max_read_request,
      config.copies ? config.copies->write_rate : BitRate{}, config.kernels->read_turn);
  if (copies != nullptr) copies->queue();
  if (copies != nullptr) queue->add(*copies, static_cast<int>(copies->size()), gpu::RequestQueue::Asks::engine);
  std::vector<int> before;
  for (const auto& [source, entry] : sources)
    before.push_back(queue->add(*source, 1, gpu::RequestQueue::Asks::kernel, source->reaction()));
  platform_.domain.endpoint(gpu.node()).channels += queue->channels();
  const auto device = platform_.domain.attach(
      *queue, {.node = gpu.node(), .channels = queue->channels(), .hears_arrivals = true, .only_asks = true});
  const auto first = platform_.domain.first_channel(device).value();
  for (std::size_t n = 0; n < sources.size(); ++n)
    meter_.owners.map_source(gpu.node(), fabric::ChannelIndex{static_cast<std::uint16_t>(first + before[n])},
                             sources[n].second);
  return device;
}

void TrafficSetup::attach_copies() {
  struct Staged {
    std::vector<DeviceIndex> ends;
    Duration hand_over{};  // of the GPU that takes the chunks in
  };
  std::map<std::size_t, Staged> staged;  // by entry
  for (auto& [name, copies] : copies_) {
    const auto& gpu = *platform_.find<Gpu>(name);
    const auto channels = static_cast<int>(copies.streams->size());
    DeviceIndex device;
    if (queued_.contains(name)) {
      device = attach_queue(name, copies.streams.get());
    } else {
      platform_.domain.endpoint(gpu.node()).channels += channels;
      device = platform_.domain.attach(
          *copies.streams, {.node = gpu.node(), .channels = channels, .hears_arrivals = true, .only_asks = true});
    }
    const auto first = platform_.domain.first_channel(device).value();
    for (std::size_t n = 0; n < copies.entries.size(); ++n) {
      const auto entry = copies.entries[n];
      meter_.owners.map_source(gpu.node(), fabric::ChannelIndex{static_cast<std::uint16_t>(first + n)}, entry);
      const auto& traffic = scenario_.traffic[entry];
      if (traffic.as<traffic::Copy>()->through.empty()) continue;
      staged[entry].ends.push_back(device);
      if (traffic.to == name)
        staged[entry].hand_over = gpu.config().copies.value_or(device::CopiesConfig{}).hand_over_to;
    }
  }
  for (const auto& [name, queued] : queued_)
    if (!queued.queue) attach_queue(name, nullptr);
  constexpr BitRate at_once{400'000'000'000'000};
  for (const auto& [entry, copy] : staged) {
    const auto port = static_cast<int>(entry);
    platform_.domain.join({copy.ends[0], port}, {copy.ends[1], port}, {at_once, copy.hand_over, {}});
  }
}

}  // namespace peerpath::platform
