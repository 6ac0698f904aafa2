#include "base/native.h"
#include "import/address_space.h"
#include "import/event_plan.h"
#include "import/image_file.h"
#include "import/import.h"
#include "import/kernel_rows.h"
#include "import/mapped_file.h"
#include "import/process_log.h"
#include "import/stack_walk.h"
#include "launch/record_outcome.h"
#include "launch/run_log.h"
#include "recording/bundle.h"
#include "recording/pack.h"

#include <algorithm>
#include <deque>
#include <elf.h>
#include <linux/perf_event.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <sys/resource.h>
#include <unordered_map>
#include <utility>

namespace kymo::import {
namespace {

namespace rec = recording;
using perf::kNotGiven;

constexpr std::size_t kMostMissing = 1000;      // paths that are kept for the report
constexpr std::size_t kMostFiles = 1U << 16U;   // processes with samples
constexpr std::size_t kMostImages = 1U << 20U;  // of a process, against absurd files

std::uint16_t machine_of(std::string_view arch) {
    return arch == "x86_64"                       ? EM_X86_64
           : arch == "aarch64" || arch == "arm64" ? EM_AARCH64
           : arch == "riscv64"                    ? EM_RISCV
           : arch == "loongarch64"                ? EM_LOONGARCH
           : arch == "ppc64" || arch == "ppc64le" ? EM_PPC64
           : arch == "s390x"                      ? EM_S390
                                                  : EM_NONE;
}

// The kernel adds it to the path of a file that has been removed.
std::string_view without_deleted(std::string_view path) {
    constexpr std::string_view kDeleted = " (deleted)";
    return path.ends_with(kDeleted) ? path.substr(0, path.size() - kDeleted.size()) : path;
}

// Every process that lives has a descriptor of its file.
void allow_many_descriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

// An image as it is mapped in a process.
struct LoadedImage {
    std::uint64_t image = 0;
    std::uint64_t bias = 0;
    rec::Image row;
    std::string path;
    std::string build_id;
    std::filesystem::path file;  // empty: not found
};

struct Task {
    std::uint64_t born = 0;
    std::string name;
};

struct Process {
    std::uint64_t begin = 0;
    std::uint32_t parent = 0;
    AddressSpace space;
    std::vector<LoadedImage> images;
    std::string executable;
    std::uint64_t entry = 0;  // address of the program's first instruction; 0: not known
    std::map<std::uint32_t, Task> tasks;
    std::unique_ptr<ProcessLog> log;
    std::size_t written = 0;  // of images, to the log
    std::unique_ptr<StackWalker> walker;
    std::size_t walked = 0;  // of images, that it has
};

class Importer : public perf::Visitor {
  public:
    Importer(const rec::Folder& folder, const ImportOptions& options)
        : folder_(folder), options_(options), finder_(options.symfs) {}

    Result<void> begin(const perf::FileFacts& facts, std::span<const perf::Attribute> attributes) override {
        machine_ = machine_of(facts.arch);
        attributes_ = attributes;
        plan_ = plan_events(attributes);
        for (const perf::BuildId& id : facts.build_ids) {
            build_ids_[id.path] = std::string(id.bytes.begin(), id.bytes.end());
        }
        begin_ = facts.first_time == 0 ? ~std::uint64_t{0} : facts.first_time;
        return launch_.create(folder_);
    }

    void mapping(const perf::Mapping& row) override {
        see(row);
        if (row.kernel || !row.executable || row.pid == kNotGiven || row.length == 0) {
            return;
        }
        Process& process = process_of(row.pid);
        process.space.map(row.begin, row.length, load(process, row));
    }

    void comm(const perf::Comm& row) override {
        see(row);
        if (row.pid == kNotGiven) {
            return;
        }
        if (row.is_exec) {
            end_process(row.pid, row.time, 2);
            Process& before = process_of(row.pid);
            Process fresh;
            fresh.begin = row.time;
            fresh.parent = before.parent;
            before = std::move(fresh);
        }
        Process& process = process_of(row.pid);
        Task& task = process.tasks[row.tid];
        task.name = row.name;
        task.born = row.is_exec ? row.time : task.born;
        if (process.log != nullptr) {
            process.log->rename(row.tid, row.name);
        }
        if (row.time != 0) {
            launch_.take(kernel_record(row));
        }
    }

