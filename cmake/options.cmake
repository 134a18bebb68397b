# mmp_options: the compiler and linker flags of every target of this project. Nothing of it reaches
# those who use the installed library.
add_library(mmp_options INTERFACE)

# Results must not depend on the machine: a multiplication and an addition are never fused.
set(mmp_compile_flags -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off)
set(mmp_link_flags "")

# Least squares decide bytes by operations on doubles, which x87 does not round to doubles
# (codec/intra/lsp.h).
include(CheckCXXSourceCompiles)
set(mmp_plain_doubles "#include <cfloat>
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1);
int main() {}")
check_cxx_source_compiles("${mmp_plain_doubles}" MMP_DOUBLES_ARE_PLAIN)
if(NOT MMP_DOUBLES_ARE_PLAIN)
  set(CMAKE_REQUIRED_FLAGS "-msse2 -mfpmath=sse")
  check_cxx_source_compiles("${mmp_plain_doubles}" MMP_SSE2_DOUBLES_ARE_PLAIN)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT MMP_SSE2_DOUBLES_ARE_PLAIN)
    message(FATAL_ERROR
      "This compiler's arithmetic on doubles is more precise than doubles are, so files would differ "
      "from those of other machines, also with -msse2 -mfpmath=sse. Set CMAKE_CXX_FLAGS to options "
      "that make FLT_EVAL_METHOD 0.")
  endif()
  list(APPEND mmp_compile_flags -msse2 -mfpmath=sse)
endif()

# From version 12 on g++ takes joins of std::string that it has inlined for copies out of bounds, depending on
# the lengths of literals, so on the name of the build folder. The sanitizers' tests see real ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
  list(APPEND mmp_compile_flags -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
       -Wno-stringop-overread)
endif()

if(MMP_WERROR)
  list(APPEND mmp_compile_flags -Werror)
endif()

if(MMP_SANITIZE)
  set(flags -fsanitize=${MMP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  list(APPEND mmp_compile_flags ${flags})
  list(APPEND mmp_link_flags ${flags})
  target_compile_definitions(mmp_options INTERFACE $<BUILD_INTERFACE:MMP_SANITIZED>)
endif()

if(MMP_COVERAGE)
  list(APPEND mmp_compile_flags --coverage -fprofile-update=atomic)
  list(APPEND mmp_link_flags --coverage)
endif()

if(MMP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "MMP_FUZZ needs clang++: configure with --preset asan, "
                        "or with -DCMAKE_CXX_COMPILER=clang++ in an empty build folder.")
  endif()
  # Tracing comparisons, those of the sanitizers too, makes some inputs ten times slower; the seeds
  # have all magic numbers.
  list(APPEND mmp_compile_flags -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
  # Both are what the address sanitizer finds, too, when it happens, and take a tenth of the time.
  list(APPEND mmp_compile_flags -fno-sanitize=null,object-size)
endif()

# The flags are for C++; the CUDA backend chooses its own.
target_compile_options(
  mmp_options INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${mmp_compile_flags}>>")
target_link_options(mmp_options INTERFACE "$<BUILD_INTERFACE:${mmp_link_flags}>")
target_include_directories(
  mmp_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_SOURCE_DIR}/cuda/include>")

# mmp_compile_by_folder(TARGET [ALONE SOURCES...]): where sources are compiled together (CMAKE_UNITY_BUILD), which takes
# half the time, those of a folder are. So names that are a source's own are its folder's.
function(mmp_compile_by_folder target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ALONE")
  get_target_property(sources ${target} SOURCES)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    if(source MATCHES "\\.cc$" AND NOT IS_ABSOLUTE ${source} AND NOT source IN_LIST arg_ALONE)
      string(REPLACE / _ group "${folder}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "folder_${group}")
    endif()
  endforeach()
endfunction()
