# The libraries that go into other programs, linked for glibc ≥ 2.17 (2012), for the tarball of `make package`. Where Kymo is
# built, glibc has since moved functions from libdl and libpthread into libc under a newer version, and links with those; the
# same objects are linked here with stand-ins for the libraries of before (older_glibc). Every later glibc has the old names.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" OR KYMO_SANITIZE)
  return() # the versions are this processor's
endif()

foreach(name dl pthread)
  add_library(kymo_older_${name} SHARED ${CMAKE_CURRENT_LIST_DIR}/older_glibc/lib${name}.c)
  set_target_properties(kymo_older_${name} PROPERTIES NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/older_glibc)
  target_compile_options(kymo_older_${name} PRIVATE -fno-builtin)
endforeach()
target_link_options(kymo_older_dl PRIVATE -nostdlib -Wl,-soname,libdl.so.2 -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/older_glibc/libdl.map)
target_link_options(kymo_older_pthread PRIVATE -nostdlib -Wl,-soname,libpthread.so.0
  -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/older_glibc/libpthread.map)

foreach(target kymo_monitor kymo_mpi)
  if(NOT TARGET ${target})
    continue()
  endif()
  get_target_property(name ${target} OUTPUT_NAME)
  get_target_property(options ${target} LINK_OPTIONS)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  add_library(${target}_portable SHARED $<TARGET_OBJECTS:${target}>)
  set_target_properties(${target}_portable PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/portable BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(${target}_portable PRIVATE ${options})
  target_link_libraries(${target}_portable PRIVATE ${libraries} kymo_older_dl kymo_older_pthread)
endforeach()
