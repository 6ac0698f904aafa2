// An OTF2 archive (Open Trace Format, version 2; vi-hps.org): a location a thread, a group a process, and for each
// thread the functions it enters and leaves, as far as samples show (paradigm "sampling"), and its waits.
//
// The library keeps 256 KiB for each location that is being written, so threads are written one after another: pieces
// that come mixed are kept in a spool.
#include "view/exports/spool.h"
#include "view/exports/timeline.h"

#include <cstdarg>
#include <cstring>
#include <fmt/format.h>
#include <otf2/otf2.h>
#include <unordered_map>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr std::uint64_t kTicksASecond = 1'000'000'000;

struct CloseArchive {
    void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FLUSH;
}
// The library prints its errors; the first one is enough.
OTF2_ErrorCode keep_first(void* into, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                          va_list) {
    auto& first = *static_cast<OTF2_ErrorCode*>(into);
    first = first == OTF2_SUCCESS ? code : first;
    return code;
}

// While it lives, errors of the library go to `first`.
class QuietErrors {
  public:
    explicit QuietErrors(OTF2_ErrorCode& first) : before_(OTF2_Error_RegisterCallback(keep_first, &first)) {}
    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;
    ~QuietErrors() { OTF2_Error_RegisterCallback(before_, nullptr); }

  private:
    OTF2_ErrorCallback before_;
};

constexpr OTF2_FlushCallbacks kFlush = {flush_always, nullptr};

class Otf2Writer : public TimelineWriter {
  public:
    explicit Otf2Writer(const ExportRun& run)
        : run_(run), spool_(run.threads().size()), events_(run.threads().size()) {}

    Result<void> write(const std::filesystem::path& path) {
        if (auto walked = write_timeline(run_, *this); !walked) {
            return walked;
        }
        OTF2_ErrorCode first = OTF2_SUCCESS;
        const QuietErrors quiet(first);
        auto done = write_archive(path);
        archive_.reset();  // this writes what it has kept
        if (done && (!is_good_ || first != OTF2_SUCCESS)) {
            return Error{ErrorKind::kNoSpace,
                         fmt::format("{}: {}", path.string(),
                                     first == OTF2_SUCCESS ? "the OTF2 library could not write it all"
                                                           : OTF2_Error_GetDescription(first)),
                         "make space, or write elsewhere"};
        }
        return done;
    }

    void open(std::uint32_t thread, std::uint64_t time, CallNodeIndex node, const std::string& name,
              const ThreadWait*) override {
        put(thread, time, region_of(node, name) + 1);
    }
    void close(std::uint32_t thread, std::uint64_t time) override { put(thread, time, 0); }
    void wakeup(const Wakeup&) override {}
    void mark(const TimelineMark&) override {}
    void counted(std::uint32_t, std::uint64_t, std::size_t, std::uint64_t) override {}

  private:
    Result<void> write_archive(const std::filesystem::path& path) {
        // The library allocates and clears a chunk of definitions a thread. The longest record, with a name
        // of at most 64 KiB, has to fit in one.
        archive_.reset(OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                                         OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
        if (!archive_) {
            return Error{ErrorKind::kPermission, path.string() + " cannot be written",
                         "name another directory with -o"};
        }
        check(OTF2_Archive_SetFlushCallbacks(archive_.get(), &kFlush, nullptr));
        check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
        check(OTF2_Archive_SetCreator(archive_.get(), "kymo export --to otf2"));
        check(OTF2_Archive_OpenEvtFiles(archive_.get()));
        for (std::uint32_t thread = 0; thread < events_.size(); ++thread) {
            if (auto done = events_of(thread); !done) {
                return done;
            }
        }
        check(OTF2_Archive_CloseEvtFiles(archive_.get()));
        definitions();
        return {};
    }

    struct Region {
        std::uint32_t function = kNone;  // none: a state
        std::string name;
    };
    struct Event {
        std::uint64_t time = 0;
        std::uint64_t region = 0;  // entered: its number and 1; 0: the innermost is left
    };

    void check(OTF2_ErrorCode code) { is_good_ = is_good_ && code == OTF2_SUCCESS; }

    void put(std::uint32_t thread, std::uint64_t time, std::uint64_t region) {
        const Event event{time, region};
        char bytes[sizeof event];
        std::memcpy(bytes, &event, sizeof event);
        spool_.add(thread, {bytes, sizeof bytes});
        ++events_[thread];
    }

    std::uint32_t region_of(CallNodeIndex node, const std::string& name) {
        if (node == CallNodeIndex(0)) {
            const auto [at, is_new] = states_.try_emplace(name, static_cast<std::uint32_t>(regions_.size()));
            if (is_new) {
                regions_.push_back({kNone, name});
            }
            return at->second;
        }
        const std::uint32_t function = node.in(run_.tree.nodes).function;
        const auto [at, is_new] = functions_.try_emplace(function, static_cast<std::uint32_t>(regions_.size()));
        if (is_new) {
            regions_.push_back({function, name});
        }
        return at->second;
    }

    Result<void> events_of(std::uint32_t thread) {
        OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_.get(), thread);
        std::vector<OTF2_RegionRef> inside;
        auto played = spool_.play(thread, [&](std::string_view bytes) {
            for (; bytes.size() >= sizeof(Event); bytes.remove_prefix(sizeof(Event))) {
                Event event;
                std::memcpy(&event, bytes.data(), sizeof event);
                if (event.region != 0) {
                    inside.push_back(static_cast<OTF2_RegionRef>(event.region - 1));
                    check(OTF2_EvtWriter_Enter(writer, nullptr, event.time, inside.back()));
                } else if (!inside.empty()) {
                    check(OTF2_EvtWriter_Leave(writer, nullptr, event.time, inside.back()));
                    inside.pop_back();
                }
            }
        });
        check(OTF2_Archive_CloseEvtWriter(archive_.get(), writer));
        return played;
    }

