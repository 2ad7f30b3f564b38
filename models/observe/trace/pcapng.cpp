#include "observe/trace/pcapng.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "observe/trace/header.hpp"
#include "observe/trace/pcapng_writer.hpp"
#include "observe/trace/text.hpp"

namespace peerpath::trace {
namespace {

class Pcapng final : public Sink {
 public:
  Pcapng(std::ostream& out, const Subject& subject)
      : scene_{subject.scene},
        digits_{timestamp_digits(subject.end)},
        writer_{out, subject.program, comment(subject.scene), digits_},
        links_(subject.scene.links.size()) {
    for (std::size_t n = 0; n < links_.size(); ++n) {
      const auto& link = scene_.topology.links[n];
      if (!subject.links[n]) continue;
      links_[n] = writer_.add({LinkType::tlp, scene_.links[n].name, scene_.links[n].shape,
                               static_cast<std::uint64_t>(link.direction[0].rate.bps()), 16});
    }
  }

  void tlp(const Tlp& tlp) override {
    if (!tlp.shown) return;
    const auto& record = tlp.record;
    const bool digest = scene_.topology.nodes[sender(tlp).value()].endpoint.ecrc;
    const auto header = tlp_header(tlp, digest);
    const auto length = header.size() + static_cast<std::size_t>(record.payload.count()) + (digest ? 4 : 0);
    const auto link = record.link.value();
    writer_.packet(links_[link], time(record.start), header, static_cast<std::uint32_t>(length),
                   record.direction == scene_.links[link].up ? PacketDirection::inbound : PacketDirection::outbound,
                   comment(scene_, tlp));
    ++packets_;
  }

  void frame(const Frame& frame) override {
    const std::span captured{frame.frame.header,
                             std::min<std::size_t>(frame.frame.header_size, device::Frame::header_capacity)};
    writer_.packet(port(frame), time(frame.when), captured, static_cast<std::uint32_t>(frame.frame.size.count()),
                   frame.out ? PacketDirection::outbound : PacketDirection::inbound, {});
    ++packets_;
  }

  std::string finish() override { return std::to_string(packets_) + (packets_ == 1 ? " packet" : " packets"); }

 private:
  static std::string comment(const observe::Scene& scene) {
    std::string text = "Functions stand for devices:";
    for (std::size_t n = 0; n < scene.topology.nodes.size(); ++n)
      text += "\n" + function_name(fabric::NodeId{static_cast<std::uint16_t>(n)}) + " " + scene.topology.nodes[n].name;
    return text;
  }
  static std::string comment(const observe::Scene& scene, const Tlp& tlp) {
    return purpose_text(tlp.record.purpose) + ", " + scene.topology.nodes[tlp.record.requester.value()].name + " -> " +
           scene.topology.nodes[tlp.record.target.value()].name + ", transaction " + std::to_string(tlp.record.cookie);
  }

  std::uint64_t time(Instant t) const { return timestamp(t, digits_); }

  /// pcapng allows an interface between packets, so ports are added when they have a frame.
  std::uint32_t port(const Frame& frame) {
    const auto key = std::pair{frame.nic, frame.port};
    if (const auto found = ports_.find(key); found != ports_.end()) return found->second;
    const auto& name = scene_.topology.nodes[frame.nic.value()].name;
    const auto number = writer_.add({LinkType::ethernet, name + " port " + std::to_string(frame.port),
                                     "Ethernet port of " + name, 0, device::Frame::header_capacity});
    return ports_[key] = number;
  }

  const observe::Scene& scene_;
  int digits_;
  PcapngWriter writer_;
  std::vector<std::uint32_t> links_;
  std::map<std::pair<fabric::NodeId, int>, std::uint32_t> ports_;
  std::int64_t packets_ = 0;
};

}  // namespace

std::unique_ptr<Sink> make_pcapng(std::ostream& out, const Subject& subject) {
  return std::make_unique<Pcapng>(out, subject);
}

}  // namespace peerpath::trace
