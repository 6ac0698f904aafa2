// Single-steps a program and, at every instruction, compares the unwinder's whole call path with libunwind's, with
// elfutils' and with a shadow stack.
//
//   step_oracle [--from FUNCTION] [--steps N] [--new-thread] [--verbose] [--expect FUNCTION]… PROGRAM [ARGUMENT]…
//
// Stepping begins at FUNCTION (default: scenario) and ends after N instructions (default: 20000), when that function
// returns, or with the thread. --new-thread: step the first thread made after that instead, from its first
// instruction.
// --expect: fail unless an instruction of this function was stepped; a pattern ends in '*', and '|' parts names
// that one address may go by.
// Exit status: 0 all agree, 1 a mismatch or an unsettled path, 2 usage, 77 tracing is not permitted.
#include "elfutils_walker.h"
#include "judge.h"
#include "kymo_walker.h"
#include "libunwind_walker.h"
#include "memory_copy.h"
#include "shadow_stack.h"
#include "traced_process.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <unordered_set>
#include <vector>

namespace kymo::oracle {
namespace {

constexpr int kSkipped = 77;
constexpr int kTryAgain = -1;

struct Options {
    std::string from = "scenario";
    std::size_t steps = 20000;
    bool new_thread = false;
    bool verbose = false;
    std::vector<std::string> expect;
    std::vector<std::string> program;
};

bool parse(int argc, char** argv, Options& options) {
    int i = 1;
    for (; i < argc && std::string_view(argv[i]).starts_with("--"); i++) {
        const std::string_view name = argv[i];
        if (name == "--new-thread") {
            options.new_thread = true;
        } else if (name == "--verbose") {
            options.verbose = true;
        } else if (i + 1 == argc) {
            return false;
        } else if (name == "--from") {
            options.from = argv[++i];
        } else if (name == "--steps") {
            options.steps = std::strtoull(argv[++i], nullptr, 10);
        } else if (name == "--expect") {
            options.expect.emplace_back(argv[++i]);
        } else {
            return false;
        }
    }
    options.program.assign(argv + i, argv + argc);
    return !options.program.empty() && options.steps > 0;
}

bool matches(const std::string& pattern, const std::string& name) {
    return pattern.ends_with('*') ? name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1))
                                  : name == pattern;
}

bool matches_one(const std::string& patterns, const std::string& name) {
    std::istringstream list(patterns);
    for (std::string pattern; std::getline(list, pattern, '|');) {
        if (matches(pattern, name)) {
            return true;
        }
    }
    return false;
}

// The stopped thread as all witnesses see it.
class Bench {
  public:
    explicit Bench(TracedProcess& target)
        : target_(target),
          memory_(target.process()),
          libunwind_(target.process(), memory_),
          elfutils_(target.process(), memory_),
          kymo_(memory_),
          code_(executable()) {}

    void look() { memory_.stop_at(target_.registers().sp()); }

    Testimony testify() {
        const Registers& registers = target_.registers();
        Testimony testimony;
        testimony[kKymo] = kymo_.walk(registers);
        testimony[kLibunwind] = libunwind_.walk(registers);
        testimony[kElfutils] = elfutils_.walk(registers);
        testimony[kShadow] = shadow_.path(registers, memory_);
        if (testimony[kLibunwind] != testimony[kShadow] && !hopeless_.contains(registers.pc())) {
            // libunwind caches what holds at an address without regard to whether it came there as a return address
            // or as a program counter: wrong where a call is a function's last instruction. Ask again with an empty
            // cache.
            libunwind_.forget();
            testimony[kLibunwind] = libunwind_.walk(registers);
            if (testimony[kLibunwind] != testimony[kShadow]) {
                hopeless_.insert(registers.pc());
            }
        }
        return testimony;
    }

    // The shadow begins with what elfutils says; libunwind should say so too, but knows no .debug_frame.
    bool seed() {
        look();
        const std::uint64_t pc = target_.registers().pc();
        const CallPath path = elfutils_.walk(target_.registers());
        if (!path.complete || !elfutils_.is_described(pc)) {
            return false;
        }
        if (path != libunwind_.walk(target_.registers())) {
            std::printf("libunwind disagrees with elfutils at the first instruction\n");
        }
        shadow_.seed(path);
        return true;
    }

    Step step() {
        const bool may_map = maps_code();
        shadow_.before_step(target_.registers(), memory_);
        const Step step = target_.step();
        if (step == Step::kEnded) {
            return step;
        }
        look();
        shadow_.after_step(step, target_.registers(), memory_);
        if (may_map) {
            memory_.refresh_mappings();
            if (std::string now = executable(); now != code_) {
                code_ = std::move(now);
                libunwind_.forget();
                elfutils_.forget_images();
                kymo_.forget_images();
                shadow_.forget_code();
            }
        }
        return step;
    }

    std::size_t depth() const { return shadow_.depth(); }
    const Names& names() const { return elfutils_; }

