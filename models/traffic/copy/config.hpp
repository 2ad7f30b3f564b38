// Options of copies that a GPU makes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "peerpath/base/field.hpp"
#include "peerpath/base/units.hpp"

namespace peerpath::scenario {

/// What of a GPU moves the bytes of a copy.
enum class CopyBy : std::uint8_t { engine, kernel };
constexpr std::array<EnumName<CopyBy>, 2> enum_names(CopyBy) {
  return {{{"engine", CopyBy::engine}, {"kernel", CopyBy::kernel}}};
}

/// When a copy is submitted.
enum class Submission : std::uint8_t {
  queued,  ///< all are, long before: one follows the other in a stream
  single,  ///< when the one before is seen to be over
};
constexpr std::array<EnumName<Submission>, 2> enum_names(Submission) {
  return {{{"queued", Submission::queued}, {"single", Submission::single}}};
}

}  // namespace peerpath::scenario

namespace peerpath::scenario::traffic {

/// A GPU copies between its memory and the host's, or another GPU's, one copy of `sizes` after the other.
struct Copy {
  static constexpr std::string_view name = "copy";
  CopyBy by = CopyBy::engine;
  Submission submission = Submission::queued;
  std::string through{};
  Bytes chunk = 1_MiB;

  static constexpr auto fields() {
    return std::tuple{
        field("by", &Copy::by, "GPU unit that performs a copy: a copy engine or a kernel"),
        field("submission", &Copy::submission,
              "queued: all copies are submitted in advance; single: each is submitted once the previous one is seen to "
              "complete"),
        field("through", &Copy::through,
              "host memory that stages copies between GPUs; absent: the direct connection between the GPUs "
              "(gpu.copies.peer_rate)"),
        field("chunk", &Copy::chunk, "staged copies: chunk size; one chunk goes down while the next one comes up")
            .at_least(4_KiB)};
  }
};

}  // namespace peerpath::scenario::traffic
