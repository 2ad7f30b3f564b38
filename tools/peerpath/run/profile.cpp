#include "tools/peerpath/run/profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "study/text/number_text.hpp"
#include "study/text/text_table.hpp"

namespace peerpath::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::string milliseconds(std::chrono::nanoseconds time) {
  return fmt::format("{:.1f}", static_cast<double>(time.count()) * 1e-6);
}

std::string share(std::chrono::nanoseconds part, std::chrono::nanoseconds all) {
  return fmt::format("{:.1f}",
                     all.count() == 0 ? 0 : 100 * static_cast<double>(part.count()) / static_cast<double>(all.count()));
}

}  // namespace

class Profile::Timed final : public device::Endpoint {
 public:
  Timed(device::Endpoint& device, fabric::NodeId where) : node{where}, device_{device} {}

  void start(device::Outbox& out) override {
    take([&] { device_.start(out); });
  }
  void on_delivery(const fabric::Delivery& delivery, device::Outbox& out) override {
    take([&] { device_.on_delivery(delivery, out); });
  }
  void on_computed(const fabric::Delivery& delivery) override {
    take([&] { device_.on_computed(delivery); });
  }
  void on_wake(device::TimerId timer, Instant now, device::Outbox& out) override {
    take([&] { device_.on_wake(timer, now, out); });
  }
  void on_frame(int port, const device::Frame& frame, Instant now, device::Outbox& out) override {
    take([&] { device_.on_frame(port, frame, now, out); });
  }

  const fabric::NodeId node;
  std::int64_t calls = 0;
  std::chrono::nanoseconds time{};

 private:
  template <class Call>
  void take(const Call& call) {
    const auto begin = Clock::now();
    call();
    time += Clock::now() - begin;
    ++calls;
  }

  device::Endpoint& device_;
};

Profile::Profile() = default;
Profile::~Profile() = default;

device::Endpoint& Profile::guide(device::Endpoint& device, const device::Place& place) {
  return *devices_.emplace_back(std::make_unique<Timed>(device, place.node));
}

void Profile::built(const observe::Scene& scene) {
  for (std::size_t n = 0; n < scene.topology.nodes.size();
       ++n)  // memory reacts to nothing: what does so there are cores
    names_.push_back((scene.kinds[n] == "host_memory" ? "cores at " : "") + scene.topology.nodes[n].name);
}

std::string Profile::text(std::chrono::nanoseconds simulated) const {
  std::vector<const Timed*> ranked;
  std::chrono::nanoseconds in_devices{};
  for (const auto& device : devices_) {
    ranked.push_back(device.get());
    in_devices += device->time;
  }
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &Timed::time);
  study::TextTable table{
      {{"", study::TextTable::Align::left}, {"calls"}, {"ms"}, {"% of the simulation"}, {"ns a call"}}};
  const auto rest = std::max(simulated - in_devices, std::chrono::nanoseconds{0});
  table.add({"fabric, loop, sources of frames", "", milliseconds(rest), share(rest, simulated), ""});
  for (const auto* device : ranked) {
    if (device->calls == 0) continue;
    table.add({names_.at(device->node.value()), study::grouped(device->calls), milliseconds(device->time),
               share(device->time, simulated), std::to_string(device->time.count() / device->calls)});
  }
  return table.text(2);
}

}  // namespace peerpath::cli
