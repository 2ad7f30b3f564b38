#include "scenario/capture/capture_reader.hpp"

#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "peerpath/net/headers.hpp"

namespace peerpath::capture {
namespace {

using Capture = std::unique_ptr<pcap_t, decltype(&pcap_close)>;

Problem problem(const std::string& path, std::string what) {
  return {.file = path, .line = 0, .column = 0, .key = {}, .message = std::move(what)};
}

std::string link_type_name(int type) {
  const char* name = pcap_datalink_val_to_name(type);
  return name != nullptr ? name : "number " + std::to_string(type);
}

}  // namespace

tl::expected<std::vector<transport::CapturedFrame>, Problem> read_capture(const std::string& path) {
  const auto refuse = [&](std::string what) { return tl::unexpected(problem(path, std::move(what))); };

  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return refuse(std::string{"cannot be opened: "} + std::strerror(errno));
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  const Capture capture{pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error.data()),
                        pcap_close};
  if (!capture) {
    std::fclose(file);
    return refuse(std::string{"is not a pcap or pcapng file: "} + error.data());
  }
  if (const int type = pcap_datalink(capture.get()); type != DLT_EN10MB)
    return refuse("has link type " + link_type_name(type) + "; only Ethernet (EN10MB) can be replayed");

  std::vector<transport::CapturedFrame> frames;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  int result = 0;
  while ((result = pcap_next_ex(capture.get(), &header, &data)) == 1) {
    const std::string number = "frame " + std::to_string(frames.size() + 1);
    const Bytes size{header->len};
    const auto kept = std::min<std::size_t>({header->caplen, header->len, device::Frame::header_capacity});
    transport::CapturedFrame frame;
    frame.time = std::chrono::seconds{header->ts.tv_sec} + std::chrono::nanoseconds{header->ts.tv_usec};
    frame.bytes.assign(data, data + kept);
    frame.size = size;
    if (net::parse(frame.bytes, size).error == net::ParseError::truncated && header->caplen < header->len)
      return refuse(number + ": only " + std::to_string(header->caplen) + " of its " + std::to_string(header->len) +
                    " B were captured, fewer than its headers; capture with a snapshot length of at least " +
                    std::to_string(device::Frame::header_capacity));
    frames.push_back(std::move(frame));
  }
  if (result != PCAP_ERROR_BREAK)
    return refuse("is damaged after frame " + std::to_string(frames.size()) + ": " + pcap_geterr(capture.get()));
  if (frames.empty()) return refuse("contains no frames");
  return frames;
}

}  // namespace peerpath::capture
