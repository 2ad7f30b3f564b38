// A guest and a wire that do anything to the whole emulated NIC: memory of any contents, admin commands, doorbells,
// frames, resets; queues exist from the start so that the bytes get to the datapath soon.
#include <memory>

#include "devices/nic/test_driver.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peerpath::nic;
  using gve::TestDriver;
  // The last byte chooses between a fabric without delay and random ones.
  const bool delays = size > 0 && (data[size - 1] & 1) != 0;
  auto machine =
      delays ? std::make_unique<gve::TestHost>(0x200000, data[size - 1]) : std::make_unique<gve::TestHost>(0x200000);
  auto& host = *machine;
  gve::Nic nic{{.queues = 2, .max_entries = 64}, host};  // small: every run makes one
  TestDriver driver{nic, host};
  driver.steer_all(0);
  driver.create_rx(0, 512, 128, true);
  driver.post(0, 40);
  driver.create_tx(0);
  host.run();

  std::span<const std::uint8_t> in{data, size};
  const auto take = [&](std::size_t n) {
    const auto part = in.first(std::min(n, in.size()));
    in = in.subspan(part.size());
    return part;
  };
  while (in.size() >= 4) {
    const auto head = take(4);
    const std::uint64_t where = peerpath::load_le(head, 2, 2);
    switch (head[0] % 10) {
      case 0:
        host.memory.write(where * 16 % 0x60000, take(head[1]));
        break;
      case 1: {  // an admin command with these fields
        gve::Command command{};
        const auto body = take(56);
        command[3] = static_cast<std::uint8_t>(head[1] % 0x14);
        std::ranges::copy(body, command.begin() + 8);
        driver.raw_command(command);
        break;
      }
      case 2:
        nic.registers().doorbell(where % 0x1000, static_cast<std::uint32_t>(head[1]));
        break;
      case 3:
        nic.registers().write(where % 0x30, 4, static_cast<std::uint32_t>(head[1]));
        break;
      case 4:
        host.run(head[1]);
        break;
      case 5:
        nic.receive(take(std::size_t{head[1]} * 4));
        break;
      case 6:
        host.memory.write(TestDriver::tx_ring(0) + where % 64 * 16, take(std::size_t{head[1]} % 8 * 16));
        break;
      case 7:
        driver.doorbell(gve::tx_doorbells, static_cast<std::uint32_t>(head[1] % 64));
        break;
      case 8:
        host.loop = (head[1] & 1) != 0 ? &nic : nullptr;
        break;
      case 9:
        if (head[1] == 0) nic.reset();
        if (head[1] == 4) nic.fail();
        if (head[1] == 1) nic.set_link((where & 1) != 0);
        if (head[1] == 3) nic.flush();
        if (head[1] == 2) driver.post(0, static_cast<std::uint32_t>(where % 8));
        break;
    }
  }
  host.run(10'000);
  return 0;
}
