// A bundle's descriptor, which its members share. For the reader alone.
#pragma once

#include "recording/reader.h"

namespace kymo::recording {

struct File::OpenBundle {
    explicit OpenBundle(int number) : descriptor(number) {}
    OpenBundle(const OpenBundle&) = delete;
    OpenBundle& operator=(const OpenBundle&) = delete;
    ~OpenBundle();

    int descriptor;
};

}  // namespace kymo::recording
