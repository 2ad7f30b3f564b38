#include "validation/emulator/machine.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>

#include "scenario/catalogue.hpp"
#include "validation/emulator/acs.hpp"

namespace peerpath::emulator {
namespace {

/// The device of "device.port".
using scenario::device_of;

std::string mac_of(std::size_t nic, bool peer) {
  std::array<char, 18> text{};
  std::snprintf(text.data(), text.size(), "02:50:50:%02x:00:%02x", peer ? 1U : 0U, static_cast<unsigned>(nic & 0xff));
  return text.data();
}

bool has_iommu(const scenario::Scenario& scenario) {
  return std::ranges::any_of(scenario.devices, [](const auto& device) {
    const auto* root = std::get_if<device::RootComplexConfig>(&device.config);
    return root != nullptr && root->iommu.has_value();
  });
}

class Builder {
 public:
  Builder(const scenario::Scenario& scenario, const MachineOptions& options) : scenario_{scenario}, options_{options} {}

  tl::expected<Machine, Problems> build() {
    const auto& options = scenario_.emulator;
    machine_.side = options_.side;
    // The kernel allows peer-to-peer through the host bridge of this processor (family 17h), see drivers/pci/p2pdma.c.
    add({"-M", "q35,kernel-irqchip=split", "-cpu", "EPYC", "-smp", "2", "-m",
         std::to_string(options.guest_memory.count() >> 20) + "M"});
    choose_clock();
    if (has_iommu(scenario_)) {
      add({"-device", "intel-iommu,intremap=on,caching-mode=on"});
      machine_.kernel_words.emplace_back("intel_iommu=on");
    }
    if (const auto acs = acs_kernel_word(scenario_))
      machine_.kernel_words.push_back(*acs);
    else
      problems_ = acs.error();
    if (!options_.monitor.empty()) add({"-qmp", "unix:" + option_value(options_.monitor) + ",server=on,wait=off"});
    check_one_host();
    for (const auto& device : scenario_.devices) check(device);
    for (const auto& device : scenario_.devices) {
      if (std::holds_alternative<device::RootComplexConfig>(device.config)) below(device.name, "");
    }
    if (options_.side == Side::far) {
      for (const auto& wire : machine_.wires) place_far_card(wire);
    }
    if (!problems_.empty()) return tl::unexpected{problems_};
    return std::move(machine_);
  }

 private:
  /// A guest is one machine with one root complex.
  void check_one_host() {
    std::string first;
    for (const auto& device : scenario_.devices) {
      if (!std::holds_alternative<device::RootComplexConfig>(device.config)) continue;
      if (first.empty())
        first = device.name;
      else
        problems_.push_back({"", 0, 0, "/devices/" + device.name,
                             "is a second root_complex beside " + first +
                                 "; the emulator's guest has one: it plays neither several sockets nor several hosts"});
    }
    for (std::size_t i = 0; i < scenario_.cables.size(); ++i)
      problems_.push_back({"", 0, 0, "/cables/" + std::to_string(i),
                           "the emulator joins each nic to a far end of its own; cables are the model's"});
  }

  void add(std::initializer_list<std::string> words) {
    machine_.arguments.insert(machine_.arguments.end(), words.begin(), words.end());
  }
  /// A part of the scenario's hardware, which the guest at the far end has not.
  void device(const std::string& text) {
    if (options_.side != Side::far) add({"-device", text});
  }
  /// In software a guest is far slower than the times that its kernel and programs wait for, and how far depends on
  /// what else this machine does. So its clock counts instructions, one a nanosecond: TCP's timers and tests that wait
  /// for seconds see a processor of 1 GHz. Two guests have no such clock in common and go by the wall's.
  void choose_clock() {
    if (options_.kvm) {
      add({"-accel", "kvm"});
    } else if (options_.side != Side::both) {
      add({"-accel", "tcg,thread=multi"});
    } else {
      add({"-accel", "tcg,thread=single", "-icount", "shift=0,sleep=on"});
    }
  }
  void problem(const std::string& key, const std::string& message) { problems_.push_back({"", 0, 0, key, message}); }

  void check(const scenario::Device& device) {
    scenario::with_kind(device, [&](auto kind, const auto&) {
      if (!kind.emulated) problem("/devices/" + device.name + "/kind", "the emulator has no " + std::string{kind.name});
    });
    if (std::isalpha(static_cast<unsigned char>(device.name.front())) == 0) {
      problem("/devices/" + device.name, "names of the emulator's devices begin with a letter");
    }
    // The name of a NIC is that of a Unix socket, whose path has 107 characters at most.
    const auto socket = options_.socket_folder.size() + 1 + device.name.size();
    if (options_.side != Side::both && std::holds_alternative<device::NicConfig>(device.config) && socket > 107) {
      problem("/devices/" + device.name,
              "is too long a name for a NIC of two guests: by " + std::to_string(socket - 107) + " characters");
    }
  }