    void fork(const perf::Fork& row) override {
        see(row);
        if (row.pid == kNotGiven) {
            return;
        }
        if (row.pid == row.parent_pid) {
            Process& process = process_of(row.pid);
            const auto parent = process.tasks.find(row.parent_tid);
            const std::string name = parent == process.tasks.end() ? std::string() : parent->second.name;
            process.tasks[row.tid] = {row.time, name};
        } else {
            Process& parent = process_of(row.parent_pid);
            const auto known = parent.tasks.find(row.parent_tid);
            Process child;
            child.begin = row.time;
            child.parent = row.parent_pid;
            child.space = parent.space;
            child.images = parent.images;
            child.executable = parent.executable;
            child.entry = parent.entry;
            child.tasks[row.tid] = {row.time, known == parent.tasks.end() ? std::string() : known->second.name};
            end_process(row.pid, row.time, 0);  // a number that is used again
            processes_[row.pid] = std::move(child);
        }
        if (row.time != 0) {
            launch_.take(kernel_record_of_task(row, launch::KernelChange::kFork));
        }
    }

    void exit(const perf::Exit& row) override {
        see(row);
        const auto found = processes_.find(row.pid);
        if (found != processes_.end()) {
            if (found->second.log != nullptr) {
                found->second.log->end_thread(row.tid, row.time);
            }
            found->second.tasks.erase(row.tid);
            if (found->second.tasks.empty()) {
                end_process(row.pid, row.time, 0);
                found->second.begin = row.time;  // of whatever is sampled of it yet: its last way through the kernel
                forget_oldest(row.pid);
            }
        }
        launch_.take(kernel_record_of_task(row, launch::KernelChange::kExit));
    }

    void context_switch(const perf::Switch& row) override {
        see(row);
        launch_.take(kernel_record(row));
    }

    void lost(const perf::Lost& row) override {
        report_.lost += row.count;
        launch_.take(kernel_record(row));
    }

    void sample(const perf::Sample& row) override {
        see(row);
        if (row.pid == 0 || row.pid == kNotGiven) {
            ++report_.idle;
            return;
        }
        if (error_) {
            return;
        }
        Process& process = process_of(row.pid);
        if (!open_log(row.pid, process)) {
            return;
        }
        SampleIn sample;
        sample.time = row.time;
        sample.processor = row.cpu == kNotGiven ? 0 : row.cpu;
        sample.attribute = row.attribute;
        sample.in_kernel = row.mode == perf::Mode::kKernel || row.mode == perf::Mode::kGuestKernel;
        const bool is_ours = machine_ == processor::kMachine || machine_ == EM_NONE;
        if (!row.user_stack.empty() && row.user_registers.abi != 0 && is_ours) {
            const WalkedPath walked = walk_stack(process, row);
            sample.path_end = walked.end;
            sample.recovered = walked.recovered;
        } else {
            sample.path_end = find_path(process, row);
            report_.other_registers += row.user_stack.empty() || is_ours ? 0 : 1;
        }
        sample.path = path_;
        find_deltas(row);
        sample.deltas = deltas_;
        const auto task = process.tasks.find(row.tid);
        const bool is_known = task != process.tasks.end();
        process.log->sample(row.tid, is_known ? task->second.born : 0, is_known ? task->second.name : std::string(),
                            sample);
        ++report_.samples;
    }

    bool enough() const override { return error_ || (options_.is_cancelled != nullptr && options_.is_cancelled()); }

    Result<ImportReport> finish(const perf::FileFacts& facts) {
        std::vector<std::uint32_t> left;
        for (const auto& [pid, process] : processes_) {
            left.push_back(pid);
        }
        for (const std::uint32_t pid : left) {
            end_process(pid, end_, 0);
        }
        write_run(facts);
        rec::RunEnd end;
        end.time = end_;
        end.reason = static_cast<std::uint64_t>(launch::EndReason::kImported);
        launch_.write_end(end);
        launch_.close();
        if (error_) {
            return *error_;
        }
        report_.missing.assign(missing_.begin(), missing_.end());
        report_.notices = facts.notices;
        if (left_out_ != 0) {
            report_.notices.push_back(std::to_string(left_out_) + " samples are left out: of more than " +
                                      std::to_string(kMostFiles) + " processes");
        }
        report_.cancelled = options_.is_cancelled != nullptr && options_.is_cancelled();
        return std::move(report_);
    }

    const std::vector<std::string>& files() const { return files_; }
    // Images that were found elsewhere than at their own paths: these, and where.
    const std::map<std::string, std::filesystem::path>& elsewhere() const { return elsewhere_; }

