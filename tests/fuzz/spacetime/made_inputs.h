// Recording files that begin a fuzz driver's corpus, by name.
#pragma once

#include "made_recording.h"
#include "recording/pack.h"

#include <cstdio>
#include <functional>
#include <span>
#include <utility>

namespace kymo::testing {

using MadeInput = std::pair<const char*, std::function<void(MadeFile&)>>;

// Each into a packed file of its name below `folder`. An exit status; what failed is told on standard error.
inline int write_inputs(const char* folder, std::span<const MadeInput> inputs) {
    for (const auto& [name, write] : inputs) {
        const auto path = std::filesystem::path(folder) / (std::string(name) + ".krec");
        {
            MadeFile file(path, 1);
            write(file);
            file.close();
        }
        if (const auto packed = recording::pack_file(path); !packed) {
            std::fprintf(stderr, "%s\n", packed.error().what.c_str());
            return 1;
        }
    }
    return 0;
}

}  // namespace kymo::testing
