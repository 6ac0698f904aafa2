// The recording's file of this process, and the rows of the process as a whole: its description, its images, what
// could not be measured, its end. Threads' streams are in the same file (threads/stream.h).
//
// The file is made at the start in the program itself; in a forked child and, if the session has a file for short
// processes, in every other program only with its first row. Most children exec at once, and many programs (of a
// shell script, a build) end before their first sample: they append one row to the shared file
// (process/short_process.h).
#pragma once

#include "base/exclusion.h"
#include "image/loaded_image.h"
#include "monitor/process/process.h"
#include "recording/tables.h"
#include "recording/writer.h"

namespace kymo::monitor {

class ProcessLog {
  public:
    // Makes the file, unless the process may be short, and the set of images, whose rows are written here. False:
    // one of them is not available.
    bool begin();
    void after_fork();
    // Called for every file that is made from now on, behind the rows of its images, under the log's lock.
    void write_to_new_files(void (*write)(recording::StreamWriter& rows)) { write_more_ = write; }
    // No further rows and no new file. `quiescent`: no thread is writing.
    void end(bool quiescent);

    // A row. From handlers, or under Quiet.
    template <typename Row>
    bool write(const Row& row) {
        const Locked locked(lock_);
        return open_file() && rows_.append(row);
    }
    // The same, once per process. `told_by`: the pid of the process that has written it, 0 before.
    template <typename Row>
    void write_once(std::atomic<int>* told_by, const Row& row) {
        if (told_by->exchange(process.pid()) != process.pid()) {
            write(row);
        }
    }
    // Ensures that there is a file.
    bool open() {
        const Locked locked(lock_);
        return open_file();
    }
    // Returns the result of act(does a file exist so far?), while no other thread writes here or makes the file.
    template <typename Act>
    auto alone(const Act& act) {
        const Locked locked(lock_);
        return act(file_.is_open());
    }

    // It has had no row so far that needs a file of its own, and may end like that.
    bool is_short() const { return may_be_short_ && !file_.is_open(); }
    bool may_be_short() const { return may_be_short_; }
    recording::FileWriter& file() { return file_; }
    bool is_its_descriptor(int number) const { return number >= 0 && number == file_.descriptor(); }

  private:
    // Under the lock. Nearly always it is open already.
    bool open_file() { return file_.is_open() || open_new_file(); }
    bool open_new_file();
    void write_head();
    void write_living_images();
    static void image_added(void* self, ImageId id, const image::LoadedImage& image);
    static void image_removed(void* self, ImageId id);

    Lock lock_;
    recording::FileWriter file_;
    recording::StreamWriter rows_;
    void (*write_more_)(recording::StreamWriter& rows) = nullptr;
    bool no_new_file_ = false;  // it has failed, or measurement is over
    bool may_be_short_ = false;
};

extern ProcessLog process_log;

}  // namespace kymo::monitor
