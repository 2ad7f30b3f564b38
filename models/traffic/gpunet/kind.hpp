// The trait of the kind gpunet.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "peerpath/traffic/kind.hpp"
#include "traffic/gpunet/config.hpp"

namespace peerpath::scenario::traffic {

inline constexpr std::array<StageText, 7> stages_of_gpunet{
    {{"gpunet stage", "store", "the gsend call.", "the block sends",
      "its entry is in host memory, or it has rung the NIC's doorbell"},
     {"gpunet stage", "sweep", "waiting until the proxy or program polls.", "the data is in host memory",
      "the proxy, or the program, has it"},
     {"gpunet stage", "channel", "the send call.", "the send call begins", "the channel has taken the bytes"},
     {"gpunet stage", "announce", "transit, and the receiver's proxy.", "the channel has taken the bytes",
      "the GPU is notified"},
     {"gpunet stage", "poll", "polling by the GPU.", "the GPU is notified of the bytes",
      "it has seen the notification"},
     {"gpunet stage", "copy", "copying to the receiving block or program.", "the notification has been seen",
      "the block or program has the bytes"},
     {"gpunet stage", "answer", "computing the answer in the block.", "the block has the request",
      "the answer is in host memory"}}};

template <>
struct Kind<Gpunet> : CommonKind {
  static constexpr bool repeats = false;  // a message follows the answer to the last one
  static std::span<const StageText> stages() { return stages_of_gpunet; }

  static void check(const Gpunet& gpunet, TrafficCheck& check);
  static std::unique_ptr<platform::KindSetup> set_up(platform::SetupContext& context);
};

}  // namespace peerpath::scenario::traffic
