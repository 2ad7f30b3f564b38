#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "c/describe.hpp"
#include "c/guard.hpp"
#include "machine/machine.hpp"
#include "peerpath/c/machine.h"
#include "peerpath/scenario/load.hpp"

using peerpath::Duration;
using peerpath::Instant;
using peerpath::c::guarded;
namespace machine = peerpath::machine;

namespace {

constexpr Instant at(std::int64_t ns) { return Instant{std::chrono::nanoseconds{ns}}; }

/// The first nanosecond at `when` or after it.
std::int64_t rounded_up(Instant when) { return std::chrono::ceil<std::chrono::nanoseconds>(when - Instant{}).count(); }

/// In C's memory; nullptr if there is none.
char* copy_of(const peerpath::Problems& problems) {
  std::string text;
  for (const auto& p : problems) text += (text.empty() ? "" : "\n") + p.key + ": " + p.message;
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// A text that refers to no other.
tl::expected<peerpath::scenario::Loaded, peerpath::Problems> load(const char* text) {
  peerpath::scenario::LoadOptions options;
  options.without_traffic = true;
  options.files.exists = [](const std::filesystem::path&) { return false; };
  options.files.read = [](const std::filesystem::path&) -> tl::expected<std::string, std::string> {
    return tl::unexpected<std::string>{"a machine's scenario refers to no other file"};
  };
  return peerpath::scenario::load_text(text, "machine.json", options);
}

}  // namespace

struct pp_machine final : private machine::Guest {
  pp_machine(const peerpath::scenario::Scenario& scenario, const pp_machine_guest& operations, void* guest)
      : operations_{operations}, guest_{guest}, inside{scenario, *this} {}

  /// Does `body` at the guest's time, and asks for the next call. The machine may be ahead by a read.
  template <class Body>
  void call(std::int64_t now, Body&& body) {
    if (faults > 0 || !started) return;
    const bool done = guarded(faults, [&] {
      inside.run_to(std::max(at(now), inside.now()));
      body();
      inside.run_to(inside.now());  // events that are due now
      ask();
    });
    if (!done) operations_.set_timer(guest_, PP_NEVER);
  }

 private:
  void ask() {
    const auto next = inside.next();
    const auto when = next == peerpath::never ? PP_NEVER : rounded_up(next + Duration{1});
    if (when != std::exchange(asked_, when)) operations_.set_timer(guest_, when);
  }
  bool reachable(machine::DeviceNumber device, std::uint64_t address, std::uint64_t size, bool write) override {
    return operations_.reachable(guest_, device.value(), address, size, write);
  }
  bool read(machine::DeviceNumber device, std::uint64_t address, std::span<std::uint8_t> into) override {
    return operations_.read(guest_, device.value(), address, into.data(), into.size());
  }
  bool write(machine::DeviceNumber device, std::uint64_t address, std::span<const std::uint8_t> from) override {
    return operations_.write(guest_, device.value(), address, from.data(), from.size());
  }
  std::optional<machine::Message> message(machine::DeviceNumber device, std::uint32_t vector) override {
    machine::Message m;
    if (!operations_.message(guest_, device.value(), vector, &m.address, &m.data)) return std::nullopt;
    return m;
  }
  void interrupt(machine::DeviceNumber device, const machine::Message& m) override {
    operations_.interrupt(guest_, device.value(), m.address, m.data);
  }
  void transmit(machine::DeviceNumber device, std::span<const std::uint8_t> frame) override {
    operations_.transmit(guest_, device.value(), frame.data(), frame.size());
  }

  pp_machine_guest operations_;
  void* guest_;
  std::int64_t asked_ = PP_NEVER;

 public:
  machine::Machine inside;
  std::vector<machine::Plug*> plugs;
  bool started = false;
  std::uint64_t faults = 0;

