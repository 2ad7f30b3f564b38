// What an end of a TCP connection does where the standards leave a choice.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::tcp {

using namespace literals;

enum class Congestion : std::uint8_t { reno, cubic, dctcp };
constexpr std::array<EnumName<Congestion>, 3> enum_names(Congestion) {
  return {{{"reno", Congestion::reno}, {"cubic", Congestion::cubic}, {"dctcp", Congestion::dctcp}}};
}

/// How the window grows in slow start for an acknowledgement of several segments: by all of them, as Linux counts, or
/// by one (RFC 5681, equation 2).
enum class SlowStart : std::uint8_t { bytes_acked, per_ack };
constexpr std::array<EnumName<SlowStart>, 2> enum_names(SlowStart) {
  return {{{"bytes_acked", SlowStart::bytes_acked}, {"per_ack", SlowStart::per_ack}}};
}

/// The window while losses are repaired: proportional rate reduction (RFC 6937), or ssthresh at once (RFC 6675).
enum class Recovery : std::uint8_t { prr, rfc6675 };
constexpr std::array<EnumName<Recovery>, 2> enum_names(Recovery) {
  return {{{"prr", Recovery::prr}, {"rfc6675", Recovery::rfc6675}}};
}

/// Which segments are acknowledged at once: more than one full segment (RFC 1122), and before that those of the start
/// of a connection, as Linux does (16), or all.
enum class Acknowledge : std::uint8_t { quick_start, delayed, each };
constexpr std::array<EnumName<Acknowledge>, 3> enum_names(Acknowledge) {
  return {{{"quick_start", Acknowledge::quick_start}, {"delayed", Acknowledge::delayed}, {"each", Acknowledge::each}}};
}

/// What the advertised window counts: bytes until the consumer gives their memory back, or until it has read them.
enum class WindowOf : std::uint8_t { memory, socket };
constexpr std::array<EnumName<WindowOf>, 2> enum_names(WindowOf) {
  return {{{"memory", WindowOf::memory}, {"socket", WindowOf::socket}}};
}

/// Defaults are those of Linux 6.
struct Config {
  int mtu = 1500;
  Congestion congestion = Congestion::cubic;
  bool ecn = false;
  bool sack = true;
  bool timestamps = true;
  bool nagle = false;
  int initial_window = 10;
  SlowStart slow_start = SlowStart::bytes_acked;
  Recovery recovery = Recovery::prr;
  Acknowledge acknowledge = Acknowledge::quick_start;
  Duration ack_delay = std::chrono::milliseconds{40};
  Duration initial_rto = std::chrono::seconds{1};
  Duration min_rto = std::chrono::milliseconds{200};
  Duration max_rto = std::chrono::seconds{120};
  Bytes receive_buffer = 6_MiB;
  WindowOf window_of = WindowOf::memory;

  static constexpr auto fields() {
    using C = Config;
    return std::tuple{
        field("mtu", &C::mtu, "IP MTU in bytes; a segment carries 40 B less, with timestamps 52 B less")
            .at_least(576)
            .at_most(9000),
        field("congestion", &C::congestion,
              "Congestion control: reno (RFC 5681), cubic (RFC 9438) or dctcp (RFC 8257)"),
        field("ecn", &C::ecn, "Explicit Congestion Notification (RFC 3168); always on with dctcp"),
        field("sack", &C::sack, "Selective acknowledgement (RFC 2018, 6675); off: NewReno (RFC 6582)"),
        field(
            "timestamps", &C::timestamps,
            "Whether segments carry the timestamp option (RFC 7323); it adds 12 B and is not used to time round trips"),
        field("nagle", &C::nagle, "Nagle algorithm: delay a short segment while data is in flight (RFC 1122, 4.2.3.4)"),
        field("initial_window", &C::initial_window, "Initial congestion window, in segments")
            .at_least(1)
            .at_most(1000)
            .from("RFC 6928"),
        field("slow_start", &C::slow_start, "Growth of the window for an acknowledgement that covers several segments"),
        field("recovery", &C::recovery, "Congestion window during loss recovery"),
        field("acknowledge", &C::acknowledge, "Which segments cause an immediate acknowledgement"),
        field("ack_delay", &C::ack_delay, "Longest time that an acknowledgement waits for a second segment")
            .at_most(std::chrono::milliseconds{500})
            .from("kernel: TCP_DELACK_MIN"),
        field("initial_rto", &C::initial_rto, "Retransmission timeout before the first round-trip measurement")
            .at_least(std::chrono::milliseconds{1})
            .at_most(std::chrono::seconds{60})
            .from("RFC 6298"),
        field("min_rto", &C::min_rto, "Lower bound of the retransmission timeout")
            .at_least(std::chrono::microseconds{10})
            .at_most(std::chrono::seconds{60})
            .from("kernel: TCP_RTO_MIN; RFC 6298 has 1 s"),
        field("max_rto", &C::max_rto, "Upper bound of the retransmission timeout")
            .at_least(std::chrono::milliseconds{1})
            .at_most(std::chrono::seconds{120})
            .from("kernel: TCP_RTO_MAX"),
        field("receive_buffer", &C::receive_buffer,
              "Receive buffer of a connection; the advertised window starts from it")
            .at_least(4_KiB)
            .at_most(Bytes{1 << 30})
            .from("kernel: tcp_rmem"),
        field("window_of", &C::window_of,
              "Quantity that reduces the advertised window. memory: bytes that the application has not returned "
              "(devmem tokens, refill ring entries). socket: unread bytes, as in Linux, where the NIC drops packets "
              "once memory runs out")};
  }

  std::uint32_t mss() const { return static_cast<std::uint32_t>(mtu - 40 - (timestamps ? 12 : 0)); }
  bool marks() const { return ecn || congestion == Congestion::dctcp; }
};

}  // namespace peerpath::tcp
