#include "platform/network/host_model.hpp"

#include <algorithm>

#include "loop/loop.hpp"
#include "observe/ledger.hpp"
#include "peerpath/scenario/bar1.hpp"

namespace peerpath::network_run {
namespace {

namespace traffic = scenario::traffic;

constexpr Bytes rdma_buffers{64 << 20};  ///< of the NIC in host memory

bool is_of_the_wire(const scenario::Traffic& entry) {
  return entry.is<traffic::Receive>() || entry.is<traffic::Transmit>();
}

/// A host of its own: with other random numbers, and with no more rings than its NIC needs that uses none.
scenario::Scenario of_host(scenario::Scenario scenario, std::size_t number) {
  scenario.run.seed += static_cast<int>(number);
  for (auto& device : scenario.devices)
    if (auto* nic = std::get_if<device::NicConfig>(&device.config)) {
      nic->queues = 1;
      nic->ring_entries = 16;
    }
  return scenario;
}

scenario::Scenario without_wire(scenario::Scenario scenario) {
  std::erase_if(scenario.traffic, is_of_the_wire);
  return scenario;
}

}  // namespace

tl::expected<std::unique_ptr<HostModel>, Problems> HostModel::make(const scenario::Loaded& node, std::size_t number) {
  auto host = std::make_unique<HostModel>(node, number);
  if (auto problems = host->build(); !problems.empty()) {
    for (auto& problem : problems) problem.file = node.file.generic_string();
    return tl::unexpected{std::move(problems)};
  }
  return host;
}

HostModel::HostModel(const scenario::Loaded& node, std::size_t number)
    : scenario_{of_host(node.scenario, number)},
      others_{without_wire(scenario_)},
      meter_{never, never, {}},
      platform_{scenario_, fabric::Mode::train},
      events_{scenario_, platform_},
      traffic_{others_, platform_, meter_, {}} {
  const auto entry = std::ranges::find_if(scenario_.traffic, is_of_the_wire);
  require(entry != scenario_.traffic.end(), "a node has a receive entry");
  const auto& nic = *platform_.find<platform::Nic>(entry->from);
  nic_ = nic.node();
  latency_ = std::max<Duration>(nic.config().pipeline_latency, std::chrono::nanoseconds{1});
  transmit_buffer_ = nic.config().tx_fifo;
  auto& endpoint = platform_.domain.endpoint(nic_);
  writes_.op = pcie::Operation::memory_write;
  writes_.channel = fabric::ChannelIndex{static_cast<std::uint16_t>(++endpoint.channels)};
  reads_.op = pcie::Operation::memory_read;
  reads_.channel = fabric::ChannelIndex{static_cast<std::uint16_t>(++endpoint.channels)};
  const auto plans = scenario::bar1_plans(node.scenario);
  for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) {
    if (scenario_.traffic[i].is<traffic::Receive>()) aim(writes_, i, plans);
    if (scenario_.traffic[i].is<traffic::Transmit>()) aim(reads_, i, plans);
  }
  if (reads_.window > 0) return;  // a host that is not said to send does so from where it receives
  reads_.target = writes_.target;
  reads_.address = writes_.address;
  reads_.window = writes_.window;
}

/// Where the payload of an entry is.
void HostModel::aim(Way& way, std::size_t entry, const std::vector<scenario::Bar1Plan>& plans) {
  const auto& to = scenario_.traffic[entry].to;
  auto& device = platform_.device(to);
  const auto* mapping = scenario::bar1_mapping(plans, entry);
  const bool in_window = platform_.find<platform::Gpu>(to) != nullptr && !device.open_memory();
  if (in_window && (mapping == nullptr || mapping->verdict != scenario::Bar1Verdict::mapped)) {
    problems_.push_back(
        {{},
         0,
         0,
         "/traffic/" + std::to_string(entry) + "/to",
         "the registered memory does not fit the GPU's BAR1 window, and a network scenario needs all of it mapped"});
    return;
  }
  const auto size = in_window ? mapping->given : rdma_buffers;
  way.target = device.node();
  way.window = size.count();
  way.address = (device.open_memory() ? *device.open_memory() : device.memory(size)).value();
}