  private:
    // Of processes that have ended the last ones are kept: records of other processors may name them yet.
    void forget_oldest(std::uint32_t ended) {
        constexpr std::size_t kMostKept = 256;
        ended_.push_back(ended);
        if (ended_.size() <= kMostKept) {
            return;
        }
        const auto oldest = processes_.find(ended_.front());
        ended_.pop_front();
        if (oldest != processes_.end() && oldest->second.tasks.empty() && oldest->second.log == nullptr) {
            processes_.erase(oldest);
        }
    }

    void see(const perf::Origin& row) {
        if (row.time != 0) {
            begin_ = std::min(begin_, row.time);
            end_ = std::max(end_, row.time);
        }
    }

    void write_run(const perf::FileFacts& facts) {
        std::string command;
        for (const std::string& argument : facts.command_line) {
            command += argument;
            command += '\0';
        }
        const std::string kernel = facts.os_release.empty() ? "" : "Linux " + facts.os_release + " " + facts.arch;
        rec::Run run;
        run.time = std::min(begin_, end_);
        run.command = command;
        run.host = facts.hostname;
        run.kernel = kernel;
        run.producer = options_.producer;
        run.processors = facts.processors_online;
        launch_.write_others([&](rec::StreamWriter& stream) { stream.append(run); });
        if (plan_.kind == Pace::kEstimated) {
            launch_.write_missing({"the exact time on a processor",
                                   "no event of the file counts it; it is estimated from how close samples of " +
                                       plan_.events[plan_.pace].name + " follow each other",
                                   "perf record -e task-clock"});
        } else if (!plan_.has_times) {
            launch_.write_missing({"when anything happened, and the time on a processor",
                                   "the file's samples have no times", "perf record with --timestamp"});
        } else if (plan_.kind == Pace::kUnknown) {
            launch_.write_missing({"the time on a processor", "no event of the file counts it, or cycles",
                                   "perf record -e task-clock"});
        }
        if (plan_.kind != Pace::kUnknown && !plan_.sees_kernel) {
            launch_.write_missing({"time in the kernel",
                                   "samples were taken in user mode alone; it counts as time off the processor",
                                   "perf record without :u, which may need kernel.perf_event_paranoid=1"});
        }
    }

    Process& process_of(std::uint32_t pid) {
        const auto [found, is_new] = processes_.try_emplace(pid);
        if (is_new) {
            found->second.begin = begin_;
        }
        return found->second;
    }

    // The file of an image and what is known of it; looked for once.
    const std::optional<ImageFile>& file_of(const std::string& path, const std::string& build_id) {
        const auto [known, is_new] = image_files_.try_emplace({path, build_id});
        if (is_new) {
            known->second = finder_.find(path, build_id);
            if (known->second && known->second->path != path) {
                elsewhere_[path] = known->second->path;
            }
            if (!known->second && path.starts_with('/') && missing_.size() < kMostMissing) {
                missing_.insert(path);
            }
        }
        return known->second;
    }

    MappedImage load(Process& process, const perf::Mapping& row) {
        // Code that was made while the program ran, and the kernel's own in its address space but for the vDSO.
        const bool has_file = row.path.starts_with('/') && !row.path.starts_with("//");
        if ((!has_file && row.path != "[vdso]") || process.images.size() >= kMostImages) {
            return {};
        }
        LoadedImage made;
        made.path = without_deleted(row.path);
        made.build_id.assign(row.build_id.begin(), row.build_id.end());
        if (const auto known = build_ids_.find(std::string(row.path));
            made.build_id.empty() && known != build_ids_.end()) {
            made.build_id = known->second;
        }
        made.bias = row.begin - row.file_offset;
        std::uint64_t begin = row.begin;
        std::uint64_t end = row.begin + row.length;
        std::uint64_t entry = 0;
        if (has_file) {
            const std::optional<ImageFile>& file = file_of(made.path, made.build_id);
            const auto moved = file ? file->moved_by(row.file_offset) : std::nullopt;
            if (moved) {
                made.bias -= *moved;
                made.build_id = file->build_id;
                begin = std::min(begin, made.bias + file->begin());
                end = std::max(end, made.bias + file->end());
                entry = file->entry == 0 ? 0 : made.bias + file->entry;
                made.file = file->path;
            } else {
                // Where its code lies in the file is not known: nothing may look for names there.
                made.path = "[" + made.path + "]";
                made.build_id.clear();
            }
        }
        const auto same = std::find_if(process.images.begin(), process.images.end(), [&](const LoadedImage& image) {
            return image.path == made.path && image.bias == made.bias;
        });
        if (same != process.images.end()) {
            return {same->image, same->bias};
        }
        made.image = process.images.size() + 1;
        made.row.time = std::max(row.time, process.begin);
        made.row.image = made.image;
        made.row.begin = begin;
        made.row.end = end;
        made.row.bias = made.bias;
        if (process.executable.empty() && has_file) {
            process.executable = without_deleted(row.path);
            process.entry = entry;
        }
        process.images.push_back(std::move(made));
        return {process.images.back().image, process.images.back().bias};
    }

