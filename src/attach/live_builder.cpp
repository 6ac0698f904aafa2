#include "attach/live_builder.h"

#include "launch/run_log.h"

#include <algorithm>
#include <string>
#include <sys/stat.h>
#include <sys/utsname.h>

namespace kymo::attach {
namespace {

namespace rec = recording;

// The process may have closed the descriptor by now, or opened it on another file.
rec::FileKind file_kind(std::uint32_t pid, std::uint32_t descriptor) {
    const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
    struct stat facts{};
    if (stat(path.c_str(), &facts) != 0) {
        return rec::FileKind::kUnknown;
    }
    constexpr unsigned kKindShift = 12;
    switch (const auto kind = static_cast<rec::FileKind>((facts.st_mode & S_IFMT) >> kKindShift)) {
        case rec::FileKind::kPipe:
        case rec::FileKind::kDevice:
        case rec::FileKind::kDirectory:
        case rec::FileKind::kDisk:
        case rec::FileKind::kFile:
        case rec::FileKind::kSocket:
            return kind;
        default:
            return rec::FileKind::kUnknown;
    }
}

}  // namespace

import::BuilderOptions live_builder_options(bool every_process, LiveFiles& files, LiveNames& names) {
    import::BuilderOptions options;
    options.producer = launch::kProducer;
    options.mechanism = rec::Mechanism::kOutside;
    options.every_process = every_process;
    options.kernel_symbols = "/proc/kallsyms";
    options.locate = [&files](const import::perf::Mapping& row) { return files.locate(row); };
    options.file_kind = file_kind;
    options.generated_names = {[&names](std::uint32_t pid) { names.prepare(pid); },
                               [&names](std::uint32_t pid) { return names.open(pid); }};
    return options;
}

Result<void> begin_live(import::RecordingBuilder& builder, import::BuilderOptions& options, const SampleRings& rings,
                        std::uint64_t time) {
    utsname system{};
    uname(&system);
    import::perf::FileFacts facts;
    facts.arch = system.machine;
    facts.first_time = time;
    options.wakes = rings.wakes();
    const auto all = rings.events().all();
    return builder.begin(facts, all.first(std::min<std::size_t>(all.size(), rings.wakes())));
}

}  // namespace kymo::attach
