// SHA-256 of a text, to say which inputs a result came from.
#pragma once

#include <string>
#include <string_view>

namespace peerpath::cli {

/// The digest in hexadecimal, 64 lower-case digits (FIPS 180-4, section 6.2).
std::string sha256(std::string_view text);

}  // namespace peerpath::cli
