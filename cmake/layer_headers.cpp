// Only for the precompiled headers of cmake/Layers.cmake.