    bool open_log(std::uint32_t pid, Process& process) {
        if (process.log == nullptr) {
            if (files_.size() >= kMostFiles) {
                ++left_out_;
                return false;
            }
            ProcessStart start;
            start.time = process.begin;
            start.pid = pid;
            start.parent_pid = process.parent;
            const auto first = process.tasks.find(pid);
            start.name = first == process.tasks.end() ? std::to_string(pid) : first->second.name;
            start.executable = process.executable;
            start.entry = process.entry;
            start.machine = machine_;
            const std::string file =
                "process-" + std::to_string(pid) + "-" + std::to_string(images_of_pid_[pid]++) + ".krec";
            auto made = ProcessLog::create(folder_, file, start, plan_, options_.producer);
            if (!made) {
                error_ = made.error();
                return false;
            }
            process.log = std::move(*made);
            files_.push_back(file);
            ++report_.processes;
        }
        for (; process.written < process.images.size(); ++process.written) {
            LoadedImage& image = process.images[process.written];
            image.row.path = rec::RawText{image.path};
            image.row.build_id = image.build_id;
            process.log->write(image.row);
        }
        return true;
    }

    void end_process(std::uint32_t pid, std::uint64_t time, std::uint64_t how) {
        const auto found = processes_.find(pid);
        if (found == processes_.end() || found->second.log == nullptr) {
            return;
        }
        report_.threads += found->second.log->threads();
        if (!found->second.log->close(time, how) && !error_) {
            error_ =
                Error{ErrorKind::kNoSpace,
                      (folder_.path() / found->second.log->file()).string() + ": there is no space left for its rows",
                      "free some space, or use -o with a directory on another disk"};
        }
        found->second.log.reset();
        found->second.written = 0;
    }

    // Into path_: the frames that the copied stack leads to, innermost first; without one, where the thread was.
    WalkedPath walk_stack(Process& process, const perf::Sample& row) {
        if (process.walker == nullptr) {
            process.walker = std::make_unique<StackWalker>();
            process.walked = 0;
        }
        for (; process.walked < process.images.size(); ++process.walked) {
            const LoadedImage& image = process.images[process.walked];
            if (const MappedFile* file = image.file.empty() ? nullptr : mapped(image.file); file != nullptr) {
                process.walker->add(*file, image.bias);
            }
        }
        const WalkedPath walked = process.walker->walk(row.user_registers, row.user_stack);
        path_.clear();
        for (const std::uint64_t address : walked.addresses) {
            const MappedImage place = process.space.at(address);
            path_.push_back({place.image, address - place.bias});
        }
        report_.other_registers += walked.addresses.empty() ? 1 : 0;
        return walked;
    }

    const MappedFile* mapped(const std::filesystem::path& path) {
        const auto [known, is_new] = mapped_files_.try_emplace(path);
        if (is_new) {
            known->second = MappedFile::open(path);
        }
        return known->second.get();
    }

    // Into path_: the user's frames, innermost first.
    rec::PathEnd find_path(const Process& process, const perf::Sample& row) {
        path_.clear();
        bool is_users = true;
        bool is_lost = false;
        // The innermost frame is where the thread was. What follows it must be code: without frame pointers the
        // kernel takes for return addresses whatever it finds.
        const auto add = [&](std::uint64_t address) {
            const MappedImage mapped = process.space.at(address);
            is_lost = !mapped.is_code && !path_.empty();
            if (!is_lost) {
                path_.push_back({mapped.image, address - mapped.bias});
            }
        };
        for (const std::uint64_t entry : row.callchain) {
            if (entry >= static_cast<std::uint64_t>(PERF_CONTEXT_MAX)) {
                is_users = entry == static_cast<std::uint64_t>(PERF_CONTEXT_USER);
                continue;
            }
            if (!is_users || entry == 0 || is_lost) {
                continue;
            }
            // Behind the innermost frame are return addresses, which belong to the call before them.
            add(path_.empty() ? entry : entry - 1);
        }
        const bool is_in_user = row.mode == perf::Mode::kUser || row.mode == perf::Mode::kUnknown;
        if (path_.empty() && is_in_user && row.ip != 0) {
            add(row.ip);
        }
        return is_lost            ? rec::PathEnd::kUnmapped
               : path_.size() > 1 ? rec::PathEnd::kComplete
                                  : rec::PathEnd::kNotWalked;
    }