    OTF2_StringRef text(const std::string& of) {
        const auto [at, is_new] = texts_.try_emplace(of, static_cast<OTF2_StringRef>(texts_.size()));
        if (is_new) {
            check(OTF2_GlobalDefWriter_WriteString(global_, at->second, of.c_str()));
        }
        return at->second;
    }

    void definitions() {
        check(OTF2_Archive_OpenDefFiles(archive_.get()));
        for (std::uint32_t thread = 0; thread < events_.size(); ++thread) {
            check(OTF2_Archive_CloseDefWriter(archive_.get(), OTF2_Archive_GetDefWriter(archive_.get(), thread)));
        }
        check(OTF2_Archive_CloseDefFiles(archive_.get()));
        global_ = OTF2_Archive_GetGlobalDefWriter(archive_.get());
        const std::uint64_t started = run_.profile.started_realtime_ns;
        check(OTF2_GlobalDefWriter_WriteClockProperties(global_, kTicksASecond, 0, run_.duration + 1,
                                                        started == 0 ? OTF2_UNDEFINED_TIMESTAMP : started));
        const OTF2_StringRef empty = text("");
        for (std::uint32_t number = 0; number < regions_.size(); ++number) {
            const Region& region = regions_[number];
            const bool is_state = region.function == kNone;
            const program::Symbols& symbols = run_.tree.symbols;
            const OTF2_StringRef name = text(region.name);
            const OTF2_StringRef file =
                is_state ? empty : text(symbols.files[symbols.functions[region.function].file]);
            const std::uint32_t line = is_state ? 0 : symbols.functions[region.function].line;
            check(OTF2_GlobalDefWriter_WriteRegion(global_, number, name, name, empty,
                                                   is_state ? OTF2_REGION_ROLE_ARTIFICIAL : OTF2_REGION_ROLE_FUNCTION,
                                                   OTF2_PARADIGM_SAMPLING, OTF2_REGION_FLAG_NONE, file, line, line));
        }
        const OTF2_StringRef host = text(run_.profile.host.empty() ? "host" : run_.profile.host);
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global_, 0, host, text("node"),
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        for (std::uint32_t process = 0; process < run_.profile.processes.size(); ++process) {
            const ProfileProcess& one = run_.profile.processes[process];
            const OTF2_StringRef name =
                text(one.rank == kNoRank ? run_.process_name(process) + " " + std::to_string(one.pid)
                                         : "rank " + std::to_string(one.rank));
            check(OTF2_GlobalDefWriter_WriteLocationGroup(global_, process, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                          OTF2_UNDEFINED_LOCATION_GROUP));
        }
        for (std::uint32_t thread = 0; thread < events_.size(); ++thread) {
            const ProfileThread& one = run_.threads()[thread];
            const OTF2_StringRef name = text(run_.thread_name(thread) + " " + std::to_string(one.tid));
            check(OTF2_GlobalDefWriter_WriteLocation(global_, thread, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                     events_[thread], one.process));
        }
    }

    const ExportRun& run_;
    Spool spool_;
    std::vector<std::uint64_t> events_;  // by thread
    std::vector<Region> regions_;
    std::unordered_map<std::uint32_t, std::uint32_t> functions_;  // their regions
    std::unordered_map<std::string, std::uint32_t> states_;
    std::unordered_map<std::string, OTF2_StringRef> texts_;
    OTF2_GlobalDefWriter* global_ = nullptr;
    bool is_good_ = true;
    std::unique_ptr<OTF2_Archive, CloseArchive> archive_;
};

Result<void> write_otf2(const recording::Recording& recording, const ExportOptions&,
                        const std::filesystem::path& path) {
    const auto run = load_export_run(recording, {.below_creators = false, .weight = {}}, Findings::kNone);
    if (!run) {
        return run.error();
    }
    return Otf2Writer(*run).write(path);
}

}  // namespace

extern const Export kOtf2{
    .name = "otf2",
    .what = "a directory with each thread's functions and waits over time: Vampir, Scalasca, otf2-print",
    .write_at = write_otf2,
};

}  // namespace kymo::view
