#include "tools/peerpath/run/run_on_hardware.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "peerpath/base/temporary_folder.hpp"

namespace peerpath::cli {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;

scenario::Scenario nic_and_gpu() {
  scenario::Scenario scenario;
  scenario.devices = {{"nic0", device::NicConfig{}}, {"gpu0", device::GpuConfig{}}};
  return scenario;
}

TEST(Hardware, SaysWhatIsMissing) {
  EXPECT_THAT(
      missing_for(nic_and_gpu(), {{10_Gbps}, 0, "cuda: no library"}),
      ElementsAre(HasSubstr("nic0: no network interface of 200 Gb/s"), HasSubstr("gpu0: no GPU for it (cuda: no")));
}

TEST(Hardware, EachDeviceNeedsOneOfItsOwn) {
  auto scenario = nic_and_gpu();
  EXPECT_TRUE(missing_for(scenario, {{400_Gbps}, 1, ""}).empty());
  scenario.devices.push_back({"nic1", device::NicConfig{}});
  EXPECT_THAT(missing_for(scenario, {{400_Gbps}, 1, ""}), ElementsAre(HasSubstr("nic1")));
}

TEST(Hardware, SocketsOfTwoGpusFindRoomOnOne) {
  scenario::Scenario scenario;
  scenario.devices = {{"gpu0", device::GpuConfig{}}, {"gpu1", device::GpuConfig{}}};
  scenario.traffic.resize(1);
  scenario.traffic[0].what = scenario::traffic::Gpunet{};
  EXPECT_TRUE(missing_for(scenario, {{}, 1, ""}).empty());
  EXPECT_THAT(missing_for(scenario, {{}, 0, "no library"}), ElementsAre(HasSubstr("gpu0"), HasSubstr("gpu1")));
}

TEST(Hardware, AnInterfaceCountsIfHardwareIsBehindItAndItsSpeedIsKnown) {
  namespace fs = std::filesystem;
  const TemporaryFolder temporary;
  const auto folder = temporary.path() / "net";
  fs::create_directories(folder / "eth0" / "device");
  fs::create_directories(folder / "veth0");
  fs::create_directories(folder / "eth1" / "device");
  std::ofstream{folder / "eth0" / "speed"} << 200000;
  std::ofstream{folder / "veth0" / "speed"} << 10000;
  std::ofstream{folder / "eth1" / "speed"} << -1;
  EXPECT_THAT(examine_node(folder).network, ElementsAre(200_Gbps));
  fs::remove_all(folder);
  EXPECT_TRUE(examine_node(folder).network.empty());
}

}  // namespace
}  // namespace peerpath::cli