  /// What hangs below a root complex or switch: a port for each link, and the device at its end.
  void below(const std::string& parent, const std::string& bus) {
    int slot = 0;
    for (const auto& link : scenario_.links) {
      if (device_of(link.from) != parent) continue;
      const auto child = device_of(link.to);
      const auto port = parent + "." + child;
      ++chassis_;
      if (bus.empty()) {
        device("pcie-root-port,id=" + port + ",chassis=" + std::to_string(chassis_) +
               ",slot=" + std::to_string(chassis_));
      } else {
        device("peerpath-switch-downstream,id=" + port + ",bus=" + bus + ",chassis=" + std::to_string(chassis_) +
               ",slot=" + std::to_string(slot++));
      }
      place(child, port);
    }
  }

  void place(const std::string& name, const std::string& bus) {
    const auto found = std::ranges::find(scenario_.devices, name, &scenario::Device::name);
    if (found == scenario_.devices.end()) return;
    if (std::holds_alternative<device::SwitchConfig>(found->config)) {
      device("peerpath-switch-upstream,id=" + name + ",bus=" + bus);
      below(name, name);
    } else if (const auto* gpu = std::get_if<device::GpuConfig>(&found->config)) {
      place_gpu(name, bus, *gpu);
    } else if (const auto* nic = std::get_if<device::NicConfig>(&found->config)) {
      place_nic(name, bus, *nic);
    }
  }

  void place_gpu(const std::string& name, const std::string& bus, const device::GpuConfig& gpu) {
    // A GPU's own size would not fit the memory of the machine that emulates it; 256 MiB are far more than is moved.
    const auto mebibytes = std::min<std::int64_t>(gpu.bar_size.count() >> 20, 256);
    device("peerpath-gpu,id=" + name + ",bus=" + bus +
           ",vram-size=" + std::to_string(std::max<std::int64_t>(mebibytes, 1)) + "M" +
           (has_iommu(scenario_) ? ",iommu_platform=on" : "") + ledger());
    machine_.gpus.push_back(name);
  }

  void place_nic(const std::string& name, const std::string& bus, const device::NicConfig& nic) {
    const auto number = machine_.wires.size();
    const auto hub = std::to_string(number);
    machine_.wires.push_back({name, mac_of(number, false), mac_of(number, true)});
    if (options_.side == Side::both) {
      add({"-netdev", "hubport,hubid=" + hub + ",id=wire." + name});
    } else {
      add({"-netdev", "stream,id=wire." + name + ",addr.type=unix,addr.path=" + option_value(options_.socket_folder) +
                          "/" + name + (options_.side == Side::near ? ",server=on" : ",server=off")});
    }
    device("peerpath-nic,id=" + name + ",bus=" + bus + ",netdev=wire." + name + ",mac=" + mac_of(number, false) +
           ",queues=" + std::to_string(std::clamp(nic.queues, 2, 16)) + coalescing() + faults(name) + ledger());
    if (options_.side != Side::both) return;
    add({"-netdev", "hubport,hubid=" + hub + ",id=far." + name});
    place_far_card(machine_.wires.back());
  }

  std::string coalescing() const {
    const auto idle = scenario_.emulator.coalesce_idle / std::chrono::microseconds{1};
    if (!scenario_.emulator.coalesce) return ",coalesce=off";
    return ",coalesce-idle-us=" + std::to_string(idle) + ",coalesce-limit-us=" + std::to_string(100 * idle);
  }

  /// The rest of the world: a paravirtual card beside the scenario's PCIe tree.
  void place_far_card(const Wire& wire) {
    add({"-device", "virtio-net-pci,netdev=" + std::string{options_.side == Side::both ? "far." : "wire."} + wire.nic +
                        ",mac=" + wire.peer_mac +
                        ",romfile=" + (has_iommu(scenario_) ? ",iommu_platform=on,disable-legacy=on" : "")});
  }

  /// What happens to frames on their way to a NIC, as its property says it.
  std::string faults(const std::string& nic) const {
    std::string words;
    for (const auto& event : scenario_.events) {
      if (event.device != nic) continue;
      std::visit(
          [&]<class What>(const What& what) {
            if constexpr (scenario::event::HappensToFrame<What>)
              words += "+" + std::string{What::fate} + ":" + std::to_string(what.frame);
          },
          event.what);
    }
    return words.empty() ? "" : ",wire-faults=" + words.substr(1);
  }

  /// One device writes the ledger, and the trace, of the whole machine.
  std::string ledger() {
    if (options_.ledger.empty() || ledger_given_) return "";
    ledger_given_ = true;
    return ",ledger=" + option_value(options_.ledger) +
           (options_.trace.empty() ? "" : ",trace=" + option_value(options_.trace));
  }

  const scenario::Scenario& scenario_;
  const MachineOptions& options_;
  bool ledger_given_ = false;
  int chassis_ = 0;
  Machine machine_;
  Problems problems_;
};

}  // namespace

std::string option_value(const std::string& path) {
  std::string value;
  for (const char c : path) value += c == ',' ? std::string{",,"} : std::string{c};
  return value;
}

tl::expected<Machine, Problems> make_machine(const scenario::Scenario& scenario, const MachineOptions& options) {
  return Builder{scenario, options}.build();
}

}  // namespace peerpath::emulator
