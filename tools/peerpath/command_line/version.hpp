// Which peerpath this is.
#pragma once

#include <string_view>

namespace peerpath::cli {

std::string_view version();  ///< of the project, "0.1.0"
/// Of the source tree, with "-dirty" behind it if files differ; "" if it is not known.
std::string_view commit();
std::string_view systemc_version();  ///< that it was built with
std::string_view compiler();         ///< that built it
std::string_view build_type();

}  // namespace peerpath::cli
