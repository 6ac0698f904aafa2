// Single lines of what `perf script` prints. All texts are parts of the line.
//
// Which fields a line has depends on perf's -F and is not written anywhere, and a thread's name may contain spaces.
// So a field is found by its form, or where that does not suffice (a number alone) by the width that perf pads it to.
#pragma once

#include "import/named/sample.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace kymo::import::named {

// The first line of a sample, or the only one.
struct ScriptHeader {
    std::string_view comm;
    std::uint32_t pid = kNotGiven;
    std::uint32_t tid = kNotGiven;
    std::uint32_t cpu = kNotGiven;
    std::uint64_t time = 0;  // ns
    bool has_time = false;
    std::uint64_t period = 0;
    std::string_view event;  // "cycles:u"
    bool has_frame = false;
    Frame frame;  // of a sample without a call chain
    // Whether that frame is an address alone, which may as well be another field.
    bool is_bare_address = false;
};

// None: the line does not begin a sample. Cost: one pass over the line.
std::optional<ScriptHeader> read_script_header(std::string_view line);

// "1160 inner+0x17 (/usr/bin/planted)", with space before it; none: it does not begin with an address.
std::optional<Frame> read_script_frame(std::string_view line);

// "  planted.c:4", which follows its frame. The file is empty where perf found none.
struct ScriptPlace {
    std::string_view file;
    std::uint32_t line = 0;
    bool is_inlined = false;  // the mark of such frames follows here
};
std::optional<ScriptPlace> read_script_place(std::string_view line);

// Of records that are not samples (--show-task-events and others); none: it is not of one.
struct ScriptRecord {
    std::uint64_t lost = 0;
};
std::optional<ScriptRecord> read_script_record(std::string_view line);

}  // namespace kymo::import::named
