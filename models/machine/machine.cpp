#include "machine/machine.hpp"

#include <algorithm>
#include <utility>

#include "peerpath/base/fail.hpp"
#include "scenario/tree.hpp"

namespace peerpath::machine {
namespace {

/// Memory of the guest, as one device reaches it.
struct GuestMemory final : Region {
  GuestMemory(Guest& guest, DeviceNumber device, std::uint64_t base) : guest{guest}, device{device}, base{base} {}
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) override {
    return guest.read(device, base + offset, into);
  }
  bool write(std::uint64_t offset, std::span<const std::uint8_t> from) override {
    return guest.write(device, base + offset, from);
  }
  Guest& guest;
  DeviceNumber device;
  std::uint64_t base;
};

struct Bar final : Region {
  Bar(Plug& plug, int bar) : plug{plug}, bar{bar} {}
  bool read(std::uint64_t offset, std::span<std::uint8_t> into) override { return plug.load(bar, offset, into); }
  bool write(std::uint64_t offset, std::span<const std::uint8_t> from) override {
    return plug.store(bar, offset, from);
  }
  Plug& plug;
  int bar;
};

/// The scenario without its processors: the guest has its own.
scenario::Scenario hardware_of(scenario::Scenario scenario) {
  std::erase_if(scenario.devices,
                [](const scenario::Device& d) { return std::holds_alternative<device::HostCpuConfig>(d.config); });
  return scenario;
}

const scenario::Device* find(const scenario::Scenario& scenario, const std::string& name) {
  const auto found = std::ranges::find(scenario.devices, name, &scenario::Device::name);
  return found == scenario.devices.end() ? nullptr : &*found;
}

void put_bytes(Operation& operation, const fabric::Transaction& t, std::span<const std::uint8_t> bytes) {
  if (t.op == pcie::Operation::memory_write)
    operation.bytes.assign(bytes.begin(), bytes.end());
  else
    operation.bytes.resize(static_cast<std::size_t>(t.bytes.count()));
}

}  // namespace

Machine::Machine(const scenario::Scenario& scenario, Guest& guest)
    : scenario_{hardware_of(scenario)},
      guest_{guest},
      platform_{std::make_unique<platform::Platform>(scenario_, fabric::Mode::train)},
      events_{std::make_unique<platform::HardwareEvents>(scenario_, *platform_)} {
  problems_ = events_->problems();
  const auto memories = platform_->all<platform::HostMemory>();
  if (memories.size() == 1)
    memory_ = memories.front().second;
  else
    problems_.push_back({{}, 0, 0, "/devices", "a guest has one host memory, not " + std::to_string(memories.size())});
  for (const auto& [name, root] : platform_->all<platform::RootComplex>())
    if (const auto& config = std::get<device::RootComplexConfig>(find(scenario_, name)->config); config.iommu)
      problems_.push_back({{}, 0, 0, "/devices/" + name + "/iommu", "an IOMMU has no time in the emulator"});
}

Machine::~Machine() = default;

bool Machine::taken(const std::string& name) const {
  return std::ranges::any_of(plugs_, [&](const auto& plug) { return plug->name() == name; });
}

NicPlug* Machine::add_nic(const std::string& name, const NicOptions& options) {
  auto* place = platform_->find<platform::Nic>(name);
  if (place == nullptr || taken(name)) return nullptr;
  if (place->config().ats)
    problems_.push_back({{}, 0, 0, "/devices/" + name + "/ats", "an emulated NIC has no address translation service"});
  auto plug =
      std::make_unique<NicPlug>(static_cast<Board&>(*this), DeviceNumber{static_cast<std::uint16_t>(plugs_.size())},
                                name, options, place->config());
  auto* nic = plug.get();
  platform_->domain.replace(place->node(), *nic);
  plugs_.push_back(std::move(plug));
  return nic;
}

GpuPlug* Machine::add_gpu(const std::string& name, const GpuOptions& options) {
  auto* place = platform_->find<platform::Gpu>(name);
  if (place == nullptr || taken(name)) return nullptr;
  auto plug =
      std::make_unique<GpuPlug>(static_cast<Board&>(*this), DeviceNumber{static_cast<std::uint16_t>(plugs_.size())},
                                name, options, place->config().copy_engines);
  auto* gpu = plug.get();
  platform_->domain.replace(place->node(), *gpu);
  plugs_.push_back(std::move(plug));
  return gpu;
}

Problems Machine::start() {
  if (!problems_.empty()) return problems_;
  auto& domain = platform_->domain;
  for (const auto& cable : scenario_.cables) {
    const auto from = std::ranges::find(plugs_, cable.from, &Plug::name),
               to = std::ranges::find(plugs_, cable.to, &Plug::name);
    if (from == plugs_.end() || to == plugs_.end()) continue;
    for (const auto& end : {from, to}) static_cast<NicPlug&>(**end).set_cabled();
    const auto port = [&](const std::string& nic) {
      return device::EthernetPort{platform_->find<platform::Nic>(nic)->device(), 0};
    };
    domain.join(port(cable.from), port(cable.to), {scenario::rate_of(cable, scenario_), cable.delay, {}});
  }
  domain.attach(cpu_, {.node = memory_->node(), .channels = host_cpu::host_channels, .hears_arrivals = true});
  domain.reactor().watch({.listener = &mover_});
  mover_.watch(domain.topology());
  domain.make();
  events_->built(domain.topology(), domain.fabric());
  domain.reactor().start();
  return {};
}

