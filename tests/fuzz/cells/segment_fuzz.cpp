// Any bytes as a segment: it is refused, or what is read keeps to the format's bounds.
#include "cells/reader/snapshot.h"

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kymo::cells;
    static const std::string path = "/tmp/kymo-fuzz-" + std::to_string(getpid()) + ".cells";
    static const int place = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    static const int registered = std::atexit([] { unlink(path.c_str()); });
    if (place < 0 || registered != 0 || ftruncate(place, 0) != 0 ||
        pwrite(place, data, size, 0) != static_cast<ssize_t>(size)) {
        std::abort();
    }
    const auto read = read_segment(path);
    if (!read) {
        if (read.error().what.empty()) {
            std::abort();
        }
        return 0;
    }
    for (const TableValues& table : read->tables) {
        if (table.cells > kMaxCells || table.rows.size() > kMaxRows ||
            table.first_indexed + table.indexed > table.cells) {
            std::abort();
        }
        for (const RowValues& row : table.rows) {
            if (row.cells.size() != table.cells || row.running.size() > kMaxTimers) {
                std::abort();
            }
        }
    }
    return 0;
}
