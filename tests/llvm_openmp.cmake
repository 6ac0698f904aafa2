# Programs for LLVM's OpenMP run time: built by a clang that has one, which need not be the compiler of the project.
#
# kymo_llvm_openmp(TARGET SOURCE OUTPUT): a target that builds OUTPUT; does nothing where there is no such compiler.
include_guard(GLOBAL)

if(NOT DEFINED KYMO_LLVM_OPENMP)
  file(WRITE ${CMAKE_BINARY_DIR}/llvm_openmp.c "#include <omp.h>\nint main(void) { return omp_get_num_threads() - 1; }\n")
  foreach(name clang-19 clang clang-18 clang-17 clang-16 clang-15 clang-14)
    find_program(compiler ${name} NO_CACHE)
    if(compiler)
      execute_process(
        COMMAND ${compiler} -fopenmp=libomp ${CMAKE_BINARY_DIR}/llvm_openmp.c -o ${CMAKE_BINARY_DIR}/llvm_openmp
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
      if(NOT failed)
        set(KYMO_LLVM_OPENMP ${compiler} CACHE FILEPATH "A clang with an OpenMP run time, for tests")
        break()
      endif()
    endif()
    unset(compiler)
  endforeach()
endif()
if(NOT KYMO_LLVM_OPENMP)
  kymo_missing(test "the tests of LLVM's OpenMP" "no clang with libomp" clang libomp-dev)
endif()

function(kymo_llvm_openmp target source output)
  if(NOT KYMO_LLVM_OPENMP)
    return()
  endif()
  set(language "")
  if(source MATCHES "[.]cpp$")
    set(language -x c++ -std=c++20 -lstdc++)
  endif()
  get_filename_component(from ${source} ABSOLUTE)
  file(GLOB headers ${CMAKE_CURRENT_SOURCE_DIR}/*.h ${CMAKE_CURRENT_SOURCE_DIR}/programs/*.h)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${KYMO_PROGRAMS_DIR}
    COMMAND ${KYMO_LLVM_OPENMP} -O2 -g -D_GNU_SOURCE -fopenmp=libomp -I${CMAKE_CURRENT_SOURCE_DIR} ${language} ${from} -o ${output}
    DEPENDS ${from} ${headers} VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${output})
endfunction()
