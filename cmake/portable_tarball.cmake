# Run by CPack on what goes into the tarball (CPACK_PRE_BUILD_SCRIPTS): makes it run on systems older than the one it was
# built on, and on those that lack the libraries.
#   bin/kymo           a script that has the tarball's own dynamic linker start libexec/kymo with the tarball's own libraries
#   lib/kymo/runtime   that linker, the C library and every other library that kymo needs, each with its licence
#   lib/kymo/*.so      what goes into other programs, linked for glibc ≥ 2.17 (cmake/Portable.cmake)
file(GLOB_RECURSE programs ${CPACK_TEMPORARY_DIRECTORY}/*/bin/kymo ${CPACK_TEMPORARY_DIRECTORY}/bin/kymo)
list(GET programs 0 program)
get_filename_component(prefix ${program} DIRECTORY)
get_filename_component(prefix ${prefix} DIRECTORY)

foreach(name kymo-monitor kymo-mpi)
  if(EXISTS ${prefix}/lib/kymo/lib${name}.so)
    file(COPY_FILE ${CPACK_KYMO_PORTABLE}/lib${name}.so ${prefix}/lib/kymo/lib${name}.so)
    execute_process(COMMAND strip --strip-debug ${prefix}/lib/kymo/lib${name}.so COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()

file(GLOB own ${prefix}/lib/libkymo-*.so ${prefix}/lib/kymo/libkymo-ring.so ${prefix}/lib/kymo/libkymo-prometheus.so)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${program} LIBRARIES ${own} RESOLVED_DEPENDENCIES_VAR needed
  PRE_EXCLUDE_REGEXES "^libkymo-")
set(runtime ${prefix}/lib/kymo/runtime)
set(licences ${prefix}/share/doc/kymo/runtime)
file(MAKE_DIRECTORY ${runtime} ${licences})
foreach(library ${needed})
  get_filename_component(name ${library} NAME)
  file(REAL_PATH ${library} file)
  file(COPY_FILE ${file} ${runtime}/${name})
  file(CHMOD ${runtime}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  # Debian files them by package; usr-merged paths are in its lists as they were before.
  string(REGEX REPLACE "^/usr/lib/" "/lib/" older ${file})
  execute_process(COMMAND dpkg-query -S ${file} ${older} OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX REPLACE ":.*" "" owner "${owner}")
  if(EXISTS /usr/share/doc/${owner}/copyright)
    file(COPY_FILE /usr/share/doc/${owner}/copyright ${licences}/${owner})
  endif()
  if(name MATCHES "^ld-linux")
    set(linker ${name})
  endif()
endforeach()
if(NOT linker)
  message(FATAL_ERROR "no dynamic linker among what kymo needs")
endif()

file(MAKE_DIRECTORY ${prefix}/libexec)
file(RENAME ${program} ${prefix}/libexec/kymo)
file(WRITE ${program} "#!/bin/sh
# Starts kymo with the libraries that came with it, wherever this folder lies and through whatever link.
self=$(readlink -f -- \"$0\")
prefix=\${self%/bin/*}
runtime=$prefix/lib/kymo/runtime
exec \"$runtime/${linker}\" --library-path \"$runtime\" --argv0 \"$0\" \"$prefix/libexec/kymo\" \"$@\"
")
file(CHMOD ${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
