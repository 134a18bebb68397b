# mmp_options: the compiler and linker flags of every target of this project. Nothing of it reaches
# those who use the installed library.
add_library(mmp_options INTERFACE)

# Results must not depend on the machine: a multiplication and an addition are never fused.
set(mmp_compile_flags -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off)
set(mmp_link_flags "")

if(MMP_WERROR)
  list(APPEND mmp_compile_flags -Werror)
endif()

if(MMP_SANITIZE)
  set(flags -fsanitize=${MMP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  list(APPEND mmp_compile_flags ${flags})
  list(APPEND mmp_link_flags ${flags})
endif()

if(MMP_COVERAGE)
  list(APPEND mmp_compile_flags --coverage -fprofile-update=atomic)
  list(APPEND mmp_link_flags --coverage)
endif()

if(MMP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "MMP_FUZZ needs clang++: configure with --preset fuzz, "
                        "or with -DCMAKE_CXX_COMPILER=clang++ in an empty build folder.")
  endif()
  # Tracing comparisons, those of the sanitizers too, makes some inputs ten times slower; the seeds
  # have all magic numbers.
  list(APPEND mmp_compile_flags -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
  target_compile_definitions(mmp_options INTERFACE $<BUILD_INTERFACE:MMP_FUZZING>)
endif()

# The flags are for C++; the CUDA backend chooses its own.
target_compile_options(
  mmp_options INTERFACE "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${mmp_compile_flags}>>")
target_link_options(mmp_options INTERFACE "$<BUILD_INTERFACE:${mmp_link_flags}>")
target_include_directories(mmp_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
