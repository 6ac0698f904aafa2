# A layer is a folder under src/, a CMake target and a namespace. Its headers are included as "layer/header.h", and they are
# found only through the layer's own include folder: one holding a single link to the layer's source folder. A target sees its
# own layer and those it links, and nothing else, so a forbidden include does not compile (tests/layers checks that).

# Functions, inlining and lines, no variables: halves the time a file takes to compile.
set(KYMO_LAYER_DEBUG_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-g1>)

# The headers that most layers include, compiled once.
find_package(fmt REQUIRED)
add_library(kymo_layer_headers OBJECT cmake/layer_headers.cpp)
set(KYMO_COMMON_HEADERS
    <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <numeric> <optional> <span> <string>
    <string_view> <tuple> <unordered_map> <utility> <vector> <fmt/format.h>)
target_precompile_headers(kymo_layer_headers PRIVATE ${KYMO_COMMON_HEADERS})
target_compile_options(kymo_layer_headers PRIVATE ${KYMO_LAYER_DEBUG_OPTIONS})
target_link_libraries(kymo_layer_headers PRIVATE kymo_warnings fmt::fmt)

# Files of a target that are compiled together, eight at a time: most of a file's time is its headers'. What lies in an
# unnamed namespace must then have a name of its own among the target's files. With KYMO_UNITY=OFF every file is
# compiled by itself. (A class of a source file that holds one of its unnamed namespace is no mistake, though the
# compiler, which takes the file for a header, warns.)
option(KYMO_UNITY "compile several files of a target at once" ON)
function(kymo_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${KYMO_UNITY} UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE 8)
  if(KYMO_UNITY)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>) # Clang has no such warning
  endif()
endfunction()

# kymo_list_of(TYPE FILE SOURCES...): FILE has a line KYMO_EACH(kName) for every "extern const TYPE kName{" in the
# sources, so that adding one is adding a file. Made anew where a source changes; FILE goes into the layer's SOURCES, its
# folder into the layer's private include folders.
function(kymo_list_of type file)
  list(JOIN ARGN "," files)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DTYPE=${type} "-DFILES=${files}" -DOUTPUT=${file} -P ${PROJECT_SOURCE_DIR}/cmake/list_of.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/list_of.cmake VERBATIM)
endfunction()

# kymo_layer(NAME [FOLDER folder] [GUEST] [SOURCES ...] [USES ...] [LIBRARIES ...])
#   target kymo_NAME, include root for "folder/..." (default: NAME).
#   GUEST:     code that also runs inside the measured program: no exceptions, no RTTI, no run-time library.
#   USES:      layers this one may include.
#   LIBRARIES: other libraries.
function(kymo_layer name)
  cmake_parse_arguments(LAYER "GUEST" "FOLDER" "SOURCES;USES;LIBRARIES" ${ARGN})
  if(NOT LAYER_FOLDER)
    set(LAYER_FOLDER ${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY KYMO_LAYERS ${name}) # tests/layers goes through them all
  set_property(GLOBAL PROPERTY KYMO_LAYER_FOLDER_${name} ${LAYER_FOLDER})
  set(root ${CMAKE_BINARY_DIR}/layers/${LAYER_FOLDER})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${LAYER_FOLDER} ${root}/${LAYER_FOLDER} SYMBOLIC)
  if(LAYER_SOURCES)
    add_library(kymo_${name} STATIC ${LAYER_SOURCES})
    set(visible PUBLIC)
    target_link_libraries(kymo_${name} PRIVATE kymo_warnings)
    target_compile_options(kymo_${name} PRIVATE ${KYMO_LAYER_DEBUG_OPTIONS})
    if(LAYER_GUEST)
      target_compile_options(kymo_${name} PRIVATE ${KYMO_GUEST_OPTIONS})
    else()
      target_precompile_headers(kymo_${name} REUSE_FROM kymo_layer_headers)
      target_compile_definitions(kymo_${name} PRIVATE FMT_SHARED) # as the precompiled fmt has it
      kymo_compile_together(kymo_${name})
    endif()
  else()
    add_library(kymo_${name} INTERFACE)
    set(visible INTERFACE)
  endif()
  target_include_directories(kymo_${name} ${visible} ${root})
  foreach(layer ${LAYER_USES})
    target_link_libraries(kymo_${name} ${visible} kymo_${layer})
  endforeach()
  target_link_libraries(kymo_${name} ${visible} ${LAYER_LIBRARIES})
