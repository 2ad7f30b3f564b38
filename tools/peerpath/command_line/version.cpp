#include "tools/peerpath/command_line/version.hpp"

#include "peerpath_commit.hpp"

namespace peerpath::cli {

// The four words come from CMake, to this file alone.
std::string_view version() { return PEERPATH_VERSION; }
std::string_view systemc_version() { return PEERPATH_SYSTEMC_VERSION; }
std::string_view compiler() { return PEERPATH_COMPILER; }
std::string_view build_type() { return PEERPATH_BUILD_TYPE; }
std::string_view commit() { return peerpath_commit; }

}  // namespace peerpath::cli
