cmake_minimum_required(VERSION 3.25)

# The recording writer runs in signal handlers of other people's programs: it may need these functions and no others.
# All are plain system calls or touch only what they are given, and none is a cancellation point.
set(allowed
    _GLOBAL_OFFSET_TABLE_
    __errno_location
    fstat
    ftruncate
    getrlimit
    madvise
    memcpy
    memmove
    memset
    mmap
    munmap
    strlen
    syscall)

if(SANITIZE)
  message("skipped: a sanitizer adds its own symbols")
  return()
endif()
execute_process(
  COMMAND ${NM} --undefined-only --no-demangle ${ARCHIVE}
  OUTPUT_VARIABLE listing
  RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "cannot list the symbols of ${ARCHIVE}")
endif()
string(REGEX MATCHALL " U [^\n]+" needed "${listing}")
if(NOT needed)
  message(FATAL_ERROR "no symbols in ${ARCHIVE}")
endif()
list(TRANSFORM needed REPLACE "^ U " "")
list(REMOVE_DUPLICATES needed)
foreach(symbol ${needed})
  if(NOT symbol IN_LIST allowed AND NOT symbol MATCHES "^_ZNK?4kymo")
    message(SEND_ERROR "the recording writer needs ${symbol}")
  endif()
endforeach()
