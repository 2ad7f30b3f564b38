// Writes a pcap file of connections on which everything occurs: options, losses, marks, a closed window.
#include <fstream>
#include <iostream>

#include "transport/tcp/channel.hpp"
#include "transport/tcp/frame.hpp"

namespace {

using namespace peerpath;
using namespace peerpath::tcp;
using namespace std::chrono_literals;

class Capture {
 public:
  explicit Capture(const char* path) : out_{path, std::ios::binary} {
    for (const std::uint32_t word : {0xa1b23c4du, 0x00040002u, 0u, 0u, 65535u, 1u}) put(word);
  }
  void add(const Segment& s, int from, std::uint16_t port, Instant now) {
    Addresses a;
    a.source_mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(from + 1)};
    a.destination_mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(2 - from)};
    a.source_ip = from == 0 ? 0x0a000001 : 0x0a000002;
    a.destination_ip = from == 0 ? 0x0a000002 : 0x0a000001;
    a.source_port = from == 0 ? port : 5001;
    a.destination_port = from == 0 ? 5001 : port;
    std::vector<std::uint8_t> payload(s.length);
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::uint8_t>(i + s.sequence);
    const auto frame = encode(s, a, payload);
    const auto size = static_cast<std::uint32_t>(frame.size());
    const auto time = femtoseconds(now) / 1'000'000;
    for (const std::uint32_t word : {static_cast<std::uint32_t>(time / 1'000'000'000),
                                     static_cast<std::uint32_t>(time % 1'000'000'000), size, size})
      put(word);
    out_.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(size));
  }
  bool good() { return out_.flush().good(); }

 private:
  void put(std::uint32_t word) { out_.write(reinterpret_cast<const char*>(&word), sizeof word); }
  std::ofstream out_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: tcp_capture FILE.pcap\n";
    return 2;
  }
  Capture capture{argv[1]};
  std::uint16_t port = 40000;
  bool over = true;
  for (const auto congestion : {Congestion::reno, Congestion::cubic, Congestion::dctcp}) {
    Config config;
    config.congestion = congestion;
    config.ecn = true;
    config.timestamps = congestion != Congestion::reno;
    config.receive_buffer = 70_KiB;
    tcp::testing::Channel channel{config, config, {.mark = 100, .lost_data = {20, 22, 25, 70}}, port};
    channel.reading[1] = 300us;
    channel.read_most[1] = 10'000;
    channel.seen = [&](int from, const Segment& s) { capture.add(s, from, port, channel.now); };
    channel.write(0, 400'000);
    channel.write(1, 30'000);
    channel.ends[0].close();
    channel.ends[1].close();
    over = channel.run(Instant{100s}) && over;
    ++port;
  }
  return over && capture.good() ? 0 : 1;
}
