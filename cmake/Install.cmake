# What `cmake --install` puts where: bin/kymo finds its monitor in ../lib/kymo; the headers, for find_package(kymo) and pkg-config.
# Libraries go to lib, whatever the system's own name for it is: bin/kymo looks there.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_INCLUDEDIR include)
set(KYMO_HUNT_LIBRARY lib/libkymo-hunt.so)
set(KYMO_RECORDING_LIBRARY lib/libkymo-recording.so)
set(KYMO_PC_TO_PREFIX ../..) # from lib/pkgconfig

install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/kymo DESTINATION bin)
install(PROGRAMS ${CMAKE_BINARY_DIR}/lib/libkymo-monitor.so DESTINATION lib/kymo)
install(DIRECTORY include/kymo DESTINATION include COMPONENT dev FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

configure_package_config_file(cmake/kymoConfig.cmake.in ${CMAKE_BINARY_DIR}/package/kymoConfig.cmake
  INSTALL_DESTINATION lib/cmake/kymo PATH_VARS CMAKE_INSTALL_INCLUDEDIR KYMO_HUNT_LIBRARY KYMO_RECORDING_LIBRARY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/kymoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/kymo.pc.in ${CMAKE_BINARY_DIR}/package/kymo.pc @ONLY)
configure_file(cmake/kymo-recording.pc.in ${CMAKE_BINARY_DIR}/package/kymo-recording.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/kymoConfig.cmake ${CMAKE_BINARY_DIR}/package/kymoConfigVersion.cmake
  DESTINATION lib/cmake/kymo COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/package/kymo.pc ${CMAKE_BINARY_DIR}/package/kymo-recording.pc DESTINATION lib/pkgconfig COMPONENT dev)
