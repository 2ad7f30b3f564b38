#include "platform/network/host_probe.hpp"

#include <algorithm>

namespace peerpath::network_run {
namespace {

using namespace std::chrono_literals;
using observe::quotient;

constexpr Instant measured_from{30us}, measured_until{130us};
constexpr Bytes receive_buffer{256 << 10};

/// Packets that come in, each a write. A step asks for what comes in it, of which nothing has been computed yet.
class Arrivals {
 public:
  Arrivals(const WireLoad& load, HostModel& host)
      : load_{load}, host_{host}, interval_{load.receive == BitRate{} ? Duration{} : load.frame / load.receive} {}

  void step(Instant now, Instant until) {
    for (; !host_.written.empty(); host_.written.pop(), --open_) held_.push(host_.written.front());
    if (interval_ == Duration{}) return;
    for (next_ = std::max(next_, now); next_ < until; next_ += interval_) {
      while (!held_.empty() && held_.front() <= next_) held_.pop();
      if ((open_ + static_cast<std::int64_t>(held_.size())) * load_.payload.count() > receive_buffer.count()) return;
      host_.write(load_.payload, next_);
      ++open_;
    }
  }

 private:
  const WireLoad& load_;
  HostModel& host_;
  Duration interval_;
  Instant next_{};
  Ring<Instant> held_;     ///< when packets in the NIC are out of it
  std::int64_t open_ = 0;  ///< those of which that is not known
};

/// Packets that are read ahead, and leave at the rate.
class Departures {
 public:
  Departures(const WireLoad& load, HostModel& host)
      : load_{load},
        host_{host},
        interval_{load.transmit == BitRate{} ? Duration{} : load.frame / load.transmit},
        room_{host.transmit_buffer() / load.payload} {}

  void step(Instant now, Instant until) {
    if (interval_ == Duration{}) return;
    for (; !host_.fetched.empty(); host_.fetched.pop()) {
      leaving_.push(std::max(host_.fetched.front(), free_));
      free_ = leaving_.back() + interval_;
    }
    for (; room_ > 0; --room_) host_.read(load_.payload, now);
    for (; !leaving_.empty() && leaving_.front() < until; leaving_.pop())
      host_.read(load_.payload, std::max(now, leaving_.front()));
  }

 private:
  const WireLoad& load_;
  HostModel& host_;
  Duration interval_;
  std::int64_t room_;
  Instant free_{};
  Ring<Instant> leaving_;
};

}  // namespace

tl::expected<WireRates, Problems> probe(const scenario::Loaded& node, const WireLoad& load) {
  auto made = HostModel::make(node, 0);
  if (!made) return tl::unexpected{std::move(made.error())};
  auto& host = **made;
  Arrivals arrivals{load, host};
  Departures departures{load, host};
  bool begun = false;
  const auto step = host.latency();
  for (Instant now{}; now < measured_until; now += step) {
    arrivals.step(now, now + step);
    departures.step(now, now + step);
    host.advance(now + 2 * step);
    if (!begun && now >= measured_from) host.begin_window();
    begun = begun || now >= measured_from;
  }
  const auto window = host.window().count();
  const auto gbps = [window](Bytes bytes) {
    return quotient(static_cast<WideInt>(bytes.count()) * 8 * 1'000'000, window, 3);
  };
  WireRates out;
  out.received_gbps = gbps(host.written_bytes());
  out.sent_gbps = gbps(host.read_bytes());
  out.receive_latency = host.write_latency().quantile(500'000);
  out.send_latency = host.read_latency().quantile(500'000);
  out.transmit_buffer = host.transmit_buffer();
  out.limit = host.limit();
  return out;
}

}  // namespace peerpath::network_run
