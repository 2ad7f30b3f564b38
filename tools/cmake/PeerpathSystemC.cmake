# peerpath::systemc, made from pkg-config because the package ships no CMake configuration.
#
# Debian builds the library as C++17 and the library's version check refuses to link with C++20 objects; SC_CPLUSPLUS
# tells its headers which standard the library itself was built for.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(systemc QUIET IMPORTED_TARGET systemc)
endif()
add_library(peerpath_systemc INTERFACE)
add_library(peerpath::systemc ALIAS peerpath_systemc)
if(TARGET PkgConfig::systemc)
  target_link_libraries(peerpath_systemc INTERFACE PkgConfig::systemc)
endif()
target_compile_definitions(peerpath_systemc INTERFACE SC_CPLUSPLUS=201703L)
