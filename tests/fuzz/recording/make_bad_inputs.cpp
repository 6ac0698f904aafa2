// Writes the malformed recording files into the folder named on the command line.
#include "bad_inputs.h"

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: recording_bad_inputs FOLDER\n", stderr);
        return 2;
    }
    for (const auto& input : kymo::testing::bad_inputs()) {
        input.bytes.save(std::filesystem::path(argv[1]) / (input.name + ".krec"));
    }
    return 0;
}
