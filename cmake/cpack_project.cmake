# Read by CPack once for each kind of package: the tarball alone is made to run elsewhere.
if(CPACK_GENERATOR STREQUAL "TGZ" AND CPACK_KYMO_PORTABLE)
  set(CPACK_PRE_BUILD_SCRIPTS ${CPACK_KYMO_PORTABLE_SCRIPT})
endif()
