# The functions that the CMakeLists.txt of a folder is written with.
#
# A library sees only what it links: each has, in the build tree, an include folder of its own with links to its public
# headers and to its own source folder, and only that folder is handed to those who link it.

# Libraries of the design, each with the folder below include/peerpath that holds its public headers.
set(PEERPATH_LIBRARIES base pcie net memory host devices fabric transport traffic analytic observe scenario platform sc c validation)
set(PEERPATH_HEADERS_devices device)

# Adds every folder below this one that has a CMakeLists.txt: those named first, in that order, then the rest.
function(peerpath_add_folders)
  file(GLOB lists CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  list(TRANSFORM lists REPLACE "/CMakeLists.txt$" "")
  set(folders ${ARGN} ${lists})
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    if(folder IN_LIST lists AND NOT folder STREQUAL "build")
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

function(peerpath_link_once target link)
  get_filename_component(parent ${link} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  if(NOT EXISTS ${link})
    file(CREATE_LINK ${target} ${link} SYMBOLIC)
  endif()
endfunction()

# Makes the include folder of library `name` whose sources stand in `folder` ("" for none); sets `result` to its path.
function(peerpath_include_view name folder result)
  set(view ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${view})
  set(public ${name})
  if(DEFINED PEERPATH_HEADERS_${name})
    set(public ${PEERPATH_HEADERS_${name}})
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/include/peerpath/${public})
    peerpath_link_once(${PROJECT_SOURCE_DIR}/include/peerpath/${public} ${view}/peerpath/${public})
  endif()
  if(folder)
    file(RELATIVE_PATH below ${PROJECT_SOURCE_DIR} ${folder})
    string(REGEX REPLACE "^models/" "" below ${below})
    peerpath_link_once(${folder} ${view}/${below})
  endif()
  set(${result} ${view} PARENT_SCOPE)
endfunction()

# Sets `result` to those of the sources that exist, and says which do not.
function(peerpath_present result)
  set(present)
  foreach(source ${ARGN})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    if(EXISTS ${path})
      list(APPEND present ${source})
    elseif(PEERPATH_WERROR)
      message(FATAL_ERROR "${path} is listed but does not exist")
    else()
      message(WARNING "${path} is listed but does not exist")
    endif()
  endforeach()
  set(${result} ${present} PARENT_SCOPE)
endfunction()

# Of what runs for a moment before or after a simulation, and of tests, whose time goes by in the libraries: not much faster
# at -O3, but compiled in half the time.
set(PEERPATH_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)

# What nearly every file includes, read once for all targets with PEERPATH_PRECOMPILE. A build without it shows whether each
# file includes what it needs; and g++ 12 warns without reason of what it reads from a precompiled header. With g++ files
# compiled together (PEERPATH_UNITY) gain more.
if(PEERPATH_PRECOMPILE)
  set(standard <algorithm> <array> <deque> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span> <sstream>
               <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
  add_library(peerpath_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_precompile_headers(peerpath_precompiled PRIVATE ${standard})
  if(PEERPATH_TESTS)
    add_library(peerpath_precompiled_test OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(peerpath_precompiled_test PRIVATE GTest::gmock GTest::gtest)
    target_precompile_headers(peerpath_precompiled_test PRIVATE ${standard} <gmock/gmock.h> <gtest/gtest.h>)
    target_compile_options(peerpath_precompiled_test PRIVATE ${PEERPATH_COLD_OPTIONS})
  endif()
endif()
function(peerpath_precompile target from)
  if(PEERPATH_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# Most of the time of a compilation goes by in headers that each file reads anew: with PEERPATH_UNITY 24 files share them
# (by 8 at a time, all of it took a fifth longer). Names local to a file are therefore unlike within a library, and within a
# test. What a file includes is seen by a build without it.
function(peerpath_unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PEERPATH_UNITY} UNITY_BUILD_BATCH_SIZE 24)
endfunction()

# peerpath_add_library(<name> [COLD] SOURCES a.cpp ... [PUBLIC targets] [PRIVATE targets])
function(peerpath_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD" "" "SOURCES;PUBLIC;PRIVATE")
  peerpath_present(arg_SOURCES ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY peerpath_used ${arg_PUBLIC} ${arg_PRIVATE})
  peerpath_include_view(${name} ${CMAKE_CURRENT_SOURCE_DIR} view)
  if(arg_SOURCES)
    add_library(peerpath_${name} STATIC ${arg_SOURCES})
    target_include_directories(peerpath_${name} PUBLIC $<BUILD_INTERFACE:${view}>)
    target_link_libraries(peerpath_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    if(arg_COLD)
      target_compile_options(peerpath_${name} PRIVATE ${PEERPATH_COLD_OPTIONS})
    endif()
    if(NOT arg_COLD OR NOT CMAKE_BUILD_TYPE STREQUAL Release)  # a precompiled header serves one level of optimisation
      peerpath_precompile(peerpath_${name} peerpath_precompiled)
    endif()
    peerpath_unite(peerpath_${name})
  else()
    add_library(peerpath_${name} INTERFACE)
    target_include_directories(peerpath_${name} INTERFACE $<BUILD_INTERFACE:${view}>)
    target_link_libraries(peerpath_${name} INTERFACE ${arg_PUBLIC})
  endif()
  add_library(peerpath::${name} ALIAS peerpath_${name})
endfunction()

# peerpath_hot(<name> [<options of GCC>...]), in the folder of that library: most of a run's time goes by in it.
#
# Vector registers for neighbouring members of a struct cost 1 % more instructions than they save. With PEERPATH_LINK_TIME the
# library is compiled once more, with its options and those given here, as the compiler's own intermediate code, for programs
# that call peerpath_link_optimised. All others take the archive: they compile and link in no time.
function(peerpath_hot name)
  target_compile_options(peerpath_${name} PRIVATE $<$<CONFIG:Release>:-fno-tree-slp-vectorize>)
  if(NOT PEERPATH_LINK_TIME)
    return()
  endif()
  get_target_property(sources peerpath_${name} SOURCES)
  add_library(peerpath_${name}_at_link OBJECT ${sources})
  target_link_libraries(peerpath_${name}_at_link PRIVATE peerpath_${name})
  foreach(property COMPILE_OPTIONS UNITY_BUILD UNITY_BUILD_MODE UNITY_BUILD_BATCH_SIZE)
    get_target_property(value peerpath_${name} ${property})
    set_target_properties(peerpath_${name}_at_link PROPERTIES ${property} "${value}")
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(peerpath_${name}_at_link PRIVATE "$<$<CONFIG:Release>:${ARGN}>")
  endif()
  set_target_properties(peerpath_${name}_at_link PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
endfunction()

# peerpath_link_optimised(<program> <library>...): the objects come before the archives, which then have nothing to add.
function(peerpath_link_optimised program)
  if(NOT PEERPATH_LINK_TIME)
    return()
  endif()
  set_target_properties(${program} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
  foreach(name ${ARGN})
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:peerpath_${name}_at_link>)
  endforeach()
endfunction()

# Adds what a folder of models/traffic has for the libraries `scenario` and `platform`.
function(peerpath_add_traffic)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SCENARIO;PLATFORM")
  foreach(layer SCENARIO PLATFORM)
    string(TOLOWER ${layer} library)
    list(TRANSFORM arg_${layer} PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(peerpath_${library} PRIVATE ${arg_${layer}})
  endforeach()
endfunction()

# peerpath_add_kind(<name> SOURCES a.cpp ... [PUBLIC targets] [PRIVATE targets])
#
# A kind of device: a library of its behaviour. Beside it stand platform.cpp, which joins the library `platform`, and
# check.cpp, which joins `scenario`.
function(peerpath_add_kind name)
  peerpath_add_library(${name} ${ARGN})
  target_link_libraries(peerpath_platform PUBLIC peerpath::${name})
  target_sources(peerpath_platform PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/platform.cpp)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/check.cpp)
    target_sources(peerpath_scenario PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/check.cpp)
  endif()
endfunction()

# A program of this folder, which may include its neighbours by their path below the repository (or models/).
function(peerpath_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "SOURCES;LIBRARIES")
  peerpath_present(arg_SOURCES ${arg_SOURCES})
  if(NOT arg_SOURCES)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY peerpath_used ${arg_LIBRARIES})
  add_executable(${name} ${arg_SOURCES})
  peerpath_include_view(${name} ${CMAKE_CURRENT_SOURCE_DIR} view)
  target_include_directories(${name} PRIVATE ${view})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  if(GTest::gmock IN_LIST arg_LIBRARIES)
    peerpath_precompile(${name} peerpath_precompiled_test)
  else()
    peerpath_precompile(${name} peerpath_precompiled)
  endif()
  if(arg_FOLDER)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${arg_FOLDER})
  endif()
endfunction()

# peerpath_add_test(<name> SOURCES x_test.cpp ... [LIBRARIES targets] [LABELS labels])
function(peerpath_add_test name)
  if(NOT PEERPATH_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;LABELS")
  peerpath_add_program(${name} FOLDER tests SOURCES ${arg_SOURCES}
                       LIBRARIES ${arg_LIBRARIES} GTest::gmock GTest::gtest GTest::gtest_main)
  if(NOT TARGET ${name})
    return()
  endif()
  target_compile_options(${name} PRIVATE ${PEERPATH_COLD_OPTIONS})
  peerpath_unite(${name})
  set(labels ${arg_LABELS})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/models/(base|collective|core|devices|fabric|loop|machine|network|observe|platform|scenario|traffic|transport)(/|$)")
    set_property(GLOBAL APPEND PROPERTY peerpath_sanitized_tests ${name})
    list(APPEND labels sanitized)
  endif()
  gtest_discover_tests(${name} TEST_PREFIX ${name}. NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 600 LABELS "${labels}")
endfunction()

# A program that measures: the target `benchmarks` alone builds it.
function(peerpath_set_aside program)
  set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
  set_property(GLOBAL APPEND PROPERTY peerpath_benchmarks ${program})
endfunction()

# peerpath_add_benchmark(<name> SOURCES x_bench.cpp ... [LIBRARIES targets])
function(peerpath_add_benchmark name)
  if(NOT PEERPATH_BENCHMARKS OR NOT benchmark_FOUND)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  peerpath_add_program(${name} FOLDER benchmarks SOURCES ${arg_SOURCES}
                       LIBRARIES ${arg_LIBRARIES} benchmark::benchmark benchmark::benchmark_main)
  peerpath_set_aside(${name})
endfunction()

# peerpath_add_fuzzer(<name> SOURCES x_fuzz.cpp ... [LIBRARIES targets] [CORPUS folder] [SECONDS n] [ARGS libFuzzer flags])
#
# The source defines LLVMFuzzerTestOneInput. With PEERPATH_FUZZ it is fuzzed as a test, for PEERPATH_FUZZ_SECONDS or for
# SECONDS if that is longer; in any other build the same source replays its corpus as a test, so it cannot rot.
function(peerpath_add_fuzzer name)
  if(NOT PEERPATH_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS;SECONDS" "SOURCES;LIBRARIES;ARGS")
  set(corpus)
  if(arg_CORPUS)
    cmake_path(ABSOLUTE_PATH arg_CORPUS BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE corpus)
  endif()
  if(PEERPATH_FUZZ)
    peerpath_add_program(${name} FOLDER fuzzers SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES})
    if(NOT TARGET ${name})
      return()
    endif()
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_property(GLOBAL APPEND PROPERTY peerpath_fuzzers ${name})
    set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}.corpus)
    file(MAKE_DIRECTORY ${found})
    set(seconds ${PEERPATH_FUZZ_SECONDS})
    if(arg_SECONDS AND arg_SECONDS GREATER seconds)
      set(seconds ${arg_SECONDS})
    endif()
    # The same seed each time: what is new is looked for by the long runs.
    add_test(NAME fuzz.${name} COMMAND ${name} -seed=1 -max_total_time=${seconds} -timeout=20 -print_final_stats=1
                                       -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/ ${arg_ARGS} ${found} ${corpus})
    math(EXPR limit "${seconds} + 120")
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT ${limit} LABELS fuzz)
  else()
    peerpath_add_program(${name} FOLDER fuzzers SOURCES ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tools/dev/replay_corpus.cpp
                         LIBRARIES ${arg_LIBRARIES})
    add_test(NAME corpus.${name} COMMAND ${name} ${corpus})
  endif()
endfunction()

# Closes the project: the targets `benchmarks`, `fuzzers`, and `sanitized_tests` (the tests of the models, labelled so, which the
# sanitizer lane of tools/test runs); and a target for every library that is linked but has no folder yet, so that its public headers
# can be seen.
function(peerpath_finish)
  foreach(group benchmarks fuzzers sanitized_tests)
    get_property(members GLOBAL PROPERTY peerpath_${group})
    add_custom_target(${group} DEPENDS ${members})
  endforeach()
  get_property(used GLOBAL PROPERTY peerpath_used)
  list(FILTER used INCLUDE REGEX "^peerpath::")
  list(TRANSFORM used REPLACE "^peerpath::" "")
  list(APPEND used ${PEERPATH_LIBRARIES})
  list(REMOVE_DUPLICATES used)
  foreach(name ${used})
    if(NOT TARGET peerpath::${name})
      if(NOT name IN_LIST PEERPATH_LIBRARIES)
        message(WARNING "peerpath::${name} is linked but no folder makes it")
      endif()
      peerpath_include_view(${name} "" view)
      add_library(peerpath_${name} INTERFACE)
      add_library(peerpath::${name} ALIAS peerpath_${name})
      target_include_directories(peerpath_${name} INTERFACE ${view})
    endif()
  endforeach()
endfunction()
