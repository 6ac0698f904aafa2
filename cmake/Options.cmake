# Language, warnings, build kinds and the tools that make building quick.

option(KYMO_TESTS "Build the tests" ON)
option(KYMO_GUEST_TESTS "Of the tests, only the unit tests of what runs inside measured programs" OFF)
option(KYMO_BENCH "Build the benchmarks" ON)
option(KYMO_FUZZ "Build the fuzz targets (clang only)" OFF)
set(KYMO_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize (for example address,undefined)")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

find_program(KYMO_CCACHE ccache)
if(KYMO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${KYMO_CCACHE})
  # Without this ccache does not touch what uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${KYMO_CCACHE})
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()

# For the tests that are scripts: the system's own Python where there is one, not whatever a version manager puts before it.
find_program(KYMO_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(KYMO_PYTHON python3)

# Our code's warnings are errors; other people's headers are system headers.
add_library(kymo_warnings INTERFACE)
target_compile_options(kymo_warnings INTERFACE -Wall -Wextra -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12's std::stable_sort uses what libstdc++ 12 calls deprecated, and Clang 19 says so of each caller.
  target_compile_options(kymo_warnings INTERFACE -Wno-deprecated-declarations)
endif()

# The compiler collects its garbage at half a GiB, not at some ten MiB: a tenth of its time.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>)

if(KYMO_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link) # coverage in everything; only the drivers link libFuzzer's main
endif()
if(KYMO_SANITIZE)
  add_compile_options(-fsanitize=${KYMO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KYMO_SANITIZE})
endif()
if(KYMO_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It does not know fences, and g++ warns of each. Ours stand around words that are atomic themselves, or that are read by
  # other processes, which it does not see either.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
endif()