    // Into deltas_, by attribute: what was counted since the sample before.
    void find_deltas(const perf::Sample& row) {
        deltas_.assign(attributes_.size(), 0);
        if (row.reads.empty()) {
            deltas_[row.attribute] = row.period;
            return;
        }
        for (const perf::CounterValue& read : row.reads) {
            const std::uint32_t attribute = read.attribute == kNotGiven ? row.attribute : read.attribute;
            std::uint64_t& last = counts_[{read.id, attribute}];
            deltas_[attribute] += read.value - std::min(last, read.value);
            last = read.value;
        }
    }

    const rec::Folder& folder_;
    const ImportOptions& options_;
    ImageFinder finder_;
    std::uint16_t machine_ = 0;
    std::span<const perf::Attribute> attributes_;
    EventPlan plan_;
    std::uint64_t begin_ = 0;  // of what was read
    std::uint64_t end_ = 0;
    launch::RunLog launch_;
    std::unordered_map<std::string, std::string> build_ids_;  // by path
    std::map<std::pair<std::string, std::string>, std::optional<ImageFile>> image_files_;
    std::map<std::string, std::filesystem::path> elsewhere_;
    std::map<std::filesystem::path, std::unique_ptr<MappedFile>> mapped_files_;  // before processes_, which use them
    std::set<std::string> missing_;
    std::unordered_map<std::uint32_t, Process> processes_;
    std::unordered_map<std::uint32_t, unsigned> images_of_pid_;  // that had samples
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> counts_;
    std::vector<std::string> files_;
    std::deque<std::uint32_t> ended_;  // processes, oldest first
    std::uint64_t left_out_ = 0;       // samples
    std::vector<Frame> path_;
    std::vector<std::uint64_t> deltas_;
    std::optional<Error> error_;
    ImportReport report_;
};

// Where reports look for images first, each at its own path.
void copy_images(const std::map<std::string, std::filesystem::path>& images, const rec::Folder& folder,
                 std::vector<std::string>* notices) {
    for (const auto& [path, file] : images) {
        const std::filesystem::path inside = std::filesystem::path(path).lexically_normal().relative_path();
        const std::filesystem::path to = folder.path() / rec::kImagesFolder / inside;
        std::error_code failed;
        std::filesystem::create_directories(to.parent_path(), failed);
        if (!failed) {
            std::filesystem::copy_file(file, to, failed);
        }
        if (failed) {
            notices->push_back("cannot copy " + file.string() + ": " + failed.message() +
                               ": its functions will not be named");
        }
    }
}

// As `kymo record` leaves its files.
void pack(const rec::Folder& folder, std::vector<std::string> files, std::vector<std::string>* notices) {
    files.emplace_back(launch::kLaunchFile);
    for (const std::string& file : files) {
        if (const auto packed = rec::pack_file(folder, file); !packed) {
            notices->push_back("left unpacked: " + file + ": " + packed.error().what);
        }
    }
    if (files.size() > rec::kManyFiles) {
        // Otherwise they are as readable by themselves.
        static_cast<void>(rec::move_into_bundle(folder, files, folder, rec::kProcessBundle, rec::kMostBundledBytes));
    }
}

}  // namespace

Result<ImportReport> import_perf_data(const std::filesystem::path& file, const std::filesystem::path& folder,
                                      const ImportOptions& options) {
    const auto opened = rec::Folder::open_own(folder);
    if (!opened) {
        return opened.error();
    }
    allow_many_descriptors();
    Importer importer(*opened, options);
    const auto facts = perf::read_perf_data(file, importer, options.progress);
    if (!facts) {
        return facts.error();
    }
    auto report = importer.finish(*facts);
    if (report) {
        copy_images(importer.elsewhere(), *opened, &report->notices);
        pack(*opened, importer.files(), &report->notices);
    }
    return report;
}

}  // namespace kymo::import
