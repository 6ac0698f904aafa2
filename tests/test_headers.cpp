// Only for the precompiled headers of tests/CMakeLists.txt.