Problems HostModel::build() {
  problems_.insert(problems_.end(), traffic_.problems().begin(), traffic_.problems().end());
  problems_.insert(problems_.end(), events_.problems().begin(), events_.problems().end());
  if (!problems_.empty()) return problems_;
  auto& domain = platform_.domain;
  domain.make();
  meter_.built(domain.topology());
  events_.built(domain.topology(), domain.fabric());
  reactor().observe(this);
  reactor().keep(nullptr);
  reactor().start();
  before_ = counted();
  return {};
}

void HostModel::submit(Way& way, Bytes size, Instant now) {
  if (way.next + size.count() > way.window) way.next = 0;
  fabric::Transaction t;
  t.cookie = way.first + way.under_way.size();
  t.target = way.target;
  t.op = way.op;
  t.address = way.address + static_cast<std::uint64_t>(way.next);
  t.bytes = size;
  t.ready = now + latency_;
  way.next += size.count();
  way.under_way.push({.asked = now, .size = size});
  reactor().submit(nic_, way.channel, t);
}

void HostModel::deliver(const fabric::Delivery& d) {
  if (d.requester != nic_ || d.kind == fabric::DeliveryKind::requested) return;
  if (d.channel != writes_.channel && d.channel != reads_.channel) return;
  const bool is_write = d.channel == writes_.channel;
  auto& way = is_write ? writes_ : reads_;
  way.under_way[d.cookie - way.first].done = d.done;
  if (d.status != pcie::Status::success) ++way.failed;
  for (; !way.under_way.empty() && way.under_way.front().done != never; way.under_way.pop(), ++way.first) {
    const auto& request = way.under_way.front();
    way.last = std::max(way.last, request.done);
    way.over += request.size;
    way.latency.record(way.last - request.asked);
    (is_write ? written : fetched).push(way.last);
  }
}

void HostModel::advance(Instant until) {
  if (until > reactor().horizon()) loop::drive(reactor(), until, until - reactor().horizon());
}

void HostModel::begin_window() {
  begun_ = reactor().horizon();
  before_ = counted();
  for (auto* way : {&writes_, &reads_}) {
    way->over = {};
    way->latency = {};
  }
}

std::vector<HostModel::Counted> HostModel::counted() {
  auto& domain = platform_.domain;
  std::vector<Counted> out;
  for (std::size_t link = 0; link < domain.topology().links.size(); ++link)
    for (const int direction : {0, 1}) {
      const auto c = domain.fabric().counters(fabric::LinkId{static_cast<std::uint16_t>(link)}, direction);
      out.push_back({c.busy + c.signalling - c.ahead, c.credit_stall});
    }
  return out;
}

std::vector<std::string> HostModel::violations() {
  auto& domain = platform_.domain;
  return observe::conservation(domain.topology(),
                               observe::take_snapshot(domain.fabric(), domain.topology().links.size()), false);
}

HostLimit HostModel::limit() {
  const auto scene = observe::scene_of(platform_.domain.topology(), platform_.labels());
  const auto after = counted();
  const auto percent = [time = std::max<Duration>(window(), Duration{1}).count()](Duration spent) {
    return observe::quotient(static_cast<WideInt>(spent.count()) * 100, time, 1);
  };
  // What is full comes first, then what waits for credits: behind that something takes in too little.
  const auto rank = [all = window()](Duration busy, Duration stalled) {
    if (busy > all / 100 * 95) return all * 2 + busy;
    return stalled > all / 20 ? all + stalled : busy;
  };
  HostLimit out;
  Duration most{-1};
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto& link = scene.links[i / 2];
    const auto busy = after[i].busy - before_[i].busy, stalled = after[i].stalled - before_[i].stalled;
    if (link.shape == "internal" || rank(busy, stalled) <= most) continue;
    most = rank(busy, stalled);
    out.percent = percent(busy + stalled);
    out.sentence = "link " + link.name + (static_cast<int>(i % 2) == link.up ? " up" : " down") + " is busy " +
                   to_string(percent(busy)) + " % of the time";
    if (stalled > busy / 50) out.sentence += ", and out of credits " + to_string(percent(stalled)) + " %";
  }
  return out;
}

}  // namespace peerpath::network_run
