// Addresses of PCI functions as Linux and its tools spell them.
#pragma once

#include <string_view>

namespace peerpath::pcie {

/// "0000:3b:00.0": domain of four to eight hexadecimal digits, bus, device and function.
bool is_function_address(std::string_view text);

}  // namespace peerpath::pcie
