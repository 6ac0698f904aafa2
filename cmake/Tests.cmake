# kymo_test(NAME SUITE COMMAND words… [SECONDS n] [PROCESSORS n] [SERIAL] [ENVIRONMENT NAME=value…]
#           [SKIP_CODE n] [SKIP_TEXT regex] [PASS_TEXT regex]): the only way to add a test (layers.suites looks).
#
#   SUITE       gate: its verdict is right on any machine, loaded, slow or without privileges (make test)
#               statistics: what a live run must show; decided by several runs on a calm machine (make test-statistics)
#               nightly: as the gate, but long, or the same in other modes (make test-nightly)
#   SECONDS     what it takes alone on two calm processors; default 5. Ten times that, and two minutes at least, is its limit.
#               A script learns the limit from KYMO_TEST_TIMEOUT and ends before it, with a message (tests/truth/harness.py).
#   PROCESSORS  how many it keeps busy: CTest leaves that many of its -j to it, but in the gate, whose verdicts are right under load
#   SERIAL      nothing may run beside it
#   SKIP_CODE   the exit status that means "cannot run here", default 77. The gate accepts only the skips that tests/skips.txt names.
#
# Labels: the suite, and the first part of the name (unit, guest, truth …).
function(kymo_test name suite)
  cmake_parse_arguments(TEST "SERIAL" "SECONDS;PROCESSORS;SKIP_CODE;SKIP_TEXT;PASS_TEXT" "COMMAND;ENVIRONMENT" ${ARGN})
  if(NOT suite MATCHES "^(gate|statistics|nightly)$" OR NOT TEST_COMMAND OR TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kymo_test(${name} ${suite} …): a suite and a COMMAND are needed; not understood: ${TEST_UNPARSED_ARGUMENTS}")
  endif()
  foreach(default SECONDS:5 PROCESSORS:1 SKIP_CODE:77)
    string(REPLACE ":" ";" default ${default})
    list(GET default 0 key)
    list(GET default 1 value)
    if(NOT DEFINED TEST_${key})
      set(TEST_${key} ${value})
    endif()
  endforeach()
  if(suite STREQUAL "gate")
    set(TEST_PROCESSORS 1)
  endif()
  math(EXPR limit "10 * ${TEST_SECONDS}")
  if(limit LESS 120)
    set(limit 120)
  endif()
  string(REGEX REPLACE "\\..*" "" kind ${name})
  add_test(NAME ${name} COMMAND ${TEST_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${suite};${kind}" TIMEOUT ${limit} COST ${TEST_SECONDS} PROCESSORS ${TEST_PROCESSORS}
    SKIP_RETURN_CODE ${TEST_SKIP_CODE} ENVIRONMENT "KYMO_TEST_TIMEOUT=${limit};PYTHONDONTWRITEBYTECODE=1;KYMO_CACHE=off;${TEST_ENVIRONMENT}")
  if(TEST_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
  if(TEST_SKIP_TEXT)
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "${TEST_SKIP_TEXT}")
  endif()
  if(TEST_PASS_TEXT)
    set_tests_properties(${name} PROPERTIES PASS_REGULAR_EXPRESSION "${TEST_PASS_TEXT}")
  endif()
endfunction()