  private:
    // At a system call that changes mappings (mmap, mprotect, munmap)?
    bool maps_code() {
        const Registers& registers = target_.registers();
        std::uint64_t word = 0;
        return registers.dwarf[0] >= 9 && registers.dwarf[0] <= 11 && memory_.read_word(registers.pc(), word) &&
               (word & 0xffff) == 0x050f;
    }

    std::string executable() const {
        std::string text;
        for (const Mapping& mapping : memory_.mappings()) {
            if (mapping.executable) {
                text += std::to_string(mapping.begin) + '-' + std::to_string(mapping.end) + mapping.path + '\n';
            }
        }
        return text;
    }

    TracedProcess& target_;
    MemoryCopy memory_;
    LibunwindWalker libunwind_;
    ElfutilsWalker elfutils_;
    KymoWalker kymo_;
    ShadowStack shadow_;
    std::unordered_set<std::uint64_t> hopeless_;  // program counters where an empty cache did not help libunwind
    std::string code_;
};

// Are addresses where the traced program has images, or may get more, in use here?
bool addresses_clash(pid_t process) {
    constexpr std::uint64_t kMore = std::uint64_t{64} << 20;  // libraries are added below
    const std::vector<Mapping> own = read_mappings(getpid());
    const std::vector<Mapping> theirs = read_mappings(process);
    return std::any_of(theirs.begin(), theirs.end(), [&](const Mapping& image) {
        return (image.path.starts_with('/') || image.path == "[vdso]") &&
               std::any_of(own.begin(), own.end(), [&](const Mapping& mapping) {
                   return mapping.begin < image.end && mapping.end > image.begin - kMore;
               });
    });
}

int run(const Options& options) {
    auto started = TracedProcess::start(options.program);
    if (!started) {
        const bool barred = started.error().kind == ErrorKind::kPermission;
        std::printf("%s%s\n", barred ? "skipped: " : "", started.error().what.c_str());
        return barred ? kSkipped : 1;
    }
    TracedProcess& target = **started;
    const auto from = target.address_of(options.from);
    const Result<void> reached = from ? target.run_to(*from) : Result<void>(from.error());
    if (!reached) {
        std::printf("%s\n", reached.error().what.c_str());
        return 1;
    }
    if (addresses_clash(target.process())) {
        return kTryAgain;
    }
    if (options.new_thread) {
        target.follow_new_threads(true);
        Step step = Step::kInstruction;
        while (step != Step::kNewThread && step != Step::kEnded) {
            step = target.step();
        }
        target.follow_new_threads(false);
    }

    Bench bench(target);
    // A new thread begins with a few instructions without call-frame information.
    for (int i = 0; !bench.seed(); i++) {
        if (i == 20 || target.step() == Step::kEnded) {
            std::printf("elfutils knows no call path to begin with\n");
            return 1;
        }
    }
    Judge judge(options.program[0].substr(options.program[0].rfind('/') + 1), bench.names(), options.verbose);
    const std::size_t bottom = bench.depth();
    std::unordered_set<std::uint64_t> instructions;
    std::unordered_set<std::string> functions;
    for (std::size_t i = 0; i < options.steps; i++) {
        if (instructions.insert(target.registers().pc()).second) {
            functions.insert(bench.names().function_at(target.registers().pc()));
        }
        judge.hear(bench.testify());
        if (bench.step() == Step::kEnded || bench.depth() < bottom) {
            break;
        }
    }
    judge.print_summary();
    std::printf("  %zu different instructions of %zu functions\n", instructions.size(), functions.size());
    bool complete = true;
    for (const std::string& pattern : options.expect) {
        if (std::none_of(functions.begin(), functions.end(),
                         [&](const auto& name) { return matches_one(pattern, name); })) {
            std::printf("  never stepped through %s\n", pattern.c_str());
            complete = false;
        }
    }
    return judge.failures() == 0 && complete ? 0 : 1;
}

}  // namespace
}  // namespace kymo::oracle

int main(int argc, char** argv) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    kymo::oracle::Options options;
    if (!kymo::oracle::parse(argc, argv, options)) {
        std::fprintf(
            stderr,
            "usage: step_oracle [--from FUNCTION] [--steps N] [--new-thread] [--expect FUNCTION]... PROGRAM\n");
        return 2;
    }
    const int status = kymo::oracle::run(options);
    if (status != kymo::oracle::kTryAgain) {
        return status;
    }
    // One time in some hundred the random layout of this process is in the way (kymo_walker.h). It gets another.
    const char* tries = std::getenv("KYMO_ORACLE_TRIES");
    const int count = tries == nullptr ? 0 : std::atoi(tries);
    if (count < 8) {
        setenv("KYMO_ORACLE_TRIES", std::to_string(count + 1).c_str(), 1);
        execv("/proc/self/exe", argv);
    }
    std::fprintf(stderr, "the traced program's addresses are in use in the tracing process\n");
    return 1;
}
