# What `cmake --install` puts where: the program with its scenarios, manual page and completions (component program), and the
# models as libraries with a CMake package and pkg-config files (component development). `cpack -G DEB` makes a package of each.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(PEERPATH_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/peerpath)

# Sets `result` to the libraries of the project that a program with `target` links, users before what they use.
function(peerpath_linked target result)
  set(order)
  set(open ${target})
  while(open)
    list(POP_FRONT open next)
    if(NOT TARGET ${next})
      continue()
    endif()
    get_target_property(aliased ${next} ALIASED_TARGET)
    if(aliased)
      set(next ${aliased})
    endif()
    if(NOT next MATCHES "^peerpath_" OR next STREQUAL "peerpath_systemc")
      continue()
    endif()
    list(REMOVE_ITEM order ${next})  # after its latest user
    list(APPEND order ${next})
    get_target_property(links ${next} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(TRANSFORM links REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1")
      list(APPEND open ${links})
    endif()
  endwhile()
  set(${result} ${order} PARENT_SCOPE)
endfunction()

# A library of models/, exported as peerpath::<name>.
function(peerpath_install_library target)
  string(REGEX REPLACE "^peerpath_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/peerpath/kinds>)
  target_compile_features(${target} INTERFACE cxx_std_20)
  install(TARGETS ${target} EXPORT peerpath COMPONENT development
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/peerpath COMPONENT development)
endfunction()

function(peerpath_install_pkg_config name target description requires flags)
  peerpath_linked(${target} targets)
  set(archives "")
  foreach(library ${targets})
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      string(APPEND archives " -l${library}")
    endif()
  endforeach()
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.pc @ONLY CONTENT
"prefix=\${pcfiledir}/@up@
libdir=\${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=\${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Requires: @requires@
Cflags: -std=c++20 -I\${includedir} -I\${includedir}/peerpath/kinds @flags@
Libs: -L\${libdir}/peerpath -Wl,--start-group@archives@ -Wl,--end-group
")
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()

# Called last, when every target is known.
function(peerpath_install)
  peerpath_linked(peerpath_sc libraries)
  foreach(library ${libraries})
    peerpath_install_library(${library})
  endforeach()
  set_target_properties(peerpath_systemc PROPERTIES EXPORT_NAME systemc)
  install(TARGETS peerpath_systemc EXPORT peerpath COMPONENT development)
  install(EXPORT peerpath NAMESPACE peerpath:: FILE peerpath-targets.cmake DESTINATION ${PEERPATH_CMAKE_DIR}
          COMPONENT development)
  install(DIRECTORY include/peerpath DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
          PATTERN validation EXCLUDE)
  # The configuration and trait of a device or of a kind of traffic lie in its folder.
  install(DIRECTORY models/devices models/traffic DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/peerpath/kinds COMPONENT development
          FILES_MATCHING PATTERN config.hpp PATTERN *_config.hpp PATTERN kind.hpp PATTERN testdata EXCLUDE)

  configure_package_config_file(tools/cmake/peerpath-config.cmake.in ${PROJECT_BINARY_DIR}/peerpath-config.cmake
                                INSTALL_DESTINATION ${PEERPATH_CMAKE_DIR})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/peerpath-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/peerpath-config.cmake ${PROJECT_BINARY_DIR}/peerpath-config-version.cmake
          DESTINATION ${PEERPATH_CMAKE_DIR} COMPONENT development)
  peerpath_install_pkg_config(peerpath peerpath_platform "The model of NIC, PCIe and GPU, without SystemC" "libpcap" "")
  peerpath_install_pkg_config(peerpath-systemc peerpath_sc "The model as SystemC modules" "libpcap systemc"
                              "-DSC_CPLUSPLUS=201703L")

  peerpath_install_program()
  peerpath_packages()
  # What has to be built before any of it is installed or packed.
  add_custom_target(peerpath_installable DEPENDS peerpath_manual)
  foreach(target ${libraries} peerpath peerpath-agent peerpath-measure peerpath_python)
    if(TARGET ${target} AND NOT target STREQUAL peerpath_systemc)
      add_dependencies(peerpath_installable ${target})
    endif()
  endforeach()
endfunction()

function(peerpath_install_program)
  set(programs peerpath)
  foreach(program peerpath-agent peerpath-measure)
    if(TARGET ${program})
      list(APPEND programs ${program})
    endif()
  endforeach()
  install(TARGETS ${programs} RUNTIME COMPONENT program)
  install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/peerpath COMPONENT program FILES_MATCHING PATTERN *.json
          PATTERN *.jsonl PATTERN *.pcap PATTERN *.et)
  # Fitted constants, which `validate` takes to somebody's own measurements.
  install(DIRECTORY validation/data/presets DESTINATION ${CMAKE_INSTALL_DATADIR}/peerpath/validation/data COMPONENT program)
  # Written by the program that was built: one origin for options, help, manual and completions.
  set(shells bash completions/peerpath bash-completion zsh site-functions/_peerpath zsh fish vendor_completions.d/peerpath.fish fish)
  set(written ${PROJECT_BINARY_DIR}/written)
  set(commands)
  while(shells)
    list(POP_FRONT shells shell file folder)
    get_filename_component(name ${file} NAME)
    get_filename_component(below ${file} DIRECTORY)
    list(APPEND commands COMMAND peerpath completion ${shell} > ${written}/${shell}/${name})
    file(MAKE_DIRECTORY ${written}/${shell})
    install(FILES ${written}/${shell}/${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder}/${below} COMPONENT program)
  endwhile()
  add_custom_command(OUTPUT ${written}/peerpath.1 ${commands} COMMAND peerpath manual > ${written}/peerpath.1
                     DEPENDS peerpath VERBATIM COMMENT "Manual page and completions")
  add_custom_target(peerpath_manual ALL DEPENDS ${written}/peerpath.1)
  install(FILES ${written}/peerpath.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
endfunction()

# Two packages, and a third with the Python module where that is built; what they need of others is read off their binaries.
function(peerpath_packages)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_CONTACT "peerpath maintainers <maintainers@users.noreply.invalid>")
  set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME peerpath)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpeerpath-dev)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libexpected-dev, nlohmann-json3-dev, libpcap-dev")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libsystemc-dev")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
  set(CPACK_COMPONENTS_ALL program development)
  if(TARGET peerpath_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
    get_target_property(version peerpath_python PYTHON_VERSION)
    string(REPLACE "." ";" parts ${version})
    list(GET parts 0 major)
    list(GET parts 1 minor)
    math(EXPR minor "${minor} + 1")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-peerpath)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
    # Compiled for one version of Python; scenarios come with the program.
    string(CONCAT CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= ${version}), python3 (<< ${major}.${minor}), "
                  "python3-numpy, peerpath (= ${PROJECT_VERSION})")
  endif()
  include(CPack)
endfunction()