endfunction()

# Code in the measured program: hidden symbols, static thread-local storage, nothing from libstdc++'s run time.
set(KYMO_GUEST_OPTIONS
    -fno-exceptions
    -fno-rtti
    -fno-threadsafe-statics
    -fvisibility=hidden
    -fvisibility-inlines-hidden
    -ftls-model=initial-exec
    -fno-stack-protector
    # Calls of the C library go by addresses that are there when the library is, and not through a linkage table, where
    # an auditor of the dynamic linker would be entered in a signal handler, and be dlsym's caller.
    -fno-plt)

# Where quick to build matters more than quick to run; and where it is all that matters, as what runs is a layer's code.
set(KYMO_QUICK_BUILD_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O1 -g1>)
set(KYMO_TEST_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O0 -g1>)

# kymo_program_options(TARGET ...): programs beside the layers (benchmarks, fuzz drivers, makers of input): optimised, lines
# but no variables, and the layers' usual headers precompiled as a program's.
add_library(kymo_program_headers OBJECT cmake/layer_headers.cpp)
set_target_properties(kymo_program_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_precompile_headers(kymo_program_headers PRIVATE ${KYMO_COMMON_HEADERS})
target_compile_options(kymo_program_headers PRIVATE ${KYMO_LAYER_DEBUG_OPTIONS} -fPIE)
target_link_libraries(kymo_program_headers PRIVATE kymo_warnings fmt::fmt)
function(kymo_program_options)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE ${KYMO_LAYER_DEBUG_OPTIONS})
    target_precompile_headers(${target} REUSE_FROM kymo_program_headers)
    target_compile_definitions(${target} PRIVATE FMT_SHARED) # as the precompiled fmt has it
  endforeach()
endfunction()

# What unit tests' names begin with: `make test` runs some in two builds.
set(KYMO_UNIT unit)
if(KYMO_GUEST_TESTS)
  set(KYMO_UNIT unit.${KYMO_SANITIZE})
endif()

# kymo_unit_test(NAME [OPTIMISED] SOURCES ... USES ... [LIBRARIES ...] [what kymo_run_unit_test takes]): one GoogleTest program a layer,
# tests/unit/NAME.
#   OPTIMISED: its own code is what is looked at (walked, listed), and must be as programs are; or it runs for a minute without.
function(kymo_unit_test name)
  cmake_parse_arguments(TEST "OPTIMISED" "SECONDS;PROCESSORS" "SOURCES;USES;LIBRARIES;ON_CLOCKS;ENVIRONMENT" ${ARGN})
  add_executable(${name}_test ${TEST_SOURCES})
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(TEST_OPTIMISED)
    target_compile_options(${name}_test PRIVATE ${KYMO_QUICK_BUILD_OPTIONS})
  else()
    target_compile_options(${name}_test PRIVATE ${KYMO_TEST_OPTIONS})
    target_precompile_headers(${name}_test REUSE_FROM kymo_test_headers)
    target_compile_definitions(${name}_test PRIVATE FMT_SHARED) # as the precompiled fmt has it
  endif()
  kymo_compile_together(${name}_test)
  target_link_libraries(${name}_test PRIVATE kymo_warnings GTest::gmock GTest::gtest_main ${TEST_LIBRARIES})
  foreach(layer ${TEST_USES})
    target_link_libraries(${name}_test PRIVATE kymo_${layer})
  endforeach()
  kymo_run_unit_test(${name} ${ARGN})
endfunction()

