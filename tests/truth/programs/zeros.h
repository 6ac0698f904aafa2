// System time: reads of /dev/zero, by as many bytes as the buffer holds.
#pragma once

#include <cstdio>
#include <unistd.h>
#include <vector>

inline void read_zeros(int file, std::vector<char>& buffer, int times) {
    for (int i = 0; i < times; ++i) {
        if (read(file, buffer.data(), buffer.size()) != static_cast<ssize_t>(buffer.size())) {
            std::perror("/dev/zero");
            _exit(1);
        }
    }
}
