// Writes a pcap file of a connection on which everything occurs: each kind of work, a NAK, a CNP, a datagram.
#include <fstream>
#include <iostream>

#include "transport/roce/datagram.hpp"
#include "transport/roce/frame.hpp"
#include "transport/roce/requester.hpp"
#include "transport/roce/responder.hpp"

namespace {

using namespace peerpath;
using namespace peerpath::roce;

class Memory final : public Target {
 public:
  bool allows(Operation, std::uint32_t, std::uint64_t, std::uint32_t) override { return true; }
  void place(const Packet&, std::uint64_t) override {}
  void arrived(const Packet&, Instant) override {}
  std::uint64_t modify(const Packet&) override { return counter_++; }

 private:
  std::uint64_t counter_ = 7;
};

class Capture {
 public:
  explicit Capture(const char* path) : out_{path, std::ios::binary} {
    for (const std::uint32_t word : {0xa1b2c3d4u, 0x00040002u, 0u, 0u, 65535u, 1u}) put(word);
  }
  void add(const Packet& packet, bool forward) {
    Addresses a;
    a.source_mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(forward ? 1 : 2)};
    a.destination_mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(forward ? 2 : 1)};
    a.source_ip = forward ? 0x0a000001 : 0x0a000002;
    a.destination_ip = forward ? 0x0a000002 : 0x0a000001;
    std::vector<std::uint8_t> payload(packet.length);
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::uint8_t>(i + packet.psn);
    const auto frame = encode(packet, a, payload);
    const auto size = static_cast<std::uint32_t>(frame.size());
    for (const std::uint32_t word : {0u, ++microseconds_, size, size}) put(word);
    out_.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(size));
  }
  bool good() { return out_.flush().good(); }

 private:
  void put(std::uint32_t word) { out_.write(reinterpret_cast<const char*>(&word), sizeof word); }
  std::ofstream out_;
  std::uint32_t microseconds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: roce_capture FILE.pcap\n";
    return 2;
  }
  Capture capture{argv[1]};
  ConnectionAttributes attributes;
  attributes.mtu = 256;
  attributes.remote_qp = 0x12;
  Memory memory;
  Requester requester{attributes};
  attributes.remote_qp = 0x11;
  Responder responder{attributes, memory};
  std::uint64_t id = 0;
  for (const auto work :
       {Work::send, Work::write, Work::write_immediate, Work::read, Work::compare_swap, Work::fetch_add})
    for (const std::uint32_t length : {100u, 701u})
      requester.post({.id = ++id,
                      .work = work,
                      .length = length,
                      .remote_address = 0x10000 * id,
                      .remote_key = 0x77,
                      .immediate = 0xabcd,
                      .swap_or_add = 3,
                      .compare = 4});
  for (int step = 0; step < 200 && !requester.idle(); ++step) {
    const Instant now{std::chrono::microseconds{step}};
    if (requester.can_send(now)) {
      const auto packet = requester.next(now).packet;
      capture.add(packet, true);
      if (step != 5) responder.receive(packet, now);  // one is lost
    }
    while (responder.can_send()) {
      const auto packet = responder.next().packet;
      capture.add(packet, false);
      requester.receive(packet, now);
    }
  }
  DatagramQueuePair datagrams{0x22, 0, 0, {}};
  datagrams.post({{1, 0x21, 0x11111111}, 50, {}});
  datagrams.post({{1, 0x23, 0x80010000}, 256, {}});
  while (datagrams.can_send()) capture.add(datagrams.next().packet, true);
  Packet cnp;
  cnp.opcode = congestion_notification;
  cnp.becn = true, cnp.destination_qp = 0x11;
  capture.add(cnp, false);
  return requester.idle() && capture.good() ? 0 : 1;
}
