#include "devices/gpunet_proxy/platform.hpp"

#include <algorithm>

#include "devices/gpu/platform.hpp"
#include "devices/gpunet_proxy/kind.hpp"
#include "devices/host_memory/platform.hpp"
#include "devices/nic/platform.hpp"
#include "devices/root_complex/platform.hpp"
#include "peerpath/base/fail.hpp"
#include "platform/platform.hpp"
#include "platform/report.hpp"

namespace peerpath::platform {
namespace {

constexpr Bytes bell_page{4096};

/// Moments of the lanes of each pattern.
constexpr proxy::Stamps of_stream{.stored = 1, .seen = 2, .sent = 3, .announced = 4, .found = 5, .taken = 6};
constexpr proxy::Stamps of_request{.sent = 1, .announced = 2, .found = 3};
constexpr proxy::Stamps of_request_by_gpu{.stored = 1, .announced = 2, .found = 3};
constexpr proxy::Stamps of_answer{.stored = 4, .sent = 5, .taken = 6};
constexpr proxy::Stamps of_answer_to_gpu{.stored = 4, .announced = 5, .taken = 6};
constexpr proxy::Stamps of_photograph{.taken = 4};
constexpr proxy::Stamps of_verdict{.stored = 5, .taken = 6};

}  // namespace

GpunetProxy::GpunetProxy(HostMemory& host, const device::GpunetProxyConfig& config)
    : Device{host.node()}, config_{config}, host_{host} {}

std::any GpunetProxy::count(Instant now) {
  Counted sum;
  for (const auto& [cores, number, blocks] : served_) {
    const auto one = cores->counters(number, now);
    sum.proxy.busy += one.busy;
    sum.proxy.sends += one.sends;
    sum.proxy.sent_entries += one.sent_entries;
    sum.proxy.receives += one.receives;
    sum.proxy.doorbells += one.doorbells;
    sum.proxy.completions += one.completions;
    sum.proxy.stalls += one.stalls;
    sum.blocks.polls += blocks->counters().polls;
    sum.blocks.pieces += blocks->counters().pieces;
  }
  return sum;
}

void GpunetProxy::report(Report& report, const std::string& name, const std::any& before, const std::any& after) const {
  const auto &a = std::any_cast<const Counted&>(before), &b = std::any_cast<const Counted&>(after);
  const auto add = [&](const char* what, std::int64_t value, const char* doc) {
    report.add(name + what, "1", value, doc);
  };
  report.results.resources.push_back({name, b.proxy.busy - a.proxy.busy, report.window * config_.threads});
  add(".sends", b.proxy.sends - a.proxy.sends, "send calls for data of the GPU");
  add(".sent_entries", b.proxy.sent_entries - a.proxy.sent_entries, "Entries of the GPU sent by these calls");
  add(".receives", b.proxy.receives - a.proxy.receives, "recv calls that returned data");
  add(".work_requests", b.proxy.doorbells - a.proxy.doorbells, "Work requests posted to the NIC");
  add(".completions", b.proxy.completions - a.proxy.completions, "Receive completions of the NIC");
  add(".stalls", b.proxy.stalls - a.proxy.stalls, "Polls that stalled for lack of a credit, ring space or a buffer");
  add(".gpu_polls", b.blocks.polls - a.blocks.polls, "Polls of host memory by the GPU");
  add(".gpu_entries", b.blocks.pieces - a.blocks.pieces, "Entries consumed by the GPU");
}

// ------------------------------------------------------------------------------------------------ an entry

GpuSockets::GpuSockets(const scenario::Traffic& traffic, Platform& platform, Began began, Done done)
    : traffic_{traffic}, began_{std::move(began)}, done_{std::move(done)} {
  const auto& what = *traffic.as<scenario::traffic::Gpunet>();
  way_.rdma = what.channel == scenario::SocketChannel::rdma;
  way_.tcp = what.channel == scenario::SocketChannel::tcp;
  way_.bounce = traffic.path == scenario::DataPath::bounce;
  way_.by_gpu = what.doorbell == scenario::Doorbell::gpu;
  for (const auto& name : {traffic.to, traffic.from}) {
    auto* proxy = platform.find<GpunetProxy>(name);
    if (proxy == nullptr) continue;
    auto& end = *ends_.emplace_back(std::make_unique<End>());
    end.proxy = proxy;
    end.name = name;
    end.plan.config = proxy->config();
  }
  for (int n = 0; n < traffic.flows; ++n) connect(what);
  for (const auto& lane : all_) lanes_.push_back(lane.get());
  for (auto& end : ends_) place(*end, platform);
  attach(platform);
}

proxy::Lane* GpuSockets::lane(proxy::Track* track, const proxy::Stamps& stamps, End* from, End* to) {
  auto* lane = all_.emplace_back(std::make_unique<proxy::Lane>()).get();
  lane->track = track;
  lane->stamps = stamps;
  if (from != nullptr) from->plan.out.push_back(lane);
  if (to != nullptr) to->plan.in.push_back(lane);
  return lane;
}

proxy::Track& GpuSockets::track() {
  auto& track = *tracks_.emplace_back(std::make_unique<proxy::Track>());
  track.began = began_;
  track.done = done_;
  return track;
}

void GpuSockets::stream(End& from, End& to, Duration work) {
  auto* way = lane(&track(), of_stream, &from, &to);
  from.blocks.push_back({.job = proxy::Job::send, .out = way, .sizes = traffic_.sizes, .work = work});
  to.blocks.push_back({.job = proxy::Job::take, .in = way, .sizes = traffic_.sizes});
}

void GpuSockets::connect(const scenario::traffic::Gpunet& what) {
  using Pattern = scenario::SocketPattern;
  auto& to = *ends_.front();
  auto* from = ends_.size() > 1 ? ends_.back().get() : nullptr;
  if (what.pattern == Pattern::stream) return stream(*from, to, Duration{});
  if (what.pattern == Pattern::mapreduce) return stream(*from, to, what.work), stream(to, *from, what.work);
  auto& own = track();
  auto* request = lane(&own, from != nullptr ? of_request_by_gpu : of_request, from, &to);
  const bool compares = what.pattern == Pattern::face_server;
  auto* answer = lane(&own, compares ? of_verdict : from != nullptr ? of_answer_to_gpu : of_answer, &to, from);
  if (from != nullptr) {
    from->blocks.push_back({.job = proxy::Job::ping, .in = answer, .out = request, .sizes = traffic_.sizes});
  } else {
    client_.out.push_back(request);
    client_.in.push_back(answer);
    client_.sizes = traffic_.sizes;
    if (compares) client_.answer = what.answer;
  }
  if (!compares)
    return to.blocks.push_back({.job = proxy::Job::echo, .in = request, .out = answer, .sizes = traffic_.sizes});
  answer->of_answers = true;
  auto* ask = lane(nullptr, {}, &to, nullptr);
  auto* photograph = lane(&own, of_photograph, nullptr, &to);
  store_.in.push_back(ask);
  store_.out.push_back(photograph);
  store_.sizes = traffic_.sizes;
  store_.request = what.answer;
  to.blocks.push_back({.job = proxy::Job::compare,
                       .in = request,
                       .out = answer,
                       .store_in = photograph,
                       .store_out = ask,
                       .sizes = traffic_.sizes,
                       .answer = what.answer,
                       .work = what.work});
}

/// Memory at the host and the GPU, and a page of doorbells at the NIC.
void GpuSockets::place(End& end, Platform& platform) {
  auto& host = end.proxy->host();
  const auto words = proxy::entry_bytes * static_cast<std::int64_t>(std::max<std::size_t>(16, end.blocks.size()));
  end.places.host = host.node();
  end.places.words = host.reserve(words).value();
  end.places.rings = host.reserve(end.plan.config.ring).value();
  windows_[host.node()].push_back({end.places.words, static_cast<std::uint64_t>(words.count())});
  if (!way_.rdma) return;
  end.places.nic = platform.node(end.plan.config.nic);
  end.places.bell = platform.domain.place(end.places.nic, bell_page, false).value();
}

void GpuSockets::attach(Platform& platform) {
  auto& domain = platform.domain;
  const auto join = [&](device::Endpoint& device, fabric::NodeId node, device::Place place) {
    ++domain.endpoint(node).channels;
    place.node = node;
    place.channels = 1;
    return domain.attach(device, place);
  };
  for (auto& end : ends_) {
    auto& cores = cores_[end->proxy->node()];
    if (!cores) cores = std::make_unique<proxy::Cores>(way_, lanes_);
    const auto number = cores->proxies();
    cores->add(end->plan,
               way_.rdma ? std::optional{proxy::Cores::Bell{end->places.nic, end->places.bell}} : std::nullopt);
    const auto& gpu = *platform.find<Gpu>(end->plan.config.gpu);
    const auto latency = gpu.config().kernels ? gpu.config().kernels->read_latency : Duration{};
    end->gpu = std::make_unique<proxy::Blocks>(end->plan.config, latency, way_, end->places, lanes_, end->blocks);
    end->proxy->serves(*cores, number, *end->gpu);
    const auto told = way_.by_gpu ? domain.place(gpu.node(), bell_page, false).value() : end->places.words;
    device::Place place{.hears_arrivals = true, .only_asks = !way_.by_gpu};
    if (way_.by_gpu) place.windows = {{told, static_cast<std::uint64_t>(bell_page.count())}};
    sources_.emplace_back(gpu.node(), join(*end->gpu, gpu.node(), place));
    if (!way_.rdma) continue;
    const auto payload =
        way_.bounce ? end->places.rings : platform.find<Gpu>(end->plan.config.gpu)->map(end->plan.config.ring).value();
    end->nic = std::make_unique<proxy::WireEnd>(end->plan.config.rdma,
                                                proxy::WirePlaces{way_.bounce ? end->places.host : gpu.node(), payload,
                                                                  way_.by_gpu ? gpu.node() : end->places.host, told},
                                                lanes_);
    end->nic_device = join(*end->nic, end->places.nic,
                           {.windows = {{end->places.bell, static_cast<std::uint64_t>(bell_page.count())}}});
    sources_.emplace_back(end->places.nic, end->nic_device);
  }
  const auto& costs = ends_.front()->plan.config;
  auto& at_server = *cores_[ends_.front()->proxy->node()];
  if (!client_.out.empty()) at_server.add(client_, way_.tcp ? costs.tcp : costs.local);
  if (!store_.in.empty()) at_server.add(store_, way_.tcp ? costs.tcp : costs.local);
  for (auto& [node, cores] : cores_) join(*cores, node, {.windows = windows_[node]});
  if (!way_.rdma) return;
  const auto& nic = *platform.find<Nic>(costs.nic);
  domain.join({ends_[0]->nic_device, 0}, {ends_[1]->nic_device, 0}, {nic.config().wire_rate, costs.rdma.delay, {}});
}

std::vector<std::pair<std::string, std::string>> GpuSockets::stages(const scenario::Traffic& traffic, bool from_host) {
  using Pattern = scenario::SocketPattern;
  const auto pattern = traffic.as<scenario::traffic::Gpunet>()->pattern;
  if (pattern == Pattern::stream || pattern == Pattern::mapreduce)
    return {{"store", "From gsend until its entry is in host memory or the GPU has rung the doorbell"},
            {"sweep", "Until the proxy has seen the entry"},
            {"channel", "Until its send call returns"},
            {"announce", "Until the other proxy or a NIC has notified the GPU"},
            {"poll", "Until the GPU has seen the notification"},
            {"copy", "Until the block has the data"}};
  const std::pair<std::string, std::string> first =
      from_host ? std::pair{"channel", "From the program's send until its last byte is in the kernel"}
                : std::pair{"store", "From gsend until its entry is in host memory or the GPU has rung the doorbell"};
  const std::pair<std::string, std::string> announce{"announce", "Until the GPU's proxy or a NIC has notified the GPU"};
  const std::pair<std::string, std::string> poll{"poll", "Until the GPU has seen the notification"};
  if (pattern == Pattern::face_server)
    return {first,
            announce,
            poll,
            {"copy", "Until the GPU has the second photograph from memcached"},
            {"answer", "Until the block has computed the answer and stored it in host memory"},
            {"sweep", "Until the program has received the answer"}};
  return {first,
          announce,
          poll,
          {"answer", "Until the block's answer is in host memory, its copy included"},
          {"sweep", "Until the proxy has sent the answer or the other proxy has announced it"},
          {"copy", "Until the requester has received the answer"}};
}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::GpunetProxyConfig>::make(const std::string&,
                                                                                const GpunetProxyConfig& config,
                                                                                const scenario::Scenario&,
                                                                                platform::Platform& platform) {
  const auto* root = platform.find<platform::RootComplex>(config.at);
  for (const auto& [name, memory] : platform.all<platform::HostMemory>())
    if (root != nullptr && memory->port.peer == &root->memory)
      return std::make_unique<platform::GpunetProxy>(*memory, config);
  fail("a proxy needs host memory at its root complex");
}

}  // namespace peerpath
