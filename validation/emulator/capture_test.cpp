#include "validation/emulator/capture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "validation/emulator/test_scenario.hpp"

namespace peerpath::emulator {
namespace {

/// Writes what it is shown as lines.
class Lines final : public trace::Sink {
 public:
  Lines(std::ostream& out, const trace::Subject& subject) : out_{out}, scene_{subject.scene} {}

  void tlp(const trace::Tlp& tlp) override {
    const auto& r = tlp.record;
    if (!tlp.shown) return;
    const bool up = r.direction == scene_.links[r.link.value()].up;
    out_ << femtoseconds(r.start) / 1'000'000 << " " << scene_.links[r.link.value()].name << (up ? " up " : " down ")
         << name_of(r.tlp_class) << " " << r.address << " " << r.payload.count() << " tag " << tlp.tag << " left "
         << tlp.remaining.count() << (tlp.last ? " last" : "") << "\n";
  }
  void frame(const trace::Frame& frame) override {
    out_ << "frame " << scene_.topology.nodes[frame.nic.value()].name << (frame.out ? " out " : " in ")
         << frame.frame.size.count() << " " << int{frame.frame.header[1]} << " of " << frame.frame.header_size << "\n";
  }
  std::string finish() override { return ""; }

 private:
  std::ostream& out_;
  const observe::Scene& scene_;
};

constexpr trace::Format lines_format{"lines", "lines", "", [](std::ostream& out, const trace::Subject& subject) {
                                       return std::unique_ptr<trace::Sink>{std::make_unique<Lines>(out, subject)};
                                     }};

struct Shown {
  std::string lines, problem;
};

Shown shown(const std::string& text, trace::Window window = {}) {
  const auto scene = scene_of(test_scenario());
  const std::filesystem::path folder = testing::TempDir();
  trace::Tracer tracer{{.formats = {&lines_format}, .links = {}, .window = window, .program = "test", .end = never},
                       folder};
  EXPECT_THAT(tracer.built(scene), testing::IsEmpty());
  std::istringstream in{text};
  Shown out;
  out.problem = replay_trace(in, scene, tracer);
  for (const auto& file : tracer.finish()) {
    std::ostringstream all;
    all << std::ifstream{file.written}.rdbuf();
    out.lines = all.str();
  }
  return out;
}

std::string access(const std::string& operation, const std::string& completer, const std::string& address, int bytes,
                   const std::string& path, const std::string& status = "success") {
  return R"({"guest_ns": 7, "operation": ")" + operation + R"(", "requester": "nic0", "completer": ")" + completer +
         R"(", "address": ")" + address + R"(", "bytes": )" + std::to_string(bytes) +
         R"(, "purpose": "payload", "turned": "x", "status": ")" + status +
         R"(", "max_payload": 128, "max_read_request": 512, "path": )" + path + "}\n";
}

const std::string to_gpu = R"([["nic0-sw0", "up"], ["gpu0-sw0", "down"]])";
const std::string to_memory = R"([["nic0-sw0", "up"], ["sw0-rc", "up"], ["dram-rc", "down"]])";

TEST(EmulatorCapture, AWriteIsCutAtMpsAndCrossesEachLinkOfItsWay) {
  EXPECT_EQ(shown(access("write", "gpu0", "0x1040", 200, to_gpu)).lines,
            "7 nic0-sw0 up posted 4160 64 tag 0 left 0\n"
            "7 gpu0-sw0 down posted 4160 64 tag 0 left 0\n"
            "7 nic0-sw0 up posted 4224 128 tag 0 left 0\n"
            "7 gpu0-sw0 down posted 4224 128 tag 0 left 0\n"
            "7 nic0-sw0 up posted 4352 8 tag 0 left 0\n"
            "7 gpu0-sw0 down posted 4352 8 tag 0 left 0 last\n");
}

TEST(EmulatorCapture, AReadIsCutAtMrrsAndAnsweredOnTheWayBack) {
  EXPECT_EQ(shown(access("read", "dram", "0x200", 640, to_memory)).lines,
            "7 nic0-sw0 up non_posted 512 0 tag 0 left 0\n"
            "7 sw0-rc up non_posted 512 0 tag 0 left 0\n"
            "7 sw0-rc down completion 512 128 tag 0 left 512\n"
            "7 nic0-sw0 down completion 512 128 tag 0 left 512\n"
            "7 sw0-rc down completion 640 128 tag 0 left 384\n"
            "7 nic0-sw0 down completion 640 128 tag 0 left 384\n"
            "7 sw0-rc down completion 768 128 tag 0 left 256\n"
            "7 nic0-sw0 down completion 768 128 tag 0 left 256\n"
            "7 sw0-rc down completion 896 128 tag 0 left 128\n"
            "7 nic0-sw0 down completion 896 128 tag 0 left 128\n"
            "7 nic0-sw0 up non_posted 1024 0 tag 1 left 0\n"
            "7 sw0-rc up non_posted 1024 0 tag 1 left 0\n"
            "7 sw0-rc down completion 1024 128 tag 1 left 128\n"
            "7 nic0-sw0 down completion 1024 128 tag 1 left 128 last\n");
}

TEST(EmulatorCapture, ARefusedReadHasACompletionWithoutData) {
  EXPECT_EQ(shown(access("read", "none", "0x200", 64, R"([["nic0-sw0", "up"]])", "unsupported_request")).lines,
            "7 nic0-sw0 up non_posted 512 0 tag 0 left 0\n"
            "7 nic0-sw0 down completion 512 0 tag 0 left 0 last\n");
}

TEST(EmulatorCapture, AFrameIsShownWithItsBeginning) {
  EXPECT_EQ(
      shown(
          R"({"guest_ns": 9, "operation": "frame", "device": "nic0", "direction": "in", "bytes": 60, "begins": "02ff10"})"
          "\n")
          .lines,
      "frame nic0 in 60 255 of 3\n");
}

TEST(EmulatorCapture, TheWindowHoldsHere) {
  const trace::Window later{Instant{std::chrono::nanoseconds{8}}, never};
  EXPECT_EQ(shown(access("write", "gpu0", "0x1000", 4, to_gpu), later).lines, "");
}

TEST(EmulatorCapture, ALineThatIsWrongIsNamed) {
  EXPECT_THAT(shown(access("write", "gpu0", "0x1000", 4, to_gpu) + "{\"guest_ns\": 8}\n").problem,
              testing::StartsWith("line 2 of the devices' trace cannot be read: "));
}

}  // namespace
}  // namespace peerpath::emulator