  template <class Kind>
  Kind* plug(std::uint32_t device) const {
    return device < plugs.size() ? dynamic_cast<Kind*>(plugs[device]) : nullptr;
  }
  std::int32_t keep(machine::Plug* plug) {
    if (plug == nullptr) return -1;
    plugs.push_back(plug);
    return static_cast<std::int32_t>(plugs.size() - 1);
  }
};

pp_machine* pp_machine_new(uint32_t abi, const char* scenario, const pp_machine_guest* operations, void* guest,
                           char** problem) {
  *problem = nullptr;
  std::uint64_t faults = 0;
  pp_machine* made = nullptr;
  guarded(faults, [&] {
    if (abi != PP_ABI) {
      *problem = copy_of({{{}, 0, 0, "abi", "the caller was compiled for another one"}});
      return;
    }
    const auto loaded = load(scenario);
    if (loaded)
      made = std::make_unique<pp_machine>(loaded->scenario, *operations, guest).release();
    else
      *problem = copy_of(loaded.error());
  });
  return made;
}

void pp_machine_free(pp_machine* m) { delete m; }

int32_t pp_machine_add_nic(pp_machine* m, const char* name, const pp_nic_config* config, int64_t coalesce_idle,
                           int64_t coalesce_limit) {
  const auto offer = peerpath::c::offer_of(*config);
  std::int32_t number = -1;
  if (!offer || coalesce_idle < 0 || coalesce_limit < 0) return number;
  guarded(m->faults, [&] {
    number = m->keep(m->inside.add_nic(
        name, {*offer, std::chrono::nanoseconds{coalesce_idle}, std::chrono::nanoseconds{coalesce_limit}}));
  });
  return number;
}

int32_t pp_machine_add_gpu(pp_machine* m, const char* name, const pp_gpu_config* config, uint32_t registers_bar) {
  std::int32_t number = -1;
  if (!peerpath::c::sound(*config)) return number;
  guarded(m->faults, [&] {
    number = m->keep(m->inside.add_gpu(name, {.vram = {config->vram, config->vram_size},
                                              .registers_bar = static_cast<int>(registers_bar),
                                              .vram_bar = static_cast<int>(config->vram_bar)}));
  });
  return number;
}

bool pp_machine_start(pp_machine* m, char** problem) {
  *problem = nullptr;
  if (m->started) return true;
  guarded(m->faults, [&] {
    const auto problems = m->inside.start();
    m->started = problems.empty();
    if (!m->started) *problem = copy_of(problems);
  });
  return m->started;
}

void pp_machine_advance(pp_machine* m, int64_t now) {
  m->call(now, [] {});
}

void pp_machine_map(pp_machine* m, int64_t now, uint32_t device, uint32_t bar, uint64_t base, uint64_t size) {
  m->call(now, [&] {
    if (auto* plug = m->plug<machine::Plug>(device)) m->inside.map(plug->number(), static_cast<int>(bar), base, size);
  });
}

bool pp_machine_write(pp_machine* m, int64_t now, uint64_t address, const void* from, size_t size) {
  bool answered = false;
  m->call(now, [&] { answered = m->inside.write(address, {static_cast<const std::uint8_t*>(from), size}); });
  return answered;
}

int64_t pp_machine_read(pp_machine* m, int64_t now, uint64_t address, void* into, size_t size) {
  std::memset(into, 0xff, size);
  std::int64_t done = now;
  m->call(now, [&] {
    if (m->inside.read(address, {static_cast<std::uint8_t*>(into), size}))
      done = std::max(now, rounded_up(m->inside.now()));
  });
  return done;
}

void pp_machine_reset_device(pp_machine* m, int64_t now, uint32_t device) {
  m->call(now, [&] {
    if (auto* plug = m->plug<machine::Plug>(device)) plug->reset(m->inside.now());
  });
}

void pp_machine_receive(pp_machine* m, int64_t now, uint32_t nic, const uint8_t* frame, size_t size) {
  m->call(now, [&] {
    if (auto* plug = m->plug<machine::NicPlug>(nic)) plug->receive({frame, size}, m->inside.now());
  });
}

void pp_machine_set_link(pp_machine* m, int64_t now, uint32_t nic, bool up) {
  m->call(now, [&] {
    if (auto* plug = m->plug<machine::NicPlug>(nic)) plug->set_link(up, m->inside.now());
  });
}

size_t pp_machine_gpu_command(pp_machine* m, uint32_t gpu, const uint8_t* command, size_t size, uint8_t* reply) {
  std::size_t length = 0;
  auto* plug = m->plug<machine::GpuPlug>(gpu);
  if (plug != nullptr && m->faults == 0)
    guarded(m->faults, [&] { length = plug->gpu().blobs().execute({command, size}, {reply, PP_GPU_REPLY}); });
  return length;
}

void pp_machine_gpu_reset_commands(pp_machine* m, uint32_t gpu) {
  if (auto* plug = m->plug<machine::GpuPlug>(gpu)) guarded(m->faults, [&] { plug->gpu().blobs().reset(); });
}

void pp_machine_count_nic(const pp_machine* m, uint32_t nic, pp_nic_counters* counters) {
  const auto* plug = m->plug<machine::NicPlug>(nic);
  *counters = plug == nullptr ? pp_nic_counters{} : peerpath::c::counters_of(plug->nic().statistics(), m->faults);
}

void pp_machine_count_gpu(const pp_machine* m, uint32_t gpu, pp_gpu_counters* counters) {
  auto* plug = m->plug<machine::GpuPlug>(gpu);
  *counters = plug == nullptr ? pp_gpu_counters{} : peerpath::c::counters_of(plug->gpu(), m->faults);
}

uint64_t pp_machine_faults(const pp_machine* m) { return m->faults; }
