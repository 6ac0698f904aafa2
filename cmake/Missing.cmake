# What is left out because something was not there when the build was configured.
#
# Included before project(). What an earlier run did not find is looked for again in each: nothing may stay out only because it
# was not there the first time.
#
#   kymo_missing(KIND WHAT WHY PACKAGES...)   KIND: part (of Kymo), test or bench; PACKAGES: Debian's
#   kymo_tell_missing()                       at the end: tells all of it, and keeps it in missing-parts in the build folder, one
#                                             "KIND|WHAT|WHY|PACKAGES" a line, for scripts/configure, the demo and `kymo doctor`
get_cmake_property(cached CACHE_VARIABLES)
foreach(variable ${cached})
  if("$CACHE{${variable}}" MATCHES "(^|-)NOTFOUND$")
    unset(${variable} CACHE)
  endif()
endforeach()

function(kymo_missing kind what why)
  list(JOIN ARGN " " packages)
  set_property(GLOBAL APPEND PROPERTY KYMO_MISSING "${kind}|${what}|${why}|${packages}")
endfunction()

# The parts that are missing so far, as initialisers of cli/help/missing_parts.h.
function(kymo_missing_parts_header file)
  get_property(missing GLOBAL PROPERTY KYMO_MISSING)
  set(rows "")
  foreach(entry ${missing})
    if(entry MATCHES "^part\\|([^|]*)\\|([^|]*)\\|([^|]*)$")
      string(APPEND rows "    MissingPart{R\"(${CMAKE_MATCH_1})\", R\"(${CMAKE_MATCH_2})\", R\"(${CMAKE_MATCH_3})\"},\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "${rows}" @ONLY)
endfunction()

function(kymo_tell_missing)
  get_property(missing GLOBAL PROPERTY KYMO_MISSING)
  list(REMOVE_DUPLICATES missing)
  if(KYMO_GUEST_TESTS) # what this build needs is needed by the one beside it, which tells
    set(missing "")
  endif()
  set(text "")
  foreach(entry ${missing})
    string(APPEND text "${entry}\n")
    string(REPLACE "|" ";" words "${entry}")
    list(GET words 1 what)
    list(GET words 2 why)
    list(GET words 3 packages)
    message(STATUS "Left out: ${what} (${why}; apt-get install ${packages})")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/missing-parts CONTENT "${text}" @ONLY) # only when it changes
endfunction()
