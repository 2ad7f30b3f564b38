#include "observe/trace/vcd.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <string>
#include <tuple>

namespace peerpath::trace {
namespace {

constexpr int class_bits = 2, size_bits = 13, tag_bits = 16, fifo_bits = 32;

class Vcd final : public Sink {
 public:
  Vcd(std::ostream& out, const Subject& subject) : out_{out}, scene_{subject.scene}, links_(scene_.links.size()) {
    out_ << "$comment " << subject.program << " $end\n$timescale 1 fs $end\n$scope module peerpath $end\n";
    for (std::size_t n = 0; n < links_.size(); ++n) {
      if (!subject.links[n]) continue;
      open(scene_.links[n].name);
      for (const int direction : {0, 1}) {
        const std::string way = direction == scene_.links[n].up ? "up" : "down";
        links_[n][static_cast<std::size_t>(direction)] = {declare(way + "_class", class_bits),
                                                          declare(way + "_data_bytes", size_bits)};
      }
      close();
    }
    for (std::size_t n = 0; n < scene_.topology.nodes.size(); ++n) {
      if (!scene_.topology.nodes[n].is_endpoint) continue;
      const fabric::NodeId node{static_cast<std::uint16_t>(n)};
      open(scene_.topology.nodes[n].name);
      tags_[node] = declare("requests_outstanding", tag_bits);
      if (scene_.kinds[n] == "nic") fifos_[node] = declare("receive_fifo_bytes", fifo_bits);
      close();
    }
    close();
    out_ << "$enddefinitions $end\n#0\n$dumpvars\n";
    for (std::size_t n = 0; n < widths_.size(); ++n) put(n, 0);
    out_ << "$end\n";
  }

  void tlp(const Tlp& tlp) override {
    const auto& record = tlp.record;
    pass(record.start);
    if (tlp.shown) {
      const auto& line = links_[record.link.value()][static_cast<std::size_t>(record.direction)];
      changes_.push({record.start, next_++, line.tlp_class, static_cast<std::uint64_t>(record.tlp_class) + 1});
      changes_.push({record.start, next_++, line.size, static_cast<std::uint64_t>(record.payload.count())});
      // Between TLPs back to back the line is never free: what starts at this instant comes after.
      changes_.push({record.end, next_++, line.tlp_class, 0});
      changes_.push({record.end, next_++, line.size, 0});
    }
    if (tlp.outstanding)
      changes_.push({record.start, next_++, tags_[record.requester], static_cast<std::uint64_t>(*tlp.outstanding)});
  }

  void level(const Level& level) override {
    pass(level.when);
    if (const auto fifo = fifos_.find(level.nic); fifo != fifos_.end())
      changes_.push({level.when, next_++, fifo->second, static_cast<std::uint64_t>(level.held.count())});
  }

  std::string finish() override {
    pass(never);
    return std::to_string(written_) + " changes";
  }

 private:
  struct Line {
    std::size_t tlp_class = 0, size = 0;
  };
  struct Change {
    Instant when;
    std::uint64_t number;
    std::size_t signal;
    std::uint64_t value;
    bool operator>(const Change& other) const { return std::tie(when, number) > std::tie(other.when, other.number); }
  };

  /// Names of a scope or signal hold no blanks.
  static std::string word(std::string name) {
    std::ranges::replace(name, ' ', '_');
    return name;
  }
  void open(const std::string& name) { out_ << "$scope module " << word(name) << " $end\n"; }
  void close() { out_ << "$upscope $end\n"; }

  /// Identifiers of printable characters, the shortest first.
  static std::string identifier(std::size_t number) {
    std::string text;
    do text += static_cast<char>('!' + number % 94);
    while ((number /= 94) > 0);
    return text;
  }

  std::size_t declare(const std::string& name, int bits) {
    widths_.push_back(bits);
    out_ << "$var wire " << bits << " " << identifier(widths_.size() - 1) << " " << name << " [" << bits - 1
         << ":0] $end\n";
    return widths_.size() - 1;
  }

  void put(std::size_t signal, std::uint64_t value) {
    std::string bits;
    for (int i = widths_[signal] - 1; i >= 0; --i)
      if (!bits.empty() || (value >> i & 1) != 0 || i == 0) bits += static_cast<char>('0' + (value >> i & 1));
    out_ << "b" << bits << " " << identifier(signal) << "\n";
  }

  /// Writes what changes before `until`.
  void pass(Instant until) {
    for (; !changes_.empty() && changes_.top().when < until; changes_.pop()) {
      const auto& change = changes_.top();
      if (change.when != now_) out_ << "#" << femtoseconds(now_ = change.when) << "\n";
      put(change.signal, change.value);
      ++written_;
    }
  }

  std::ostream& out_;
  const observe::Scene& scene_;
  std::vector<int> widths_;
  std::vector<std::array<Line, 2>> links_;
  std::map<fabric::NodeId, std::size_t> tags_, fifos_;
  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
  std::uint64_t next_ = 0;
  std::int64_t written_ = 0;
  Instant now_{};
};

}  // namespace

std::unique_ptr<Sink> make_vcd(std::ostream& out, const Subject& subject) {
  return std::make_unique<Vcd>(out, subject);
}

}  // namespace peerpath::trace
