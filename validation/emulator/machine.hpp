// A scenario's hardware as a QEMU command line.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "peerpath/scenario/scenario.hpp"

namespace peerpath::emulator {

/// A NIC, and what stands at the other end of its wire: a network card of its own, which is no part of the scenario.
struct Wire {
  std::string nic;  ///< name in the scenario
  std::string mac, peer_mac;
};

/// What of a scenario a guest has: all of it, or, of two guests, the hardware or the other ends of its wires.
enum class Side : std::uint8_t { both, near, far };
constexpr std::array<EnumName<Side>, 3> enum_names(Side) {
  return {{{"both", Side::both}, {"near", Side::near}, {"far", Side::far}}};
}

struct MachineOptions {
  std::string ledger{};  ///< file that the machine's ledger is written to; "" for none
  std::string trace{};   ///< file that each access and each frame is written to; "" for none
  bool kvm = false;
  Side side = Side::both;
  std::string monitor{};        ///< Unix socket on which QEMU listens for commands; "" for none
  std::string socket_folder{};  ///< of two guests: where the sockets that are their wires lie
};

struct Machine {
  Side side = Side::both;

  std::vector<std::string> arguments;     ///< devices, memory and processor; neither kernel nor console
  std::vector<std::string> kernel_words;  ///< for the kernel's command line
  std::vector<Wire> wires;
  std::vector<std::string> gpus;
};

/// A path as the value of a QEMU option: a comma would end it, two stand for one.
std::string option_value(const std::string& path);

/// Problems name what the emulator has no device for, devices whose names QEMU does not take, and what the scenario's
/// links leave open; keys are JSON pointers.
tl::expected<Machine, Problems> make_machine(const scenario::Scenario& scenario, const MachineOptions& options);

}  // namespace peerpath::emulator
