#include "monitor/process/log.h"

#include "base/job_rank.h"
#include "base/native.h"
#include "events/event_rows.h"
#include "image/content.h"
#include "image/describe.h"
#include "monitor/process/images.h"
#include "monitor/sampling/second_look.h"
#include "monitor/speed_up/speed_up.h"
#include "monitor/text.h"

#include <cerrno>
#include <elf.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace kymo::monitor {

constinit ProcessLog process_log;

namespace {

constexpr std::size_t kCommandBytes = 4096;

recording::Image image_row(ImageId id, const image::LoadedImage& image) {
    recording::Image row;
    row.time = clock_now();
    row.image = raw(id);
    row.begin = image.range.begin;
    row.end = image.range.end;
    row.bias = image.bias;
    row.path = image.path;
    row.build_id = {reinterpret_cast<const char*>(image.build_id.data()), image.build_id.size()};
    row.content = image.build_id.empty() ? image::content_of(image) : 0;
    return row;
}

}  // namespace

bool ProcessLog::begin() {
    if (!images.create({this, unwind::describe_own_image, image_added, image_removed})) {
        return false;
    }
    const events::Session& session = process.session();
    may_be_short_ = session.short_processes && session.pid != static_cast<std::uint32_t>(process.pid());
    if (may_be_short_) {
        return true;
    }
    if (!open()) {
        return false;
    }
    know_own_image();
    return true;
}

void ProcessLog::after_fork() {
    may_be_short_ = process.session().short_processes;
    lock_.reset();
    file_.abandon();
    no_new_file_ = false;
    rows_ = {};
    images.after_fork_in_child();
}

void ProcessLog::end(bool quiescent) {
    const Locked locked(lock_);
    no_new_file_ = true;
    if (quiescent) {
        file_.close();
    }
}

bool ProcessLog::open_new_file() {
    if (no_new_file_) {
        return false;
    }
    recording::FileOptions options;
    options.max_bytes = process.session().max_bytes;
    options.machine = processor::kMachine;
    options.pid = static_cast<std::uint32_t>(process.pid());
    options.producer = "kymo monitor";
    options.descriptor_floor = process.descriptors().base();
    static char path[events::kPathBytes + 64];  // under the lock; and not on a caller's stack
    int error = EEXIST;
    // A process that execs has one file an image of itself.
    for (unsigned long number = 0; error == EEXIST && number < 10'000; ++number) {
        Text text(path, sizeof path);
        text << process.session().directory << "/process-" << static_cast<unsigned long>(process.pid()) << "-"
             << number;
        if (process.session().rank) {
            text << "-rank-" << static_cast<unsigned long>(*process.session().rank);
        }
        text << ".krec";
        error = file_.create(path, options);
    }
    if (error != 0) {
        no_new_file_ = true;
        return false;
    }
    rows_.open(file_, StreamId{0});
    write_head();
    write_living_images();  // a forked child has its parent's
    return true;
}

void ProcessLog::write_head() {
    recording::write_schemas(rows_);

    static char command[kCommandBytes];  // under the lock, as above
    static char executable[events::kPathBytes];
    recording::Process row;
    row.time = process.start_time();
    row.pid = static_cast<std::uint64_t>(process.pid());
    row.kernel_pid = process.kernel_numbers().of_process();
    row.entry = getauxval(AT_ENTRY);
    row.parent_pid = static_cast<std::uint64_t>(syscall(SYS_getppid));
    row.executable = image::own_program_path(executable);
    row.command = process.arguments(command);
    row.mechanism = static_cast<std::uint64_t>(process.session().mechanism);
    rows_.append(row);
    if (const JobRank found = find_job_rank([](const char* name) { return getenv(name); }); found.known) {
        utsname system{};
        uname(&system);
        recording::Rank place;
        place.rank = found.rank;
        place.size = found.size;
        place.host = system.nodename;
        rows_.append(place);
    }

    events::for_each_event_row<recording::Event>(process.session(),
                                                 [this](const recording::Event& event) { rows_.append(event); });
}

void ProcessLog::write_living_images() {
    for (std::uint32_t id = 1; id <= images.count(); ++id) {
        const unwind::ImageSet::Entry& entry = images.entry(ImageId{id});
        if (entry.is_alive() && entry.image != nullptr) {
            rows_.append(image_row(ImageId{id}, *entry.image));
        }
    }
    if (write_more_ != nullptr) {
        write_more_(rows_);
    }
}

void ProcessLog::image_added(void* self, ImageId id, const image::LoadedImage& image) {
    second_look.image_added(id, image);
    speed_up.image_added(id, image);
    static_cast<ProcessLog*>(self)->write(image_row(id, image));
}

void ProcessLog::image_removed(void* self, ImageId id) {
    recording::ImageEnd row;
    row.time = clock_now();
    row.image = raw(id);
    static_cast<ProcessLog*>(self)->write(row);
}

}  // namespace kymo::monitor
