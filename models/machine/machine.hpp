// A guest's machine in time: a scenario's PCIe domain, built and driven as the model's, with emulated devices in the
// places of the model's. The owner of the guest supplies the time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/cpu.hpp"
#include "machine/gpu_plug.hpp"
#include "machine/nic_plug.hpp"
#include "platform/hardware_events.hpp"

namespace peerpath::machine {

/// Bytes move TLP by TLP: a write's when the TLP arrives at its completer, a read's when its request does. Registers
/// are written when the whole of a write has been delivered. Traffic and cores of the scenario are left out: the guest
/// has both. One guest has one host memory.
///
/// The machine's time never runs ahead of the guest's: accesses of the processor are submitted at `now`. The caller
/// must call `run_to` no later than at `next`, or an interrupt is late.
class Machine final : private Board {
 public:
  /// The guest must outlive the machine.
  Machine(const scenario::Scenario& scenario, Guest& guest);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// @name Before `start`. A name that the scenario does not have, or has taken already, gives nullptr.
  /// @{
  NicPlug* add_nic(const std::string& name, const NicOptions& options = {});
  GpuPlug* add_gpu(const std::string& name, const GpuOptions& options);
  /// @}
  /// Builds the fabric. Returns the parts of the scenario that a machine does not support; if there are any, the
  /// machine must not be used.
  Problems start();

  /// A BAR answers for these addresses from now on, and for no others; of size 0 for none.
  void map(DeviceNumber device, int bar, std::uint64_t base, std::uint64_t size);

  Instant now() const { return platform_->domain.reactor().horizon(); }
  /// Lower bound of the time of the next event, if the caller submits nothing before; `never`: no event is pending.
  /// Call `run_to` with the guest's first instant after it.
  Instant next() const;
  /// Runs all events up to and including `end`, which is not before `now`.
  void run_to(Instant end);

  /// A posted write of the processor. False: no device answers there.
  bool write(std::uint64_t address, std::span<const std::uint8_t> from);
  /// A read, whose round trip passes before it returns. False: it failed, and `into` is all ones.
  bool read(std::uint64_t address, std::span<std::uint8_t> into);

  std::size_t under_way() const { return mover_.under_way(); }
  const fabric::Topology& topology() const { return platform_->domain.topology(); }
  /// Shows every delivery as it is computed, with numbers in the place of cookies; before `start`.
  void observe(fabric::DeliverySink* sink) { platform_->domain.reactor().observe(sink); }
  fabric::NodeId node(const std::string& name) const { return platform_->node(name); }

 private:
  struct Window {
    std::uint64_t base = 0, size = 0;
    Plug* plug = nullptr;
    int bar = 0;
    bool holds(std::uint64_t address, std::uint64_t bytes) const {
      return address - base < size && bytes <= size - (address - base);
    }
  };

  fabric::Transaction address(Plug& plug, const fabric::Transaction& transaction,
                              const device::Content& content) override;
  fabric::Transaction address_message(Plug& plug, const Message& message) override;
  Mover& mover() override { return mover_; }
  Guest& guest() override { return guest_; }
  std::uint64_t keep_frame(std::span<const std::uint8_t> bytes) override;
  std::vector<std::uint8_t> take_frame(std::uint64_t handle) override;

  const Window* window_at(std::uint64_t address, std::uint64_t size) const;
  bool taken(const std::string& name) const;
  /// Aims a transaction of `submitter` at a window.
  void aim(fabric::Transaction& t, Operation& operation, const Window& window) const;
  void advance(Instant limit);

  scenario::Scenario scenario_;
  Guest& guest_;
  Mover mover_;
  std::unique_ptr<platform::Platform> platform_;
  std::unique_ptr<platform::HardwareEvents> events_;
  platform::HostMemory* memory_ = nullptr;
  Cpu cpu_{mover_};
  Problems problems_;
  std::vector<std::unique_ptr<Plug>> plugs_;
  std::vector<Window> windows_;
  std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> frames_;  ///< on cables
  std::uint64_t frame_handles_ = 0;
};

}  // namespace peerpath::machine
