// A posted flow NIC-switch-GPU with one exact SystemC event per packet completion, to be run under callgrind with N and
// 2 N packets: the difference over N is what a 4 KiB packet costs, fabric included.
//   peerpath_shell <packets> [quantum in us [event|train [none|counted]]]
#include <cstdlib>
#include <iostream>
#include <string>

#include "peerpath/sc/domain.hpp"
#include "peerpath/sc/link_config.hpp"
#include "peerpath/sc/time.hpp"

namespace {

using namespace peerpath;
using namespace peerpath::literals;
using namespace std::chrono_literals;

constexpr Duration gap = 4154_B / 200_Gbps;  // 4 KiB of payload and 58 B around it

/// Submits, once a batch, all packets that come due in it: its traffic waits for nothing.
class Sender final : public device::Endpoint {
 public:
  Sender(fabric::NodeId gpu, std::int64_t packets, Duration batch) : gpu_{gpu}, packets_{packets}, batch_{batch} {}
  void start(device::Outbox& out) override { send(Instant{}, out); }
  void on_wake(device::TimerId, Instant now, device::Outbox& out) override { send(now, out); }
  void on_delivery(const fabric::Delivery& delivery, device::Outbox&) override {
    ++completions;
    last = delivery.done;
  }
  std::int64_t completions = 0;
  Instant last{};

 private:
  void send(Instant now, device::Outbox& out) {
    for (; sent_ < packets_ && gap * sent_ < now + batch_ - Instant{}; ++sent_)
      out.submit(fabric::ChannelIndex{1}, {.target = gpu_,
                                           .notify_requester = true,
                                           .address = 0x100'0000'0000 + static_cast<std::uint64_t>(sent_ % 4096) * 4096,
                                           .bytes = 4096_B,
                                           .ready = Instant{gap * sent_}});
    if (sent_ < packets_) out.wake_at(device::TimerId{1}, now + batch_);
  }
  fabric::NodeId gpu_;
  std::int64_t packets_, sent_ = 0;
  Duration batch_;
};

}  // namespace

int sc_main(int argc, char** argv) {
  const std::int64_t packets = argc > 1 ? std::atoll(argv[1]) : 10'000;
  const Duration batch = std::chrono::microseconds{argc > 2 ? std::atoll(argv[2]) : 10};
  auto mode = fabric::Mode::train;
  for (const auto& [name, value] : enum_names(fabric::Mode{}))
    if (argc > 3 && name == argv[3]) mode = value;
  const auto dllp =
      argc > 4 && argv[4] == std::string{"counted"} ? pcie::DllpAccounting::counted : pcie::DllpAccounting::none;
  sc::set_femtosecond_resolution();
  sc::Domain domain{"pcie", {.mode = mode, .quantum = batch}};
  const auto bridge = domain.add_router("switch", {.latency = 110ns});
  // A completion is noted and answered by nothing: the next batch is sent on the sender's own timer.
  const auto nic = domain.add_endpoint("nic", {.reaction = Duration::max()});
  fabric::Endpoint memory{.reaction = Duration::max()};
  memory.service[0].rate = BitRate{3'200'000'000'000};
  const auto gpu = domain.add_endpoint("gpu", memory);
  const auto gen4 = sc::link_direction({.shape = {4, 16}, .dllp = dllp}, 256_B);
  const auto gen5 = sc::link_direction({.shape = {5, 16}, .dllp = dllp}, 256_B);
  domain.connect(bridge, nic, gen4, gen4);
  domain.connect(bridge, gpu, gen5, gen5);
  Sender sender{gpu, packets, batch};
  domain.attach(sender, {.node = nic, .hears_arrivals = true});
  sc_core::sc_start(sc::to_sc_time(gap * packets + Duration{10us}));
  std::cout << sender.completions << " packets, the last at " << femtoseconds(sender.last) << " fs\n";
  return sender.completions == packets ? 0 : 1;
}
