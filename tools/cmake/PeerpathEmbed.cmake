# Files inside the program.
#
# peerpath_embed(<source> HEADER header NAMESPACE ns FILES name=path ...) writes <source> into the build folder of the
# caller. It defines `std::string_view name()` for each file, declared in `header`. The assembler reads the files
# (.incbin), which takes no time however large they are. Compiler caches do not see that: the source includes digests of
# the files, so that it is another one when they change.
function(peerpath_embed source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;NAMESPACE" "FILES")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${source})
  set(text "#include \"${arg_HEADER}\"\n\n#include \"${source}.digests\"\n\n")
  set(functions "")
  set(paths "")
  foreach(file ${arg_FILES})
    string(REGEX MATCH "^([^=]+)=(.+)$" ignored ${file})
    set(name ${CMAKE_MATCH_1})
    set(path ${CMAKE_MATCH_2})
    list(APPEND paths ${path})
    string(APPEND text "asm(R\"(.pushsection .rodata\n"
                       "peerpath_${name}_begin: .incbin \"${path}\"\npeerpath_${name}_end: .byte 0\n"
                       ".globl peerpath_${name}_begin\n.globl peerpath_${name}_end\n.popsection)\");\n"
                       "extern \"C\" const char peerpath_${name}_begin[], peerpath_${name}_end[];\n")
    string(APPEND functions "std::string_view ${name}() { return {peerpath_${name}_begin, peerpath_${name}_end}; }\n")
  endforeach()
  string(APPEND text "\nnamespace ${arg_NAMESPACE} {\n\n${functions}\n}  // namespace ${arg_NAMESPACE}\n")
  file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY)
  add_custom_command(
    OUTPUT ${output}.digests
    COMMAND ${CMAKE_COMMAND} "-DFILES=${paths}" -DOUTPUT=${output}.digests -P ${PROJECT_SOURCE_DIR}/tools/cmake/embed_digests.cmake
    DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/tools/cmake/embed_digests.cmake
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${paths};${output}.digests" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