# kymo_run_unit_test(NAME [SECONDS n] [PROCESSORS n] [ON_CLOCKS patterns…] [ENVIRONMENT …]): runs NAME_test in the gate; its tests of these
# patterns (as of --gtest_filter), whose verdict depends on clocks or on who runs beside them, in the statistical suite. In the
# second build, for the address sanitizer, all is nightly.
function(kymo_run_unit_test name)
  cmake_parse_arguments(TEST "" "SECONDS;PROCESSORS" "ON_CLOCKS;ENVIRONMENT" ${ARGN})
  set(given "")
  foreach(key SECONDS PROCESSORS ENVIRONMENT)
    if(TEST_${key})
      list(APPEND given ${key} ${TEST_${key}})
    endif()
  endforeach()
  set(suite gate)
  if(KYMO_GUEST_TESTS)
    set(suite nightly)
  endif()
  if(NOT TEST_ON_CLOCKS)
    kymo_test(${KYMO_UNIT}.${name} ${suite} ${given} COMMAND ${name}_test)
    return()
  endif()
  list(JOIN TEST_ON_CLOCKS ":" patterns)
  kymo_test(${KYMO_UNIT}.${name} ${suite} ${given} COMMAND ${name}_test "--gtest_filter=-${patterns}")
  kymo_test(${KYMO_UNIT}.${name}.on_clocks statistics ${given} COMMAND ${name}_test "--gtest_filter=${patterns}")
endfunction()

# kymo_fuzz(NAME SOURCES ... USES ... INPUTS folder [LIBRARIES ...]): a fuzz driver, that is a LLVMFuzzerTestOneInput. With
# KYMO_FUZZ libFuzzer drives it (scripts/fuzz); otherwise it runs once over every file of INPUTS, as the test fuzz.NAME.
function(kymo_fuzz name)
  cmake_parse_arguments(FUZZ "" "INPUTS" "SOURCES;USES;LIBRARIES" ${ARGN})
  get_filename_component(inputs ${FUZZ_INPUTS} ABSOLUTE)
  add_executable(${name}_fuzz ${FUZZ_SOURCES})
  set_target_properties(${name}_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz EXCLUDE_FROM_ALL TRUE)
  set_property(GLOBAL APPEND_STRING PROPERTY KYMO_FUZZ_LIST "${name} ${inputs}\n") # for scripts/fuzz
  set_property(GLOBAL APPEND PROPERTY KYMO_FUZZ_TARGETS ${name}_fuzz)
  kymo_program_options(${name}_fuzz)
  target_link_libraries(${name}_fuzz PRIVATE kymo_warnings ${FUZZ_LIBRARIES})
  foreach(layer ${FUZZ_USES})
    target_link_libraries(${name}_fuzz PRIVATE kymo_${layer})
  endforeach()
  if(KYMO_FUZZ)
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    kymo_test(fuzz.${name} nightly COMMAND ${name}_fuzz -runs=0 ${inputs})
  else()
    target_sources(${name}_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.cpp)
    kymo_test(fuzz.${name} nightly COMMAND ${name}_fuzz ${inputs})
  endif()
endfunction()

# kymo_bench(NAME SOURCES ... USES ... [LIBRARIES ...]): a Google Benchmark program, bench/NAME_bench in the build folder, run by
# `make bench`. The sources have their own BENCHMARK_MAIN() or leave it to the library.
function(kymo_bench name)
  cmake_parse_arguments(BENCH "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_executable(${name}_bench ${BENCH_SOURCES})
  set_target_properties(${name}_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  kymo_program_options(${name}_bench)
  target_link_libraries(${name}_bench PRIVATE kymo_warnings ${BENCH_LIBRARIES})
  foreach(layer ${BENCH_USES})
    target_link_libraries(${name}_bench PRIVATE kymo_${layer})
  endforeach()
  target_link_libraries(${name}_bench PRIVATE benchmark::benchmark benchmark::benchmark_main)
endfunction()
