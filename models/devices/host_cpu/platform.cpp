#include "devices/host_cpu/platform.hpp"

#include <algorithm>
#include <utility>

#include "devices/gpu/platform.hpp"
#include "devices/host_cpu/driver_context.hpp"
#include "devices/host_cpu/kind.hpp"
#include "devices/host_memory/platform.hpp"
#include "devices/nic/platform.hpp"
#include "peerpath/base/fail.hpp"
#include "peerpath/net/headers.hpp"
#include "peerpath/scenario/queues.hpp"
#include "platform/platform.hpp"
#include "platform/report.hpp"

namespace peerpath::platform {
namespace {

constexpr Bytes staging_size{4 << 20};  ///< pinned memory of a bounced queue
constexpr Bytes completion_size{8};

nic::QueueIndex index(int queue) { return nic::QueueIndex{static_cast<std::uint16_t>(queue)}; }

}  // namespace

HostCpu::HostCpu(Domain& domain, HostMemory& host, const device::HostCpuConfig& config)
    : Device{host.node()}, config_{config}, domain_{domain}, host_{host} {
  domain.before_build([this] { complete(); });
}

host_cpu::NicSetup& HostCpu::setup(Nic& nic) {
  const auto found = std::ranges::find(nics_, nic.node(), &host_cpu::NicSetup::node);
  if (found != nics_.end()) return *found;
  host_cpu::NicSetup setup;
  setup.node = nic.node();
  setup.doorbells = {nic.node(), nic.doorbells()};
  setup.memory = nic.rings();
  setup.buffer_size = nic.config().buffer_size;
  setup.header_buffer_size = nic.config().header_buffer_size;
  return nics_.emplace_back(std::move(setup));
}

void HostCpu::receive(Nic& nic, const std::vector<int>& queues, Gpu* to, bool bounce, std::optional<Buffers> mapped,
                      bool by_core) {
  auto& drivers = setup(nic);
  const Bytes headers = drivers.header_buffer_size * drivers.memory->entries();
  const Bytes payload = drivers.buffer_size * drivers.memory->entries();
  const auto in_dram = [&](Bytes size) { return host_cpu::Region{{host_.node(), host_.reserve(size)}, size}; };
  if (to != nullptr && bounce) to->serve(host_);
  if (to != nullptr && !bounce && !mapped && !queues.empty())
    mapped = {to->node(), to->map(payload * static_cast<std::int64_t>(queues.size()))};
  for (const int queue : queues) {
    host_cpu::RxSetup rx;
    rx.queue = index(queue);
    rx.headers = in_dram(headers);
    rx.bounce = bounce && to != nullptr;
    if (!mapped || bounce) {
      rx.payload = in_dram(payload);
    } else {
      rx.payload = {{mapped->node, mapped->address}, payload};
      mapped->address = mapped->address + payload;
    }
    if (rx.bounce)
      rx.copy = {
          in_dram(staging_size), GpuAddress{}, {to->node(), to->doorbell()}, in_dram(completion_size).base, by_core};
    drivers.rx.push_back(rx);
  }
}

void HostCpu::send(Nic& nic, const Send& send) {
  auto& drivers = setup(nic);
  const auto in_dram = [&](Bytes size) { return host_cpu::Region{{host_.node(), host_.reserve(size)}, size}; };
  const Bytes payload = send.packet * drivers.memory->entries();
  const bool bounce = send.bounce && send.from != nullptr;
  host_cpu::TxSetup tx;
  tx.queue = index(send.queue);
  tx.headers = in_dram(Bytes{net::HeaderBytes::capacity} * drivers.memory->entries());
  if (bounce || (send.from == nullptr && !send.mapped))
    tx.payload = in_dram(payload);
  else if (send.mapped)
    tx.payload = {{send.mapped->node, send.mapped->address}, payload};
  else
    tx.payload = {{send.from->node(), send.from->map(payload)}, payload};
  tx.bounce = bounce;
  if (bounce) {
    send.from->serve(host_);
    tx.copy = {in_dram(staging_size),
               GpuAddress{},
               {send.from->node(), send.from->doorbell()},
               in_dram(completion_size).base,
               send.by_core};
  }
  tx.packet = send.packet;
  tx.mss = send.segment;
  tx.interval = send.interval;
  tx.burst = send.burst;
  tx.flows = send.flows;
  tx.first_flow = send.first_flow;
  tx.first_handle = send.first_handle;
  drivers.tx.push_back(tx);
}

void HostCpu::complete() {
  behaviour_.emplace(config_, host_.copies(), nics_);
  behaviour_->set_sent_sink(sent_sink_);
  domain_.attach(*behaviour_, {.node = host_.node(), .channels = host_cpu::host_channels});
}

std::any HostCpu::count(Instant now) {
  Counted counted;
  counted.counters = behaviour_->counters();
  for (const auto& core : behaviour_->cores()) counted.busy.push_back(core.busy_until(now));
  return counted;
}

void HostCpu::report(Report& report, const std::string& name, const std::any& before, const std::any& after) const {
  const auto &a = std::any_cast<const Counted&>(before), &b = std::any_cast<const Counted&>(after);
  observe::CpuResult cores{name, config_.cores, {}, b.counters.copied - a.counters.copied};
  for (std::size_t core = 0; core < b.busy.size(); ++core) {
    cores.busy += b.busy[core] - a.busy[core];
    cores.busiest = std::max(cores.busiest, b.busy[core] - a.busy[core]);
  }
  for (const auto& nic : nics_) {
    const auto& of = report.topology.nodes[nic.node.value()].name;
    const auto add = [&](const std::vector<scenario::QueueShare>& shares, auto vector_of) {
      for (const auto& share : shares)
        for (const int queue : share.queues)
          if (const auto core =
                  behaviour_->core_of_vector(nic.node, static_cast<std::uint32_t>(vector_of(index(queue)))))
            for (const auto entry : share.entries) {
              auto& busiest = cores.busiest_of[report.scenario.traffic[entry].name];
              busiest = std::max(busiest, b.busy[*core] - a.busy[*core]);
            }
    };
    add(scenario::receive_shares(report.scenario, of), nic::rx_vector);
    add(scenario::transmit_shares(report.scenario, of), nic::tx_vector);
  }
  report.results.cpus.push_back(cores);
  report.by_cores[node()].read += b.counters.dram_read - a.counters.dram_read;
  report.by_cores[node()].written += b.counters.dram_written - a.counters.dram_written;
  report.add(name + ".interrupts", "1", b.counters.interrupts - a.counters.interrupts, "Interrupts taken");
  report.add(name + ".polls", "1", b.counters.polls - a.counters.polls, "Iterations of the drivers' poll loops");
}

}  // namespace peerpath::platform

namespace peerpath {

std::unique_ptr<platform::Device> device::Kind<device::HostCpuConfig>::make(const std::string&,
                                                                            const HostCpuConfig& config,
                                                                            const scenario::Scenario&,
                                                                            platform::Platform& platform) {
  const auto* root = platform.find<platform::RootComplex>(config.at);
  for (const auto& [name, memory] : platform.all<platform::HostMemory>())
    if (root != nullptr && memory->port.peer == &root->memory)
      return std::make_unique<platform::HostCpu>(platform.domain, *memory, config);
  fail("cores need host memory at their root complex");
}

}  // namespace peerpath
