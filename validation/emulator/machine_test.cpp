#include "validation/emulator/machine.hpp"

#include <gmock/gmock.h>

#include "validation/emulator/test_scenario.hpp"

namespace peerpath::emulator {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Machine, HasTheScenariosTree) {
  const auto machine = make_machine(test_scenario(), {.ledger = "ledger.json"});
  ASSERT_TRUE(machine);
  const auto& words = machine->arguments;
  EXPECT_THAT(words, Contains(StartsWith("pcie-root-port,id=rc.sw0,")));
  EXPECT_THAT(words, Contains("peerpath-switch-upstream,id=sw0,bus=rc.sw0"));
  EXPECT_THAT(words,
              Contains(AllOf(StartsWith("peerpath-nic,id=nic0,bus=sw0.nic0,"), HasSubstr("ledger=ledger.json"))));
  EXPECT_THAT(words,
              Contains(AllOf(StartsWith("peerpath-gpu,id=gpu0,bus=sw0.gpu0,vram-size=256M"), Not(HasSubstr("iommu")))));
  EXPECT_THAT(words, Not(Contains(StartsWith("intel-iommu"))));
  ASSERT_EQ(machine->wires.size(), 1u);
  EXPECT_NE(machine->wires[0].mac, machine->wires[0].peer_mac);
}

TEST(Machine, IommuAndAcsReachDevicesAndKernel) {
  auto scenario = test_scenario();
  std::get<device::RootComplexConfig>(scenario.devices[0].config).iommu.emplace();
  std::get<device::SwitchConfig>(scenario.devices[2].config).acs = {pcie::AcsControl::request_redirect};
  const auto machine = make_machine(scenario, {});
  ASSERT_TRUE(machine);
  EXPECT_THAT(machine->arguments, Contains(StartsWith("intel-iommu")));
  EXPECT_THAT(machine->arguments, Contains(AllOf(StartsWith("peerpath-gpu"), HasSubstr("iommu_platform=on"))));
  EXPECT_THAT(machine->arguments, Not(Contains(HasSubstr("ledger="))));
  EXPECT_THAT(machine->kernel_words, Contains("intel_iommu=on"));
  EXPECT_THAT(machine->kernel_words, Contains(HasSubstr("00001x0@pci:104c:8233")));
}

TEST(Machine, ClockCountsInstructionsWhereNobodyElseReadsIt) {
  MachineOptions options;
  EXPECT_THAT(make_machine(test_scenario(), options)->arguments, Contains("-icount"));
  options.kvm = true;
  EXPECT_THAT(make_machine(test_scenario(), options)->arguments, AllOf(Contains("kvm"), Not(Contains("-icount"))));
  options = {};
  options.side = Side::near;
  options.socket_folder = "wires";
  EXPECT_THAT(make_machine(test_scenario(), options)->arguments,
              AllOf(Contains("tcg,thread=multi"), Not(Contains("-icount"))));
}

TEST(Machine, PathsWithCommasStayOneOption) {
  auto machine = make_machine(test_scenario(), {.ledger = "a,id=x/ledger.json", .monitor = "b,c"});
  ASSERT_TRUE(machine);
  EXPECT_THAT(machine->arguments,
              Contains(AllOf(StartsWith("peerpath-nic,"), HasSubstr(",ledger=a,,id=x/ledger.json"))));
  EXPECT_THAT(machine->arguments, Contains("unix:b,,c,server=on,wait=off"));
  machine = make_machine(test_scenario(), {.side = Side::near, .socket_folder = "d,e"});
  ASSERT_TRUE(machine);
  EXPECT_THAT(machine->arguments, Contains(HasSubstr("addr.path=d,,e/nic0,server=on")));
}

TEST(Machine, RefusesNamesThatQemuDoesNotTake) {
  for (const std::string name : {"_nic", "-nic", "0nic"}) {
    auto scenario = test_scenario();
    scenario.devices[3].name = scenario.traffic[0].from = name;
    scenario.links[1].to = name;
    const auto machine = make_machine(scenario, {});
    ASSERT_FALSE(machine) << name;
    EXPECT_EQ(machine.error().front().key, "/devices/" + name);
    EXPECT_THAT(machine.error().front().message, HasSubstr("begin with a letter"));
  }
}

TEST(Machine, RefusesNamesTooLongForSockets) {
  auto scenario = test_scenario();
  const std::string name(100, 'n');
  scenario.devices[3].name = scenario.traffic[0].from = name;
  scenario.links[1].to = name;
  EXPECT_TRUE(make_machine(scenario, {.socket_folder = "/tmp/x"}));
  const auto machine = make_machine(scenario, {.side = Side::near, .socket_folder = "/tmp/x1"});
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().front().message, "is too long a name for a NIC of two guests: by 1 characters");
}

TEST(Machine, SaysWhatItHasNot) {
  auto scenario = test_scenario();
  scenario.devices.push_back({"card", device::DmaCardConfig{}});
  const auto machine = make_machine(scenario, {});
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().front().key, "/devices/card/kind");
}

}  // namespace
}  // namespace peerpath::emulator
