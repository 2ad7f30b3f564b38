#include "observe/trace/perfetto.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "devices/nic/cookie.hpp"
#include "observe/trace/credits_in_use.hpp"
#include "observe/trace/perfetto_writer.hpp"
#include "observe/trace/text.hpp"

namespace peerpath::trace {
namespace {

using Track = PerfettoWriter::Track;

/// Numbers of flows that join a descriptor with its completion entry, apart from those of transactions.
constexpr std::uint64_t ring_flows = std::uint64_t{1} << 63;

class Perfetto final : public Sink {
 public:
  Perfetto(std::ostream& out, const Subject& subject)
      : scene_{subject.scene},
        unit_{subject.picoseconds ? 1'000 : 1'000'000},
        writer_{out},
        credits_{subject.scene.topology},
        links_(subject.scene.links.size()) {
    const auto all = writer_.add_track(subject.picoseconds ? "PCIe links (1 ns here is 1 ps simulated)" : "PCIe links");
    for (std::size_t n = 0; n < links_.size(); ++n) {
      if (!subject.links[n]) continue;
      const auto& link = scene_.links[n];
      links_[n].all = writer_.add_track(link.name + ", " + link.shape, all);
      for (const int direction : {0, 1})
        links_[n].way[static_cast<std::size_t>(direction)] =
            writer_.add_track(link.name + (direction == link.up ? " up" : " down"), links_[n].all);
    }
  }

  void tlp(const Tlp& tlp) override {
    const auto& record = tlp.record;
    if (tlp.shown) slice(tlp);
    credits_.see(tlp, [this](const CreditsInUse::Change& change) { show(change); });
    if (tlp.outstanding) {
      auto& track = tags_[record.requester];
      if (track == 0) track = writer_.add_counter("requests outstanding", "tags", device(record.requester));
      writer_.counter(track, time(tlp.record.start), *tlp.outstanding);
    }
    if (tlp.last) transaction(tlp);
  }

  void frame(const Frame& frame) override {
    auto& track = ports_[{frame.nic, frame.port, frame.out}];
    if (track == 0)
      track = writer_.add_track("Ethernet port " + std::to_string(frame.port) + (frame.out ? " out" : " in"),
                                device(frame.nic));
    writer_.instant(track, time(frame.when),
                    {"frame " + std::to_string(frame.frame.size.count()) + " B", "frame", {}, {}, {}});
  }

  void work(const Work& work) override {
    auto& track = cores_[{work.host, work.core}];
    if (track == 0) track = writer_.add_track("core " + std::to_string(work.core), cores_of(work.host));
    writer_.slice(track, time(work.when), time(work.end), {"work", "core", {}, {}, {}});
  }

  void level(const Level& level) override {
    auto& track = fifos_[level.nic];
    if (track == 0) track = writer_.add_counter("receive FIFO", "B", device(level.nic));
    writer_.counter(track, time(level.when), level.held.count());
  }

  std::string finish() override { return std::to_string(writer_.events()) + " events"; }

 private:
  struct Link {
    Track all = 0;
    std::array<Track, 2> way{};
    std::array<std::array<Track, pcie::tlp_classes>, 2> credits{};
  };
  /// Tracks of transactions that overlap, and until when each is taken.
  struct Lanes {
    std::vector<std::pair<Track, Instant>> lanes;
  };

  std::uint64_t time(Instant t) const { return static_cast<std::uint64_t>(femtoseconds(t) / unit_); }
  const std::string& name(fabric::NodeId node) const { return scene_.topology.nodes[node.value()].name; }

  Track device(fabric::NodeId node) {
    auto& track = devices_[node];
    if (track == 0) track = writer_.add_track(name(node));
    return track;
  }
  Track cores_of(fabric::NodeId host) {
    auto& track = hosts_[host];
    if (track == 0) track = writer_.add_track("cores at " + name(host));
    return track;
  }

  void slice(const Tlp& tlp) {
    const auto& record = tlp.record;
    const auto& link = links_[record.link.value()];
    writer_.slice(link.way[static_cast<std::size_t>(record.direction)], time(record.start), time(record.end),
                  {tlp_type(tlp) + " " + std::to_string(tlp.bytes.count()) + " B",
                   purpose_text(record.purpose),
                   {record.cookie + 1},
                   {{"purpose", purpose_text(record.purpose)},
                    {"asks", name(record.requester)},
                    {"is asked", name(record.target)}},
                   {{"tag", tlp.tag},
                    {"transaction", static_cast<std::int64_t>(record.cookie)},
                    {"address", static_cast<std::int64_t>(record.address)}}});
  }

  void show(const CreditsInUse::Change& change) {
    if (links_[change.link].all == 0) return;
    auto& link = links_[change.link];
    auto& track = link.credits[static_cast<std::size_t>(change.direction)][static_cast<std::size_t>(change.tlp_class)];
    if (track == 0) {
      const auto& scene = scene_.links[change.link];
      constexpr std::array names{"posted", "non-posted", "completion"};
      track = writer_.add_counter(scene.name + (change.direction == scene.up ? " up, " : " down, ") +
                                      names[static_cast<std::size_t>(change.tlp_class)] + " header credits in use",
                                  "credits", link.all);
    }
    writer_.counter(track, time(change.when), change.taken);
  }

  void transaction(const Tlp& tlp) {
    const auto& asked = tlp.asked;
    const auto requester = tlp.record.requester;
    auto& lanes = lanes_[{requester, asked.purpose}].lanes;
    auto lane = std::ranges::find_if(lanes, [&](const auto& l) { return l.second <= asked.ready; });
    const auto end = tlp.record.end;
    if (lane == lanes.end())
      lane = lanes.insert(lanes.end(), {writer_.add_track(purpose_text(asked.purpose), device(requester)), Instant{}});
    lane->second = end;
    PerfettoEvent event{std::string{pcie::request_class(asked.op) == pcie::TlpClass::posted ? "write " : "read "} +
                            std::to_string(asked.bytes.count()) + " B, " + name(asked.target),
                        "transaction",
                        {tlp.record.cookie + 1},
                        {{"purpose", purpose_text(asked.purpose)}},
                        {{"address", static_cast<std::int64_t>(asked.address)}}};
    if (scene_.kinds[requester.value()] == "nic") add_ring_flows(requester, asked.cookie, event);
    writer_.slice(lane->first, time(asked.ready), time(end), event);
  }

  /// Places of a ring: those that a read of descriptors has brought, or a write of completion entries has filled.
  static void add_ring_flows(fabric::NodeId nic, std::uint64_t packed, PerfettoEvent& event) {
    const auto cookie = nic::Cookie::unpack(packed);
    const bool descriptors = cookie.dma == nic::Dma::rx_descriptors || cookie.dma == nic::Dma::tx_descriptors;
    const bool entries = cookie.dma == nic::Dma::rx_completions || cookie.dma == nic::Dma::tx_completions;
    if (!descriptors && !entries) return;
    const bool transmit = cookie.dma == nic::Dma::tx_descriptors || cookie.dma == nic::Dma::tx_completions;
    event.texts.emplace_back("queue", (transmit ? "transmit " : "receive ") + std::to_string(cookie.queue.value()));
    event.numbers.emplace_back("first index", cookie.value);
    event.numbers.emplace_back("entries", cookie.count);
    for (std::uint32_t i = 0; i < cookie.count; ++i)
      event.flows.push_back(ring_flows | std::uint64_t{nic.value() & 0xffU} << 48 | std::uint64_t{transmit} << 47 |
                            std::uint64_t{cookie.queue.value()} << 32 | (cookie.value + i));
  }

  const observe::Scene& scene_;
  std::int64_t unit_;
  PerfettoWriter writer_;
  CreditsInUse credits_;
  std::vector<Link> links_;
  std::map<fabric::NodeId, Track> devices_, hosts_, tags_, fifos_;
  std::map<std::tuple<fabric::NodeId, int, bool>, Track> ports_;
  std::map<std::pair<fabric::NodeId, int>, Track> cores_;
  std::map<std::pair<fabric::NodeId, pcie::Purpose>, Lanes> lanes_;
};

}  // namespace

std::unique_ptr<Sink> make_perfetto(std::ostream& out, const Subject& subject) {
  return std::make_unique<Perfetto>(out, subject);
}

}  // namespace peerpath::trace
