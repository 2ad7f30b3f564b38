// Any bytes: the parser must stay inside them, and what it reports must be consistent.
#include <cstdlib>

#include "peerpath/net/headers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace peerpath;
  if (size < 2) return 0;
  const Bytes frame{static_cast<std::int64_t>(data[0]) << 8 | data[1]};
  const auto parsed = net::parse({data + 2, size - 2}, frame);
  if (parsed.payload.count() < 0 || parsed.payload > frame) std::abort();
  if (parsed.header_length > size - 2) std::abort();
  if (parsed.error == net::ParseError::none && Bytes{parsed.header_length} + parsed.payload > frame) std::abort();
  return 0;
}
