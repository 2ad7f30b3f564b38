#include "tools/peerpath/run/guest_equipment.hpp"

#include "tools/peerpath/run/run_output.hpp"

namespace peerpath::cli {

tl::expected<emulator::Equipment, Exit> guest_equipment(const std::optional<std::string>& kernel,
                                                        const OutputArguments& output, const Terminal& terminal) {
  auto equipment = emulator::find_equipment();
  if (!equipment) return tl::unexpected{waive(output, {{equipment.error()}, {}, {}}, terminal)};
  if (kernel) {
    equipment = emulator::with_kernel(*equipment, *kernel);
    if (!equipment) return terminal.error("--kernel: " + equipment.error()), tl::unexpected{Exit::wrong_input};
  }
  terminal.say("guest: kernel " + equipment->release + ", runs by " + equipment->processor);
  return *equipment;
}

}  // namespace peerpath::cli
