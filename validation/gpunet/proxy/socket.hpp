// A socket as its proxy knows it.
#pragma once

#include <array>
#include <chrono>
#include <memory>

#include "peerpath/validation/gpunet/memory.hpp"
#include "validation/gpunet/proxy/channel.hpp"

namespace peerpath::gpunet {

using Clock = std::chrono::steady_clock;

struct Socket {
  std::shared_ptr<Channel> channel;  ///< null: the slot is free. Shared with blocks that accept
  Family family = Family::none;
  std::uint32_t slot = 0, generation = 0;
  /// As the GPU is told: see Call.
  std::uint32_t told() const { return connected ? static_cast<std::uint32_t>(channel->slice() + 2) : 0; }
  bool connecting = false, connected = false;

  /// From the GPU. Numbers never go back; positions begin anew with each socket.
  struct Out {
    std::uint32_t next = 1;    ///< entry to be sent next
    std::uint32_t offset = 0;  ///< bytes of it that were sent
    std::uint64_t position = 0;
    int error = 0;  ///< sending is over
    bool shut_wanted = false, shut = false;
    std::uint32_t shut_at = 0;   ///< entries before this one go out first
    Clock::time_point looked{};  ///< when there was nothing last; zero: not since something was sent
  } out;

  /// To the GPU.
  struct In {
    std::uint32_t next = 1;  ///< entry to be filled next
    std::uint64_t position = 0;
    std::uint32_t base = 0;                      ///< entries that belong to earlier sockets of the slot
    std::array<std::uint64_t, entries> ends{};   ///< ring position behind each entry
    std::array<std::uint32_t, entries> slots{};  ///< of the channel, of each entry that is direct
    std::uint32_t returned = 0;                  ///< the last entry whose slot went back
    int error = 0;                               ///< an errno that a send met first, for the end of the stream
    bool ended = false;                          ///< the end was announced
    bool gone = false;                           ///< and so was that the peer is gone altogether
    bool readable = true;                        ///< receiving is worth a try
    Clock::time_point last{}, not_before{};      ///< of a receive; until when more shall gather
    Clock::time_point announced{};               ///< the latest entry; zero: the GPU has sent something since
  } in;

  bool closing = false;
  Clock::time_point close_by{};  ///< what cannot be sent until then is lost
  std::uint32_t last_out = 0;    ///< closing: entries before this one are the GPU's last
};

}  // namespace peerpath::gpunet
