#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "flows/flow_network.hpp"

namespace peerpath::flows {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;
using simgrid::kernel::routing::NetZoneImpl;
using simgrid::kernel::routing::Route;
using LinkImpl = simgrid::kernel::resource::StandardLinkImpl;

/// Two hosts stand for all, since a flow brings its way: SimGrid asks for that as the flow starts.
class Zone final : public NetZoneImpl {
 public:
  Zone() : NetZoneImpl{"network"} {}

  std::vector<LinkImpl*> way{};  ///< of the flow that starts next

 private:
  void get_local_route(const NetPoint*, const NetPoint*, Route* into, double* latency) override {
    into->link_list_.insert(into->link_list_.end(), way.begin(), way.end());
    if (latency != nullptr) *latency = 0;
  }
};

class SimGridNetwork;

struct Running {
  s4u::CommPtr comm{};
  SimGridNetwork* network = nullptr;
  FlowIndex flow = 0;
};

class SimGridNetwork final : public FlowNetwork {
 public:
  explicit SimGridNetwork(std::span<const BitRate> links) : engine_{make_engine()}, begin_{s4u::Engine::get_clock()} {
    zone_ = new Zone;  // the engine takes it down
    auto* zone = zone_->get_iface();
    from_ = zone->create_host("from", 1)->seal();
    to_ = zone->create_host("to", 1)->seal();
    for (std::size_t i = 0; i < links.size(); ++i)
      links_.push_back(zone->create_link("l" + std::to_string(i), static_cast<double>(links[i].bps()) / 8)
                           ->set_latency(0)
                           ->seal()
                           ->get_impl());
    zone->seal();
  }

  void start(FlowIndex flow, std::span<const LinkIndex> way, Bytes bytes) override {
    if (running_.size() <= flow) running_.resize(flow + 1);
    if (!running_[flow]) running_[flow] = std::make_unique<Running>(Running{{}, this, flow});
    auto& running = *running_[flow];
    zone_->way.clear();
    for (const auto link : way) zone_->way.push_back(links_[link]);
    running.comm = s4u::Comm::sendto_init(from_, to_);
    running.comm->set_payload_size(static_cast<std::uint64_t>(bytes.count()))->set_data(&running);
    running.comm->start();
    ++left_;
  }

  Bytes stop(FlowIndex flow) override {
    const Bytes left{static_cast<std::int64_t>(running_[flow]->comm->get_remaining())};
    running_[flow]->comm->cancel();
    --left_;
    return left;
  }

  void wake(Instant when, std::uint64_t detail) override {
    const auto seconds = static_cast<double>(when.time_since_epoch().count()) / 1e15;
    simgrid::kernel::timer::Timer::set(begin_ + seconds, [this, detail] {
      --left_;
      woken(detail, now());
    });
    ++left_;
  }

  void run(Instant until) override {
    engine_->run_until(begin_ + static_cast<double>(until.time_since_epoch().count()) / 1e15);
  }

  bool idle() const override { return left_ == 0; }

 private:
  /// SimGrid's configuration and its list of listeners are the process's, so they are set up once.
  static std::unique_ptr<s4u::Engine> make_engine() {
    std::string name = "peerpath", quiet = "--log=root.thres:critical";
    std::array<char*, 3> arguments{name.data(), quiet.data(), nullptr};
    int count = 2;
    auto engine = std::make_unique<s4u::Engine>(&count, arguments.data());
    static const bool is_set_up = [] {
      for (const auto* option : {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0",
                                 "network/weight-S:0", "network/latency-factor:1", "network/bandwidth-factor:1"})
        s4u::Engine::set_config(option);
      s4u::Activity::on_completion_cb([](const s4u::Activity& activity) {
        const auto* running = static_cast<const s4u::Comm&>(activity).get_data<Running>();
        if (activity.get_state() == s4u::Activity::State::FINISHED) running->network->finished(running->flow);
      });
      return true;
    }();
    static_cast<void>(is_set_up);
    return engine;
  }

  Instant now() const {
    return Instant{
        std::chrono::nanoseconds{static_cast<std::int64_t>((s4u::Engine::get_clock() - begin_) * 1e9 + 0.5)}};
  }

  void finished(FlowIndex flow) {
    --left_;
    spent_ = std::move(running_[flow]->comm);  // SimGrid still looks at it when this returns
    ended(flow, now());
  }

  std::unique_ptr<s4u::Engine> engine_;
  double begin_;  ///< SimGrid's clock goes on from one network of a process to the next
  Zone* zone_ = nullptr;
  s4u::Host *from_ = nullptr, *to_ = nullptr;
  std::vector<LinkImpl*> links_;
  std::vector<std::unique_ptr<Running>> running_;
  s4u::CommPtr spent_{};
  std::int64_t left_ = 0;
};

}  // namespace

std::unique_ptr<FlowNetwork> make_flow_network(std::span<const BitRate> links) {
  return std::make_unique<SimGridNetwork>(links);
}

}  // namespace peerpath::flows
