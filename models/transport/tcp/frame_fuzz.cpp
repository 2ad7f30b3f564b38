// Any bytes as a frame; what is accepted is told again in the same words.
#include <cstddef>
#include <cstdint>

#include "peerpath/base/fail.hpp"
#include "transport/tcp/frame.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peerpath;
  const auto decoded = tcp::decode({data, size});
  if (decoded.error != tcp::DecodeError::none) return 0;
  auto said = decoded.segment;
  if (said.has(tcp::flag::syn)) said.blocks = 0;
  const auto frame = tcp::encode(said, decoded.addresses, decoded.payload);
  const auto again = tcp::decode(frame);
  require(again.error == tcp::DecodeError::none, "its own frame is refused");
  require(again.addresses == decoded.addresses, "addresses changed");
  require(again.segment.sequence == said.sequence && again.segment.acknowledgement == said.acknowledgement &&
              again.segment.flags == said.flags && again.segment.length == said.length &&
              again.segment.window == said.window && again.segment.blocks == said.blocks,
          "fields changed");
  return 0;
}
