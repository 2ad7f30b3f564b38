#include "validation/emulator/job.hpp"

#include <gmock/gmock.h>

#include "validation/emulator/test_scenario.hpp"

namespace peerpath::emulator {
namespace {

using testing::HasSubstr;
using testing::Not;

tl::expected<std::string, Problems> job_of(const scenario::Scenario& scenario) {
  return make_job(scenario, make_machine(scenario, {}).value());
}

TEST(Job, ReceivesIntoTheGpu) {
  const auto job = job_of(test_scenario());
  ASSERT_TRUE(job);
  EXPECT_THAT(*job, HasSubstr("modprobe virtio_gpu\n"));
  EXPECT_THAT(*job, HasSubstr("connect_wire nic0 02:50:50:00:00:00 192.0.2.2 02:50:50:01:00:00 192.0.2.3 4148\n"));
  EXPECT_THAT(*job, HasSubstr("transfer 'rx' nic0 receive '{"));
  EXPECT_THAT(*job, HasSubstr(R"("mss":4108)"));
  EXPECT_THAT(*job, HasSubstr(R"("api":"devmem","interface":"@","queue":1,"memory":{"provider":"virtio_gpu"})"));
}

TEST(Job, TrafficThatEndsMovesItsOwnBytesInFullSegments) {
  auto scenario = test_scenario();
  EXPECT_THAT(*job_of(scenario), Not(HasSubstr("tcp_rmem")));
  scenario.traffic[0].as<scenario::traffic::Receive>()->bytes = Bytes{8192};
  const auto job = job_of(scenario);
  ASSERT_TRUE(job);
  EXPECT_THAT(*job, HasSubstr("tcp_rmem"));
  EXPECT_THAT(*job, HasSubstr(R"("bytes":8192)"));
}

TEST(Job, SendsFromHostMemoryThroughUdmabuf) {
  auto scenario = test_scenario();
  scenario.traffic[0].what = scenario::traffic::Transmit{};
  scenario.traffic[0].to = "dram";
  const auto job = job_of(scenario);
  ASSERT_TRUE(job);
  EXPECT_THAT(*job, Not(HasSubstr("virtio_gpu")));
  EXPECT_THAT(*job, HasSubstr(R"("address":"192.0.2.3")"));
  EXPECT_THAT(*job, HasSubstr(R"("memory":{"provider":"udmabuf"})"));
}

TEST(Job, ModuleInsteadOfVirtioGpu) {
  auto scenario = test_scenario();
  scenario.emulator.exporter = scenario::GpuExporter::p2pdma;
  const auto job = job_of(scenario);
  ASSERT_TRUE(job);
  EXPECT_THAT(*job, HasSubstr("use_vram_module\n"));
  EXPECT_THAT(*job, HasSubstr(R"({"provider":"p2pdma"})"));
}

TEST(Job, RefusesWhatTheGuestCannotDo) {
  const auto key_of = [](const auto& change) {
    auto scenario = test_scenario();
    change(scenario);
    const auto job = job_of(scenario);
    return job ? std::string{} : job.error().front().key;
  };
  EXPECT_EQ(key_of([](auto& s) { s.traffic[0].what = scenario::traffic::Write{}; }), "/traffic/0/kind");
  EXPECT_EQ(key_of([](auto& s) { s.traffic[0].path = scenario::DataPath::bounce; }), "/traffic/0/path");
  EXPECT_EQ(key_of([](auto& s) {
              s.traffic[0].what = scenario::traffic::Transmit{};
              s.traffic[0].path = scenario::DataPath::bounce;
            }),
            "/traffic/0/path");
  EXPECT_EQ(key_of([](auto& s) { s.traffic[0].sizes = {Bytes{9000}}; }), "/traffic/0/sizes");
  EXPECT_EQ(key_of([](auto& s) { s.traffic[0].from = "nic9"; }), "/traffic/0/from");
  EXPECT_EQ(key_of([](auto& s) { s.emulator.api = scenario::KernelApi::socket; }), "/traffic/0/to");
  EXPECT_EQ(key_of([](auto&) {}), "");
}

}  // namespace
}  // namespace peerpath::emulator
