// What a queue pair is asked to do, and how that ended.
#pragma once

#include <array>
#include <cstdint>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::roce {

enum class Work : std::uint8_t { send, write, write_immediate, read, compare_swap, fetch_add };
constexpr std::array<EnumName<Work>, 6> enum_names(Work) {
  return {{{"send", Work::send},
           {"write", Work::write},
           {"write_immediate", Work::write_immediate},
           {"read", Work::read},
           {"compare_swap", Work::compare_swap},
           {"fetch_add", Work::fetch_add}}};
}

constexpr bool is_atomic(Work work) { return work == Work::compare_swap || work == Work::fetch_add; }
/// Whether its data comes from the responder.
constexpr bool answers(Work work) { return work == Work::read || is_atomic(work); }

/// A work request of the send queue.
struct WorkRequest {
  std::uint64_t id = 0;
  Work work = Work::write;
  std::uint32_t length = 0;
  std::uint64_t remote_address = 0;
  std::uint32_t remote_key = 0;
  std::uint32_t immediate = 0;
  std::uint64_t swap_or_add = 0, compare = 0;
};

/// How a work request ended (as IB_WC_*).
enum class WorkStatus : std::uint8_t {
  success,
  retry_exceeded,
  rnr_retry_exceeded,
  remote_invalid_request,
  remote_access_error,
  remote_operational_error,
  flushed,  ///< the queue pair went to the error state before its turn
};

struct Completion {
  std::uint64_t id = 0;
  WorkStatus status{};
  std::uint64_t value = 0;  ///< of an atomic: what was there
};

/// How lost packets are made good.
enum class Recovery : std::uint8_t {
  go_back_n,        ///< the responder drops what is out of order, the requester sends all from the gap again
  selective_repeat  ///< the responder keeps it and names it in the NAK, the requester fills the gap (IRN, Mittal et al.
                    ///< 2018)
};
constexpr std::array<EnumName<Recovery>, 2> enum_names(Recovery) {
  return {{{"go_back_n", Recovery::go_back_n}, {"selective_repeat", Recovery::selective_repeat}}};
}

/// Attributes of a reliable connection.
struct ConnectionAttributes {
  std::uint32_t mtu = 4096;  ///< path MTU: payload of a packet
  std::uint32_t first_psn = 0;
  std::uint32_t remote_qp = 0;
  std::uint32_t window = 4096;   ///< packets without acknowledgement
  std::uint32_t ack_every = 64;  ///< packets; the last of a message is always acknowledged
  int reads = 16;                ///< read and atomic requests without answer
  int retries = 7;               ///< of the transport
  int rnr_retries = 7;           ///< 7: without end
  int rnr_timer = 12;            ///< code of the least wait that the responder asks for: 12 is 640 us
  Duration timeout = std::chrono::microseconds{67109};  ///< local ACK timeout, 4.096 us * 2^14
  Recovery recovery = Recovery::go_back_n;
};

/// The wait that a code in an RNR NAK asks for (section 9.7.5.2.8, table 46).
Duration rnr_wait(int code);

}  // namespace peerpath::roce