void Machine::map(DeviceNumber device, int bar, std::uint64_t base, std::uint64_t size) {
  auto* plug = plugs_.at(device.value()).get();
  std::erase_if(windows_, [&](const Window& w) { return w.plug == plug && w.bar == bar; });
  if (size > 0) windows_.push_back({base, size, plug, bar});
}

// ------------------------------------------------------------------------------------------------ time

Instant Machine::next() const {
  auto& reactor = platform_->domain.reactor();
  return std::min({reactor.next_event(), reactor.fabric().quiet_until(), mover_.next()});
}

/// In steps that end behind each start: devices then hear of everything before the time at which it happens, and what
/// they do depends on no length of steps.
void Machine::run_to(Instant end) {
  auto& reactor = platform_->domain.reactor();
  require(end >= reactor.horizon(), "a machine does not go back in time");
  while (true) {
    const auto reached = reactor.horizon();
    reactor.react(reached);
    mover_.run(reached);
    if (reached >= end) return;
    const auto quiet = reactor.fabric().quiet_until();
    reactor.advance(std::min({end, reactor.bound(), quiet == never ? never : quiet + Duration{1}}));
  }
}

// ------------------------------------------------------------------------------------------------ requests

const Machine::Window* Machine::window_at(std::uint64_t address, std::uint64_t size) const {
  const auto found = std::ranges::find_if(windows_, [&](const Window& w) { return w.holds(address, size); });
  return found == windows_.end() ? nullptr : &*found;
}

void Machine::aim(fabric::Transaction& t, Operation& operation, const Window& window) const {
  t.target = platform_->node(window.plug->name());
  operation.region = std::make_shared<Bar>(*window.plug, window.bar);
  operation.offset = t.address - window.base;
  t.notify_target = t.op == pcie::Operation::memory_write && !window.plug->is_memory(window.bar);
  if (t.notify_target) operation.completer = window.plug;
}

fabric::Transaction Machine::address(Plug& plug, const fabric::Transaction& transaction,
                                     const device::Content& content) {
  auto t = transaction;
  const auto size = static_cast<std::uint64_t>(t.bytes.count());
  Operation operation{.cookie = t.cookie, .submitter = &plug, .address = t.address};
  put_bytes(operation, t, content.bytes);
  t.target = memory_->node();
  if (const auto* window = window_at(t.address, size); window != nullptr && window->plug != &plug)
    aim(t, operation, *window);
  else if (window == nullptr && guest_.reachable(plug.number(), t.address, size, t.op == pcie::Operation::memory_write))
    operation.region = std::make_shared<GuestMemory>(guest_, plug.number(), t.address);
  else
    t.answer = pcie::Status::unsupported_request;
  t.cookie = mover_.add(std::move(operation));
  return t;
}

fabric::Transaction Machine::address_message(Plug& plug, const Message& message) {
  fabric::Transaction t;
  t.target = memory_->node();
  t.purpose = pcie::Purpose::interrupt;
  t.notify_target = true;
  t.address = message.address;
  t.bytes = Bytes{4};
  t.cookie = mover_.add(
      {.completer = &cpu_, .region = std::make_shared<Arriving>(guest_, plug.number(), message), .address = t.address});
  return t;
}

bool Machine::write(std::uint64_t address, std::span<const std::uint8_t> from) {
  const auto* window = window_at(address, from.size());
  if (window == nullptr) return false;
  fabric::Transaction t;
  t.purpose = window->plug->is_memory(window->bar) ? pcie::Purpose::payload : pcie::Purpose::doorbell;
  t.address = address;
  t.bytes = Bytes{static_cast<std::int64_t>(from.size())};
  t.ready = now();
  Operation operation{.submitter = &cpu_, .address = address};
  put_bytes(operation, t, from);
  aim(t, operation, *window);
  t.cookie = mover_.add(std::move(operation));
  cpu_.submit(t);
  return true;
}

bool Machine::read(std::uint64_t address, std::span<std::uint8_t> into) {
  std::ranges::fill(into, std::uint8_t{0xff});
  const auto* window = window_at(address, into.size());
  if (window == nullptr) return false;
  fabric::Transaction t;
  t.op = pcie::Operation::memory_read;
  t.purpose = pcie::Purpose::control;
  t.notify_requester = true;
  t.address = address;
  t.bytes = Bytes{static_cast<std::int64_t>(into.size())};
  t.ready = now();
  Operation operation{.submitter = &cpu_, .address = address};
  put_bytes(operation, t, {});
  aim(t, operation, *window);
  t.cookie = mover_.add(std::move(operation));
  const auto number = t.cookie;
  cpu_.submit(t);
  while (!cpu_.has_read(number)) {
    const auto next_step = next();
    if (next_step == never) return false;  // no device answers, and the request has no timeout
    run_to(std::max(next_step, now()) + Duration{1});
  }
  if (!cpu_.failed()) std::ranges::copy(mover_.find(number)->bytes, into.begin());
  mover_.end(number);
  return !cpu_.failed();
}

// ------------------------------------------------------------------------------------------------ frames

std::uint64_t Machine::keep_frame(std::span<const std::uint8_t> bytes) {
  frames_.emplace(++frame_handles_, std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  return frame_handles_;
}

std::vector<std::uint8_t> Machine::take_frame(std::uint64_t handle) {
  auto frame = frames_.extract(handle);
  return frame.empty() ? std::vector<std::uint8_t>{} : std::move(frame.mapped());
}

}  // namespace peerpath::machine
