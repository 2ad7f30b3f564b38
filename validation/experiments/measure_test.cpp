#include "validation/experiments/measure.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "peerpath/base/temporary_folder.hpp"
#include "validation/backends/gpu/kernel_files.hpp"
#include "validation/experiments/catalogue.hpp"

namespace peerpath::experiments {
namespace {

using nlohmann::json;

/// Runs against the fake driver, in a folder of its own.
class Measure : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream{folder_.path() / "kernels"} << "any";
    options.library = PEERPATH_FAKE_DRIVER;
    options.kernels = folder_.path() / "kernels";
    options.out = folder_.path() / "dataset.jsonl";
    options.effort = {.largest = 1 << 20, .outstanding = 16, .samples = 2, .rounds = 3};
  }
  void TearDown() override {
    for (const auto* name : {"FAKE_GPUS", "FAKE_CORRUPT", "FAKE_FAIL", "FAKE_CRASH"}) unsetenv(name);
  }

  MeasureEnd run() {
    return measure(options, [this](std::string_view line) { said += std::string{line} + "\n"; });
  }
  /// Points that failed, with their reasons.
  std::string failures() const {
    std::string all;
    for (const auto& line : lines())
      if (line.contains("failed")) all += line.dump() + "\n";
    return all;
  }
  std::vector<json> lines() const {
    std::vector<json> all;
    std::ifstream file{options.out};
    for (std::string line; std::getline(file, line);) all.push_back(json::parse(line));
    return all;
  }
  /// A program that plays the agent here by these lines of shell.
  std::filesystem::path agent_script(std::string_view script_lines) const {
    auto script = folder_.path() / "agent.sh";
    std::ofstream{script} << "#!/bin/sh\n" << script_lines;
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    return script;
  }

  MeasureOptions options;
  std::string said;

 private:
  TemporaryFolder folder_;
};

TEST_F(Measure, EveryExperimentRunsOnTwoGpusAndEveryPlannedPointIsThere) {
  setenv("FAKE_GPUS", "2", 1);
  options.effort.largest = 1 << 18;
  ASSERT_EQ(run(), MeasureEnd::done) << said << failures();
  const auto all = lines();
  std::map<std::string, int> planned, seen;
  for (const auto& item : all.front()["plan"]) planned[item["experiment"]] = item["points"];
  for (const auto& line : all)
    if (line.contains("point")) ++seen[line["experiment"]];
  EXPECT_EQ(planned.size(), catalogue().size());
  std::erase_if(planned, [](const auto& item) { return item.second == 0; });
  EXPECT_EQ(seen, planned);
  EXPECT_EQ(all.front()["gpus"].size(), 2u);
  EXPECT_EQ(all.back()["end"], all.size() - 2);
}

TEST_F(Measure, APointHasItsSpreadItsUnitAndARateThatFollows) {
  options.only = {"copy_to_device"};
  ASSERT_EQ(run(), MeasureEnd::done) << said;
  for (const auto& line : lines()) {
    if (!line.contains("point")) continue;
    EXPECT_EQ(line["unit"], "ns");
    EXPECT_LE(line["least"].get<double>(), line["median"].get<double>());
    EXPECT_LE(line["median"].get<double>(), line["most"].get<double>());
    EXPECT_NEAR(line["rate"].get<double>(), line["bytes"].get<double>() / line["median"].get<double>(), 1e-9);
  }
}

TEST_F(Measure, DataThatArrivesWrongMakesNoPoint) {
  setenv("FAKE_CORRUPT", "1", 1);
  options.only = {"copy_from_device", "kernel_to_device"};
  EXPECT_EQ(run(), MeasureEnd::points_failed);
  for (const auto& line : lines())
    if (line.contains("point")) {
      EXPECT_EQ(line["failed"], "the data that arrived is wrong") << line;
    }
}

TEST_F(Measure, ACallThatFailsCostsItsPointOnly) {
  setenv("FAKE_FAIL", "cuStreamWriteValue32_v2", 1);
  options.only = {"doorbell", "launch_submit"};
  EXPECT_EQ(run(), MeasureEnd::points_failed);
  const auto all = lines();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1]["failed"], "stream_write_value failed with status 999");
  EXPECT_TRUE(all[2].contains("median"));
}

