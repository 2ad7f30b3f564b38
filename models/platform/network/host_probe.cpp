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

/// Messages that are read at once, each after a pause behind the one before it. They fit into the transmit buffer.
class Messages {
 public:
  Messages(const WireLoad& load, HostModel& host)
      : load_{load}, host_{host}, count_{std::max<std::int64_t>(2, load.message / load.payload)} {}

  void step(Instant now, Instant until) {
    for (; !host_.fetched.empty(); host_.fetched.pop()) take(host_.fetched.front());
    if (waits_ || next_ >= until) return;
    waits_ = true;
    begun_ = std::max(now, next_);
    for (std::int64_t i = 0; i < count_; ++i) host_.read(load_.payload, begun_);
  }

  Duration first_latency() const { return first_ / std::max<std::int64_t>(whole_, 1); }
  BitRate rate() const {
    if (rest_ == Duration{}) return load_.transmit;
    const auto bits = static_cast<WideInt>(whole_) * (count_ - 1) * load_.payload.count() * 8;
    return BitRate{static_cast<std::int64_t>(bits * Duration{std::chrono::seconds{1}}.count() / rest_.count())};
  }

 private:
  void take(Instant when) {
    if (++taken_ == 1) begins_ = when;
    if (taken_ < count_) return;
    if (begun_ >= measured_from) {
      ++whole_;
      first_ += begins_ - begun_;
      rest_ += when - begins_;
    }
    taken_ = 0;
    waits_ = false;
    next_ = when + count_ * (load_.frame / load_.transmit);
  }

  const WireLoad& load_;
  HostModel& host_;
  std::int64_t count_, taken_ = 0;
  bool waits_ = false;
  Instant next_{}, begun_{}, begins_{};
  // Of those that began in the window:
  std::int64_t whole_ = 0;
  Duration first_{}, rest_{};
};

}  // namespace

tl::expected<WireRates, Problems> probe(const scenario::Loaded& node, const WireLoad& load) {
  auto made = HostModel::make(node, 0);
  if (!made) return tl::unexpected{std::move(made.error())};
  auto& host = **made;
  Arrivals arrivals{load, host};
  Departures departures{load, host};
  Messages messages{load, host};
  bool begun = false;
  const auto step = host.latency();
  for (Instant now{}; now < measured_until; now += step) {
    arrivals.step(now, now + step);
    if (load.message == Bytes{})
      departures.step(now, now + step);
    else
      messages.step(now, now + step);
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
  out.first_latency = messages.first_latency();
  out.message_rate = messages.rate();
  out.transmit_buffer = host.transmit_buffer();
  out.limit = host.limit();
  return out;
}

}  // namespace peerpath::network_run
