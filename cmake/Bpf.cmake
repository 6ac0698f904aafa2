# eBPF programs: compiled by clang when Kymo is built, carried in its own program, never compiled where that runs.
#
# KYMO_HAS_BPF: clang, libbpf and a machine whose registers the programs know are there.
# kymo_bpf_object(NAME SOURCE CARRIER DEFINITION [options...]): compiles SOURCE to NAME.o in the build folder; the assembler file
# CARRIER takes it in by the path in the macro DEFINITION.
find_package(PkgConfig REQUIRED)
pkg_check_modules(BPF IMPORTED_TARGET GLOBAL libbpf)
find_program(KYMO_BPF_COMPILER NAMES clang++-19 clang++-18 clang++-16 clang++ clang++-14)
set(KYMO_HAS_BPF FALSE)
if(BPF_FOUND AND KYMO_BPF_COMPILER AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(KYMO_HAS_BPF TRUE)
else()
  kymo_missing(part "what runs in the kernel (kymo hunt, kymo measure of static programs)" "no clang or no libbpf" clang-19 libbpf-dev)
endif()

function(kymo_bpf_object name source carrier definition)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${KYMO_BPF_COMPILER} -target bpf -mcpu=v3 -O2 -g -ffreestanding -std=c++20 -fno-exceptions -fno-rtti
            -fno-asynchronous-unwind-tables -Wall -Wextra -Werror ${ARGN} -I${PROJECT_SOURCE_DIR}/src
            -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "Compiling ${name} for the kernel")
  set_source_files_properties(${carrier} PROPERTIES COMPILE_DEFINITIONS "${definition}=\"${object}\"" OBJECT_DEPENDS ${object})
endfunction()