TEST_F(Measure, WhatComesInSeveralPassesHasAllItsSamplesAndFollowsTheRest) {
  options.only = {"read_between", "doorbell"};
  options.effort.samples = 7;
  ASSERT_EQ(run(), MeasureEnd::done) << said;
  const auto all = lines();
  EXPECT_EQ(all[1]["experiment"], "doorbell") << "read_between is the first of the list";
  EXPECT_EQ(all[2]["experiment"], "read_between");
  EXPECT_EQ(all[2]["samples"], 7);
  EXPECT_NE(said.find("in several passes: 6 points"), std::string::npos) << said;
}

TEST_F(Measure, APassThatFailsCostsItsPointOnly) {
  setenv("FAKE_CORRUPT", "1", 1);
  options.only = {"copy_from_beside_read"};
  EXPECT_EQ(run(), MeasureEnd::points_failed);
  EXPECT_EQ(lines()[1]["failed"], "the data that arrived is wrong");
}

// Each kind of traffic is timed while the others are still going on, whatever the machine does first.
TEST_F(Measure, MixesAreTimedOnEachGpuAndWhatTheyMovedIsChecked) {
  setenv("FAKE_GPUS", "2", 1);
  options.effort.largest = 1 << 18;
  options.effort.samples = 1;
  options.only = {"load_write", "copy_to_beside_write"};
  ASSERT_EQ(run(), MeasureEnd::done) << said;
  int of_two = 0;
  for (const auto& line : lines())
    if (line.contains("point") && line["settings"].value("gpus", 0) == 2) ++of_two;
  EXPECT_EQ(of_two, 7) << "stores beside copies each way and both, alone and with reads, and with reads only";
  setenv("FAKE_CORRUPT", "1", 1);
  options.only = {"load_copy_to"};
  EXPECT_EQ(run(), MeasureEnd::points_failed);
  EXPECT_EQ(lines()[1]["failed"], "the data that arrived is wrong");
}

// A profiler is played by a script that says what ncu says of a kernel.
TEST_F(Measure, BytesOnTheLinkAreThoseOfTheProfiler) {
  if (geteuid() != 0) GTEST_SKIP() << "only root is shown the counters";
  const auto script = agent_script(
      "echo '==PROF== Connected to process 1 (peerpath-measure)'\n"
      "echo '\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"pcie__read_bytes.sum\",\"pcie__write_bytes.sum\"'\n"
      "echo '\"\",\"\",\"ns\",\"byte\",\"byte\"'\n"
      "echo '\"0\",\"read_chains\",\"180,000\",\"9,175,040\",\"1048576\"'\n");
  std::filesystem::rename(script, script.parent_path() / "ncu");
  const std::string path = std::getenv("PATH");
  setenv("PATH", (script.parent_path().string() + ":" + path).c_str(), 1);
  options.only = {"link_bytes_read"};
  const auto end = run();
  setenv("PATH", path.c_str(), 1);
  ASSERT_EQ(end, MeasureEnd::done) << said;
  const auto all = lines();
  ASSERT_EQ(all.size(), 5u) << "three sizes of reads";
  EXPECT_EQ(all[3]["settings"]["request"], 128);
  EXPECT_EQ(all[3]["counted"]["read_bytes"], 9175040);
  EXPECT_EQ(all[3]["counted"]["write_bytes"], 1048576);
  EXPECT_EQ(all[3]["median"], 180000);
}

TEST_F(Measure, WithoutProfilerTheCountersAreWaived) {
  options.only = {"link_bytes_write", "doorbell"};
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const auto end = run();
  setenv("PATH", path.c_str(), 1);
  if (std::filesystem::exists("/usr/local/cuda/bin/ncu")) GTEST_SKIP() << "there is one";
  ASSERT_EQ(end, MeasureEnd::done) << said;
  EXPECT_NE(said.find("link_bytes_write: waived, needs ncu"), std::string::npos) << said;
}

TEST_F(Measure, ALaunchForAProfilerRunsOneKernel) {
  EXPECT_FALSE(read_launch("read_chains:128:16"));
  EXPECT_FALSE(read_launch("hold:128:16:4"));
  EXPECT_FALSE(read_launch("read_chains:256:16:4"));
  const auto launch = read_launch("write_places:32:16:4");
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->request, 32);
  EXPECT_EQ(launch->steps, 4u);
  EXPECT_EQ(launch_once(options, {&*launch, 1}, [this](std::string_view line) { said += line; }), MeasureEnd::done)
      << said;
}

