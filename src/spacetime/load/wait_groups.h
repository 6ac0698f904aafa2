// Groups the waits of one file (FileData::waits), and gives each group the activity of the threads that were waited
// for: the overlap of its waits with the holder's time on a processor, as the samples come, and with waits
// of the holder's own. Single-threaded except ran(), which several threads may call, each for watches of its own.
// Does not outlive the file's data.
#pragma once

#include "spacetime/load/file_data.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace kymo::spacetime {

class WaitGroups {
  public:
    // Needs the streams, their waits, contexts and the images, and adds to data.waits.
    explicit WaitGroups(FileData& data);
    WaitGroups(const WaitGroups&) = delete;
    WaitGroups& operator=(const WaitGroups&) = delete;
    ~WaitGroups();

    // A stream that others waited for.
    class Watch;
    // nullptr: no thread waited for it.
    Watch* watch_of(std::uint32_t stream);
    // It was on a processor, on that call path. Intervals of one stream in the order of time.
    static void ran(Watch& watch, const StateInterval& interval, std::uint32_t context);
    // After the last ran(): adds the results to the groups.
    void finish();

  private:
    void name_threads();
    void make_groups();
    void add_own_waits();
    WaitPath path_of(const StreamData& of, std::uint32_t context);
    std::uint32_t image_index(std::uint64_t id);
    const StreamData* thread_of(std::uint64_t tid, std::uint64_t at) const;

    FileData& data_;
    Waits& waits_;
    std::map<std::uint64_t, std::uint32_t> image_indices_;
    std::map<std::uint32_t, WaitThreadIndex> threads_;                // by stream
    std::map<std::uint64_t, std::vector<const StreamData*>> by_tid_;  // in the order of their begins
    std::map<std::uint32_t, std::unique_ptr<Watch>> watches_;         // by stream
};

}  // namespace kymo::spacetime
