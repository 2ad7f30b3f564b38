// Any bytes as a frame, as they are and with a right ICRC; what is accepted is told again in the same words.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "peerpath/base/fail.hpp"
#include "transport/roce/frame.hpp"

namespace {

using namespace peerpath;

void tell_again(std::span<const std::uint8_t> frame) {
  const auto decoded = roce::decode(frame);
  if (decoded.error != roce::DecodeError::none) return;
  const auto written = roce::encode(decoded.packet, decoded.addresses, decoded.payload);
  require(written.size() == roce::frame_size(decoded.packet), "a frame has another size than it should");
  const auto again = roce::decode(written);
  require(again.error == roce::DecodeError::none, "its own frame is refused");
  require(std::memcmp(&again.packet, &decoded.packet, sizeof again.packet) == 0, "fields changed");
  require(again.addresses.source_ip == decoded.addresses.source_ip && again.addresses.ecn == decoded.addresses.ecn &&
              again.addresses.source_port == decoded.addresses.source_port,
          "addresses changed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t ethernet = 14, check = 4;
  tell_again({data, size});
  if (size < 58) return 0;
  std::vector<std::uint8_t> frame(data, data + size);
  const auto end = ethernet + (std::size_t{frame[16]} << 8 | frame[17]);
  if (end > size || end < 58) return 0;
  const auto crc = roce::icrc(std::span{frame}.subspan(ethernet, end - ethernet - check));
  for (std::size_t i = 0; i < check; ++i) frame[end - check + i] = static_cast<std::uint8_t>(crc >> 8 * i);
  tell_again(frame);
  return 0;
}
