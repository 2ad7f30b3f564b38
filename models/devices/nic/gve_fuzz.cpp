// A guest that does anything: register and doorbell writes, admin commands with any contents, any transmit descriptors.
#include "devices/nic/gve_descriptors.hpp"
#include "devices/nic/test_guest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peerpath::nic;
  gve::ArrayMemory memory{0x4000};
  gve::RecordingBackend backend;
  gve::QueuedMemory accesses{memory};
  gve::Registers registers{{}, accesses, backend};
  gve::TxAssembler packets;
  registers.write(0x28, 2, 4096);
  registers.write(0x24, 4, 0x1000);
  registers.write(0x04, 4, 1);
  std::uint32_t commands = 0;

  std::span<const std::uint8_t> in{data, size};
  while (in.size() >= 2) {
    const auto what = in[0] % 8;
    in = in.subspan(1);
    if (what <= 2) {  // an admin command, from the last byte of its opcode on
      const std::size_t n = std::min<std::size_t>(in.size(), 61);
      gve::Command command{};
      std::copy_n(in.begin(), n, command.begin() + 3);
      command[4] = command[5] = command[6] = command[7] = 0;
      in = in.subspan(n);
      memory.write(0x1000 + commands % 64 * 64, command);
      registers.write(0x14, 4, ++commands);
      accesses.run(registers);
      if (registers.read(0x18, 4) != commands) commands = registers.read(0x18, 4);
    } else if (what == 3 && in.size() >= 16) {
      gve::Descriptor16 raw;
      std::copy_n(in.begin(), 16, raw.begin());
      packets.add(raw);
      in = in.subspan(16);
    } else if (in.size() >= 8) {
      const auto offset = peerpath::load_le(in, 0, 4), value = peerpath::load_le(in, 4, 4);
      in = in.subspan(8);
      if (what == 4) {
        const auto life = registers.life();
        registers.write(offset % 0x40, 4, static_cast<std::uint32_t>(value));
        if (registers.life() != life) accesses.forget();
        if ((offset & 0x40) != 0) accesses.step(registers);  // else it stays under way
      }
      if (what == 5) registers.doorbell(offset % 0x1000, static_cast<std::uint32_t>(value));
      if (what == 6) registers.read(offset % 0x40, 4);
      if (what == 7) memory.set(0x2000 + offset % 0x1ff0, 8, value);
    } else {
      break;
    }
  }
  return 0;
}
