// Experiments on a finding that need no change of the program: settings of the libraries that it runs on, by way of
// its environment, its threads on processors of their own (bound_threads.h), and the virtual speed-up of its function
// (speed_up.h). Each takes a cause away, or a part of it,
// and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::confirm {

struct Setting {  // of the environment
    std::string name;
    std::string value;
};

struct Experiment {
    std::string key;  // "keep-memory"
    std::string words;
    std::vector<Setting> settings;
    // False: it takes another way than the finding's direction. A run that becomes no shorter refutes nothing.
    bool can_refute = true;
    bool is_virtual = false;     // a virtual speed-up, which has no settings
    bool binds_threads = false;  // likewise without: each thread on a processor of its own (bound_threads.h)
};

// What the recorded program ran on.
struct Platform {
    bool has_openmp = false;             // any of its run-time libraries
    bool is_openmp_of_gnu = false;       // libgomp
    bool has_other_allocator = false;    // the C library's is not in use
    bool has_huge_pages = false;         // this machine gives them to who asks (madvise, always)
    std::string another_allocator = {};  // of this machine, to preload; empty: there is none
    std::string settings_library = {};   // likewise, Kymo's own (settings_library.h)
    // The program's own code, compiled by GCC, has such loops (schedule dynamic or guided, schedule runtime), or uses
    // streams of the C library or C++.
    bool has_loops_by_piece = false;
    bool has_loops_by_setting = false;
    bool opens_streams = false;
    std::uint64_t processors = 0;
};

// `images`: the paths of the files that the program's code came from. The rest is asked from this machine, which is
// taken for the recorded one.
Platform platform_of(const std::vector<std::string>& images, std::uint64_t processors);

// The first one takes most of the cause away. Empty: there is none for this kind of finding and this program.
// `has_code`: the code of the finding's function is known.
std::vector<Experiment> experiments_for(std::string_view kind, const Platform& platform, bool has_code);

Experiment virtual_speed_up();

}  // namespace kymo::confirm
