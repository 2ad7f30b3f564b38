#include "scenario/capture/capture_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include <cstring>
#include <fstream>
#include <set>

#include "peerpath/base/temporary_folder.hpp"
#include "peerpath/net/headers.hpp"

namespace peerpath::capture {
namespace {

using namespace literals;
using testing::HasSubstr;

class CaptureReader : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  /// Writes frames (seconds, nanoseconds, captured bytes, whole size) by libpcap.
  struct Row {
    std::int64_t seconds, nanoseconds;
    std::vector<std::uint8_t> bytes;
    unsigned size;
  };
  std::string write(const std::string& name, const std::vector<Row>& rows, int link_type = DLT_EN10MB) {
    pcap_t* dead = pcap_open_dead_with_tstamp_precision(link_type, 65535, PCAP_TSTAMP_PRECISION_NANO);
    pcap_dumper_t* dump = pcap_dump_open(dead, path(name).c_str());
    for (const auto& row : rows) {
      pcap_pkthdr header{};
      header.ts.tv_sec = row.seconds;
      header.ts.tv_usec = row.nanoseconds;
      header.caplen = static_cast<bpf_u_int32>(row.bytes.size());
      header.len = row.size;
      pcap_dump(reinterpret_cast<u_char*>(dump), &header, row.bytes.data());
    }
    pcap_dump_close(dump);
    pcap_close(dead);
    return path(name);
  }

 private:
  TemporaryFolder folder_;
};

std::vector<std::uint8_t> tcp_headers(Bytes payload) {
  const auto built = net::build({.key = net::generated_flow(3), .payload = payload});
  return {built.bytes().begin(), built.bytes().end()};
}

TEST_F(CaptureReader, ReadsBackWhatLibpcapWrote) {
  const auto headers = tcp_headers(1000_B);
  std::vector<std::uint8_t> whole = headers;
  whole.resize(1066);
  const auto frames =
      read_capture(write("a.pcap", {{1700000000, 999999999, headers, 1066}, {1700000001, 1, whole, 1066}}));
  ASSERT_TRUE(frames) << frames.error().message;
  ASSERT_EQ(frames->size(), 2U);
  EXPECT_EQ((*frames)[0].bytes, headers);
  EXPECT_EQ((*frames)[0].size, 1066_B);
  EXPECT_EQ((*frames)[1].bytes.size(), device::Frame::header_capacity);
  EXPECT_EQ((*frames)[1].time - (*frames)[0].time, std::chrono::nanoseconds{2});
}

/// Little-endian blocks of a pcapng file (IETF draft-ietf-opsawg-pcapng).
class PcapngWriter {
 public:
  void block(std::uint32_t type, std::vector<std::uint32_t> words) {
    const auto size = static_cast<std::uint32_t>(12 + 4 * words.size());
    words.insert(words.begin(), {type, size});
    words.push_back(size);
    for (auto w : words)
      for (int i = 0; i < 4; ++i, w >>= 8) bytes_.push_back(static_cast<char>(w & 0xff));
  }
  void save(const std::string& file) const {
    std::ofstream{file, std::ios::binary}.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  }

 private:
  std::vector<char> bytes_;
};

TEST_F(CaptureReader, ReadsPcapngWithNanoseconds) {
  auto headers = tcp_headers(100_B);
  headers.resize(68);
  std::vector<std::uint32_t> frame(17);
  std::memcpy(frame.data(), headers.data(), headers.size());
  PcapngWriter writer;
  writer.block(0x0a0d0d0a, {0x1a2b3c4d, 1, 0xffffffff, 0xffffffff});
  writer.block(1, {1, 0, 1u << 16 | 9, 9, 0});  // Ethernet; option if_tsresol: 10^-9 s
  for (const std::uint32_t low : {1000u, 1777u}) {
    std::vector<std::uint32_t> words{0, 5, low, 68, 166};
    words.insert(words.end(), frame.begin(), frame.end());
    writer.block(6, words);
  }
  writer.save(path("a.pcapng"));
  const auto frames = read_capture(path("a.pcapng"));
  ASSERT_TRUE(frames) << frames.error().message;
  ASSERT_EQ(frames->size(), 2U);
  EXPECT_EQ((*frames)[1].time - (*frames)[0].time, std::chrono::nanoseconds{777});
  EXPECT_EQ((*frames)[1].size, 166_B);
  EXPECT_EQ((*frames)[1].bytes, headers);
}

TEST_F(CaptureReader, RefusesWhatIsNoCapture) {
  EXPECT_THAT(read_capture(path("missing.pcap")).error().message, HasSubstr("No such file"));
  std::ofstream{path("text.pcap")} << "not a capture at all, only some text that is long enough";
  EXPECT_THAT(read_capture(path("text.pcap")).error().message, HasSubstr("is not a pcap or pcapng file"));
  std::ofstream{path("empty.pcap")};
  EXPECT_THAT(read_capture(path("empty.pcap")).error().message, HasSubstr("is not a pcap or pcapng file"));
  EXPECT_THAT(read_capture(write("none.pcap", {})).error().message, HasSubstr("contains no frames"));
}

TEST_F(CaptureReader, RefusesAFileThatEndsInTheMiddleOfAFrame) {
  const auto file = write("cut.pcap", {{0, 0, tcp_headers(0_B), 66}, {0, 1, tcp_headers(0_B), 66}});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 10);
  const auto frames = read_capture(file);
  ASSERT_FALSE(frames);
  EXPECT_EQ(frames.error().file, file);
  EXPECT_THAT(frames.error().message, HasSubstr("damaged after frame 1"));
}

TEST_F(CaptureReader, RefusesForeignLinkTypesByName) {
  const auto file = write("raw.pcap", {{0, 0, {0x45, 0, 0, 20}, 4}}, DLT_LINUX_SLL);
  EXPECT_THAT(read_capture(file).error().message, HasSubstr("LINUX_SLL"));
}

TEST_F(CaptureReader, RefusesFramesCutBeforeTheEndOfTheirHeaders) {
  auto headers = tcp_headers(1000_B);
  headers.resize(40);
  const auto frames = read_capture(write("snap.pcap", {{0, 0, tcp_headers(0_B), 66}, {0, 1, headers, 1066}}));
  ASSERT_FALSE(frames);
  EXPECT_THAT(frames.error().message, HasSubstr("frame 2: only 40 of its 1066 B"));
}

TEST(SampleCapture, IsTcpOfSeveralFlowsAndSizes) {
  const auto frames = read_capture(std::string{SAMPLE_CAPTURES} + "/mixed_sizes.pcap");
  ASSERT_TRUE(frames) << frames.error().message;
  EXPECT_EQ(frames->size(), 600U);
  std::set<std::uint16_t> ports;
  std::set<Bytes> sizes;
  for (const auto& frame : *frames) {
    const auto parsed = net::parse(frame.bytes, frame.size);
    ASSERT_EQ(parsed.error, net::ParseError::none);
    EXPECT_EQ(parsed.key.layer4, net::Layer4::tcp);
    ports.insert(parsed.key.source_port);
    sizes.insert(parsed.payload);
  }
  EXPECT_EQ(ports.size(), 8U);
  EXPECT_GE(sizes.size(), 4U);
}

}  // namespace
}  // namespace peerpath::capture