TEST_F(Measure, MissingKernelsAreSaidWithTheWayToBuildThem) {
  options.kernels = "/nowhere/kernels.fatbin";
  EXPECT_EQ(run(), MeasureEnd::wrong_input);
  EXPECT_NE(said.find("build-gpu"), std::string::npos) << said;
}

TEST_F(Measure, WithoutKernelsThePlacesAreSaid) {
  if (!gpu_backend::find_kernels("kernels", gpu_backend::Vendor::cuda).file.empty())
    GTEST_SKIP() << "kernels are built here, so their absence cannot be tried";
  options.kernels.clear();
  EXPECT_EQ(run(), MeasureEnd::wrong_input);
  for (const auto* part : {"share/peerpath", "build-gpu", "--kernels"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST_F(Measure, WhereMemoryCannotBeRegisteredTheAllocatorGivesIt) {
  setenv("FAKE_FAIL", "cuMemHostRegister_v2", 1);
  options.only = {"copy_to_device"};
  ASSERT_EQ(run(), MeasureEnd::done) << said;
  EXPECT_EQ(lines().front()["effort"]["read_window"], 1 << 20) << "no more than there is";
  EXPECT_GE(lines().front()["effort"]["huge_pages_MiB"], 0);
}

TEST_F(Measure, ACrashKeepsThePointsTakenBefore) {
  testing::FLAGS_gtest_death_test_style = "fast";  // in this test's folder
  options.only = {"flag_round_trip", "doorbell"};
  EXPECT_DEATH(
      {
        setenv("FAKE_CRASH", "cuStreamWriteValue32_v2", 1);
        run();
      },
      "");
  const auto all = lines();
  ASSERT_EQ(all.size(), 2u);  // the header and the point before the crash
  EXPECT_EQ(all[1]["experiment"], "flag_round_trip");
}

TEST_F(Measure, WithoutDriverItIsWaivedAndSaysWhatWouldRun) {
  options.library = "/nowhere/libcuda.so.1";
  options.only = {"doorbell"};
  EXPECT_EQ(run(), MeasureEnd::waived);
  EXPECT_NE(said.find("/nowhere/libcuda.so.1"), std::string::npos) << said;
  EXPECT_NE(said.find("would run: doorbell"), std::string::npos) << said;
}

TEST_F(Measure, WithoutGpuItIsWaived) {
  setenv("FAKE_GPUS", "0", 1);
  EXPECT_EQ(run(), MeasureEnd::waived);
}

// What runs with a NIC is not left out in silence: the plan says why it is waived.
TEST_F(Measure, WithoutPeerTheNicsAreWaivedAndThePlanSaysSo) {
  options.only = {"doorbell", "nic_socket"};
  ASSERT_EQ(run(), MeasureEnd::done) << said;
  const auto plan = lines().front()["plan"];
  EXPECT_FALSE(plan[0].contains("waived"));
  EXPECT_EQ(plan[1]["points"], 0);
  EXPECT_NE(plan[1]["waived"].get<std::string>().find("--peer ADDRESS"), std::string::npos);
  EXPECT_NE(said.find("nic_socket: waived, needs another machine"), std::string::npos) << said;
}

#ifdef PEERPATH_AGENT
/// An agent that serves on the loopback interface as long as this lives.
class ServingAgent {
 public:
  ServingAgent() : port_{10000 + 2 * (getpid() % 10000)}, process_{fork()} {
    if (process_ == 0) {
      execl(PEERPATH_AGENT, PEERPATH_AGENT, "--serve", "127.0.0.1", std::to_string(port_).c_str(), nullptr);
      _exit(127);
    }
    for (int tries = 0; tries < 100 && !answers(); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  ServingAgent(const ServingAgent&) = delete;
  ServingAgent& operator=(const ServingAgent&) = delete;
  ~ServingAgent() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  bool answers() const {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<std::uint16_t>(port_));
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const bool yes = ::connect(socket, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0;
    close(socket);
    return yes;
  }

  int port_;
  pid_t process_;
};

TEST_F(Measure, SocketsOverLoopbackAreMeasuredWithoutGpu) {
  const ServingAgent agent;
  options.library = "/nowhere/libcuda.so.1";
  options.nic = {agent.address(), PEERPATH_AGENT};
  options.only = {"doorbell", "nic_socket", "nic_devmem", "nic_verbs_write"};
  ASSERT_EQ(run(), MeasureEnd::done) << said;
  const auto all = lines();
  EXPECT_TRUE(all.front()["gpus"].empty());
  std::map<std::string, int> seen;
  for (const auto& line : all)
    if (line.contains("point")) {
      ++seen[line["experiment"]];
      EXPECT_GT(line["rate"].get<double>(), 0) << line;
    }
  EXPECT_EQ(seen["nic_socket"], 5);
  for (const auto& item : all.front()["plan"]) {
    EXPECT_EQ(item["points"], seen[item["experiment"]]);
    EXPECT_EQ(item.contains("waived"), item["points"] == 0) << item;
  }
}

// The agent here, played by a script that says what the sink says of bytes that are not the pattern's.
TEST_F(Measure, AStreamThatArrivesWrongMakesNoPoint) {
  const ServingAgent agent;
  const auto script = agent_script(
      "echo listening at >&2\n"
      "echo '{\"validated_bytes\": 5, \"seconds\": 1, \"problem\": \"data differs\"}'\n");
  options.library = "/nowhere/libcuda.so.1";
  options.nic = {agent.address(), script};
  options.only = {"nic_socket"};
  EXPECT_EQ(run(), MeasureEnd::points_failed) << said;
  const auto all = lines();
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[1]["failed"], "here: data differs");
}

// The agent here, played by a script that keeps what it is asked for and cannot do it.
TEST_F(Measure, MemoryOfTheFirstGpuIsAskedForAndOfVirtioGpuWithoutOne) {
  const ServingAgent agent;
  const auto script = agent_script(
      "echo \"$1\" >>\"$0.asked\"\n"
      "echo '{\"problem\": \"no such export\", \"unsupported\": true}'\n");
  options.nic = {agent.address(), script};
  options.only = {"doorbell", "nic_devmem_gpu", "nic_verbs_write_gpu"};
  ASSERT_EQ(run(), MeasureEnd::done) << said;
  EXPECT_NE(said.find("nic_devmem_gpu: waived, needs here: no such export"), std::string::npos) << said;
  setenv("FAKE_GPUS", "0", 1);
  EXPECT_EQ(run(), MeasureEnd::waived) << said;
  std::ifstream file{script.string() + ".asked"};
  std::vector<json> memories;
  for (std::string line; std::getline(file, line);) memories.push_back(json::parse(line)["memory"]);
  ASSERT_EQ(memories.size(), 4u);
  for (const auto n : {0u, 1u}) {
    EXPECT_EQ(memories[n]["provider"], "cuda");
    EXPECT_EQ(memories[n]["path"], PEERPATH_FAKE_DRIVER);
    EXPECT_EQ(memories[n + 2]["provider"], "virtio_gpu");
    EXPECT_FALSE(memories[n + 2].contains("path"));
  }
}

TEST_F(Measure, APeerThatDoesNotAnswerIsSaid) {
  options.nic = {"127.0.0.1:1", PEERPATH_AGENT};
  options.library = "/nowhere/libcuda.so.1";
  options.only = {"nic_socket"};
  EXPECT_EQ(run(), MeasureEnd::waived);
  EXPECT_NE(said.find("answers at 127.0.0.1:1"), std::string::npos) << said;
}
#endif

TEST_F(Measure, AnUnknownExperimentIsRefused) {
  options.only = {"copy_sideways"};
  EXPECT_EQ(run(), MeasureEnd::wrong_input);
  EXPECT_NE(said.find("copy_sideways"), std::string::npos);
}

TEST_F(Measure, ALibraryWithoutTheFunctionsIsNamed) {
  options.vendor = gpu::Vendor::hip;  // the fake has CUDA's names only
  EXPECT_EQ(run(), MeasureEnd::waived);
  EXPECT_NE(said.find("hipInit"), std::string::npos) << said;
}

// Where Debian's HIP is installed, every function is in it under the name that the table has.
TEST(HipLibrary, HasEveryFunctionOfTheTable) {
  const auto loaded = gpu::load_driver(gpu::Vendor::hip);
  if (!loaded.driver && loaded.missing.find("cannot open") != std::string::npos) GTEST_SKIP() << loaded.missing;
  EXPECT_TRUE(loaded.driver) << loaded.missing;
}

}  // namespace
}  // namespace peerpath::experiments
