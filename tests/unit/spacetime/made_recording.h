// Recordings made by hand, with the real writer, for tests that know every answer. (Target kymo_made_recording.)
#pragma once

#include "recording/file_writer.h"
#include "recording/tables.h"
#include "recording/writer.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kymo::testing {

// A folder that is gone with the object.
class TemporaryFolder {
  public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// One file being written. Rows of stream 0 by own(), those of another by stream(n).
class MadeFile {
  public:
    // `machine`: ELF's number of what the program was made for; 62 is x86-64.
    MadeFile(const std::filesystem::path& path, std::uint32_t pid, std::uint16_t machine = 62);
    MadeFile(const MadeFile&) = delete;
    MadeFile& operator=(const MadeFile&) = delete;
    ~MadeFile();  // not closed: as after SIGKILL

    recording::StreamWriter& own() { return streams_[0]; }
    recording::StreamWriter& stream(std::uint32_t id);
    void close();

    // ---- short forms ----

    void context(std::uint32_t id, std::uint64_t number, std::uint64_t parent, std::uint64_t image,
                 std::uint64_t offset);
    void sample(std::uint32_t id, std::uint64_t time, std::uint64_t context, const std::vector<std::uint64_t>& deltas,
                std::uint64_t flags = 0, std::uint64_t event = 0);
    // What begins the file of a process that performance events measure: itself, its clock, sampled every
    // millisecond, and image 1.
    void begin_process();
    void begin_stream(std::uint32_t id, std::uint64_t time, std::uint64_t tid, const std::string& name,
                      std::uint64_t creator = 0, std::uint64_t creator_context = 0);
    void end_stream(std::uint32_t id, std::uint64_t time, const std::vector<std::uint64_t>& totals,
                    std::uint64_t user_ns = 0);
    void event(std::uint64_t index, const std::string& name, const std::string& unit, recording::EventMode mode,
               std::uint64_t value);

  private:
    recording::FileWriter writer_;
    std::map<std::uint32_t, recording::StreamWriter> streams_;
};

constexpr std::uint64_t kMs = 1'000'000;

// A program of two threads, 20 ms; images that are not on disk, so that functions are "app+0x…". All figures
// follow from the rules in spacetime/load/time_split.h; period 1 ms, page-faults counted.
//
//   main (tid 100), 0–20 ms: _start 0x10 › main 0x20 › work 0x30
//     1 ms  work   D 1.0 ms, 2 faults             user 1
//     2 ms  work   D 1.0 ms                       user 1
//     4 ms  main   the kernel's tick found it in a call
//     6 ms  main   D 3.0 ms, 5 faults             user 1, system 2, off-CPU 1
//    10 ms  work   D 1.0 ms, merged: no path      user 1, off-CPU 3         (context 0, path not walked)
//    20 ms  end    D 0.5 ms, 1 fault in totals    user 0.5, off-CPU 9.5
//   worker (tid 101), 4–14 ms, created by main at 0x25 (pthread_create 0x28): start 0x40 › work 0x30
//     5 ms  work   D 1 ms                         user 1
//     9 ms  work   D 2 ms                         user 1, system 1 (in a call that is not known), off-CPU 2
//    10 ms  0x50, partial (no rule)  D 1 ms       user 1
//    14 ms  end    D 4 ms in totals               user 1, system 3
void write_two_threads(const std::filesystem::path& folder, bool closed = true, std::uint64_t wait_status = 3U << 8U);

}  // namespace kymo::testing
