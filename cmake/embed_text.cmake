# Text files inside the program.
#
# mmp_embed_text(TARGET NAME FILES...): defines `extern const std::string_view mmp::kNAME`, the text
# of the files one after another, in a source that is generated when a file changes and added to
# TARGET. Declare it in a header.
function(mmp_embed_text target name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cc)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} "-DFILES=${files}" -DOUTPUT=${source} -P
            ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(bytes "")
  foreach(file IN LISTS FILES)
    file(READ ${file} text HEX)
    string(APPEND bytes ${text})
  endforeach()
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "((.......){13})" "\\1\n    " bytes "${bytes}")  # of 7 characters a byte
  file(WRITE ${OUTPUT}
       "#include <string_view>\n\nnamespace mmp {\nnamespace {\n"
       "constexpr char kText[] = {\n    ${bytes}\n};\n}  // namespace\n"
       "extern const std::string_view k${NAME};\n"
       "constinit const std::string_view k${NAME}(kText, sizeof(kText));\n}  // namespace mmp\n")
endif()
