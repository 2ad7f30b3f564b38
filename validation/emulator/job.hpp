// A scenario's traffic as the guest's job: a shell script that uses the functions of qemu-devices/guest/guest.sh.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "validation/emulator/machine.hpp"

namespace peerpath::emulator {

/// Payload that a traffic entry moves.
inline Bytes payload_of(const scenario::Scenario& scenario, const scenario::Traffic& traffic) {
  return traffic.ends_after() > Bytes{0} ? traffic.ends_after() : scenario.emulator.transfer;
}

/// Problems name traffic that the emulator cannot do; keys are JSON pointers.
tl::expected<std::string, Problems> make_job(const scenario::Scenario& scenario, const Machine& machine);

}  // namespace peerpath::emulator
