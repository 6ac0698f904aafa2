// Compares the unwinder with libunwind inside one process, at random moments of code that is heavy on the C and C++
// libraries.
//
//   sample_oracle [SAMPLES]      default 6000
//
// A second thread interrupts the working one with SIGURG after random pauses. The handler walks the interrupted stack
// twice, with our walk over the live stack and with libunwind (unw_init_local2, as a signal frame, without its
// cache), and compares every program counter. Exit status: 0 all agree, 1 a path differs or more than one in a
// thousand does not reach the thread's start, 2 usage.
//
// libunwind locks (the dynamic linker's list of images) but recursively, and only the working thread ever takes that
// lock.
#define UNW_LOCAL_ONLY
#include "unwind/walk.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <libunwind.h>
#include <map>
#include <pthread.h>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <thread>
#include <time.h>
#include <unordered_map>
#include <vector>

namespace {

using namespace kymo;

constexpr std::size_t kDepth = 256;

struct Path {
    std::array<std::uint64_t, kDepth> lookup{};  // return addresses moved back by one
    std::size_t count = 0;
    bool complete = false;
};

struct Difference {
    Path ours;
    Path theirs;
    unwind::PathEnd end{};
};

unwind::ImageSet images;
std::uint64_t stack_end = 0;
std::atomic<std::size_t> samples = 0;  // these are written by the handler
std::size_t frames_compared = 0;
std::size_t partial = 0;
std::size_t gave_up = 0;
std::size_t differing = 0;
std::array<Difference, 64> differences;

void walk_ours(const ucontext_t& context, Difference& both) {
    std::array<unwind::Frame, kDepth> frames;
    const unwind::Registers start = unwind::registers_from(context);
    const auto stack = unwind::MemoryView::live(start.sp() - 128, stack_end);
    const auto result = unwind::walk(images, start, unwind::Start::kInterrupted, stack, frames);
    both.end = result.end;
    both.ours.complete = result.end == unwind::PathEnd::kComplete;
    both.ours.count = result.count;
    for (std::size_t i = 0; i < result.count; i++) {
        both.ours.lookup[i] = frames[i].address;
    }
}

void walk_theirs(ucontext_t* context, Path& path) {
    unw_cursor_t cursor;
    unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME);
    int step = 1;
    while (step > 0 && path.count < kDepth) {
        unw_word_t pc = 0;
        unw_get_reg(&cursor, UNW_REG_IP, &pc);
        if (pc == 0) {
            break;
        }
        path.lookup[path.count] = pc - (path.count == 0 ? 0 : 1);
        path.count++;
        step = unw_step(&cursor);
    }
    path.complete = step >= 0;
}

void on_signal(int, siginfo_t*, void* argument) {
    static Difference both;  // the signal is blocked here
    const int saved = errno;
    auto* context = static_cast<ucontext_t*>(argument);
    both = {};
    walk_ours(*context, both);
    walk_theirs(context, both.theirs);
    samples.fetch_add(1, std::memory_order_relaxed);
    partial += both.ours.complete ? 0 : 1;
    gave_up += both.theirs.complete ? 0 : 1;
    frames_compared += both.theirs.count;
    // Where libunwind gives up, only as far as both came: while an exception is installing the frame that catches it,
    // the tables do not hold.
    const std::size_t common = std::min(both.ours.count, both.theirs.count);
    const bool same =
        std::equal(both.theirs.lookup.begin(), both.theirs.lookup.begin() + common, both.ours.lookup.begin()) &&
        (both.ours.count == both.theirs.count || !both.theirs.complete);
    if (!same) {
        if (differing < differences.size()) {
            differences[differing] = both;
        }
        differing++;
    }
    errno = saved;
}

int compare_words(const void* a, const void* b) {
    return static_cast<const std::string*>(a)->compare(*static_cast<const std::string*>(b));
}

[[gnu::noinline]] std::size_t throws(std::size_t depth) {
    const std::string kept(depth + 20, 'k');
    if (depth == 0) {
        throw std::runtime_error("bottom");
    }
    return throws(depth - 1) + kept.size();
}

// One round of everything.
std::size_t work(std::mt19937& random) {
    std::size_t sum = 0;
    std::ostringstream out;
    std::vector<std::string> words;
    for (int i = 0; i < 200; i++) {
        out.str("");
        out << "word" << random() % 1000 << ' ' << 1.0 / (1 + i);
        words.push_back(out.str());
    }
    std::sort(words.begin(), words.end());
    std::shuffle(words.begin(), words.end(), random);
    std::qsort(words.data(), 0, sizeof(std::string), compare_words);
    std::stable_sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a > b; });
    std::map<std::string, std::size_t> ordered;
    std::unordered_map<std::string, std::size_t> hashed;
    for (const std::string& word : words) {
        ordered[word] += hashed[word]++;
    }
    static const std::regex pattern("([a-z]+)([0-9]+) (0\\.[0-9]*)");
    for (std::size_t i = 0; i < 20; i++) {
        std::smatch match;
        sum += std::regex_match(words[i], match, pattern) ? match.size() : 0;
    }
    char text[200];
    for (int i = 0; i < 50; i++) {
        std::snprintf(text, sizeof text, "%.17g %s %d %a", 1.0 / (i + 1), words[0].c_str(), i, 3.5 * i);
        sum += static_cast<std::size_t>(std::strtod(text, nullptr) * 100);
    }
    std::vector<void*> blocks;
    for (int i = 0; i < 300; i++) {
        blocks.push_back(std::malloc(random() % 5000 + 1));
    }
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (void* block : blocks) {
        std::free(block);
    }
    for (std::size_t i = 0; i < 5; i++) {
        try {
            sum += throws(i);
        } catch (const std::exception& e) {
            sum += std::string(e.what()).size();
        }
    }
    timespec now;
    for (int i = 0; i < 200; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sum += static_cast<std::size_t>(now.tv_nsec) & 1;
    }
    const std::function<std::size_t(std::size_t)> recursive = [&](std::size_t n) -> std::size_t {
        return n == 0 ? ordered.size() : recursive(n - 1) + 1;
    };
    return sum + recursive(60) + (dlsym(RTLD_DEFAULT, "qsort") != nullptr ? 1 : 0);
}

void interrupt(pthread_t worker, std::size_t wanted) {
    prctl(PR_SET_TIMERSLACK, 1);
    std::mt19937 random(7);
    while (samples.load(std::memory_order_relaxed) < wanted) {
        const timespec pause{0, static_cast<long>(20000 + random() % 150000)};
        nanosleep(&pause, nullptr);
        pthread_kill(worker, SIGURG);
    }
}

void print(const char* whose, const Path& path) {
    std::printf("  %s: %s\n", whose, path.complete ? "complete" : "gave up");
    for (std::size_t i = 0; i < std::min<std::size_t>(path.count, 20); i++) {
        Dl_info info{};
        dladdr(reinterpret_cast<void*>(path.lookup[i]), &info);
        const auto base = reinterpret_cast<std::uint64_t>(info.dli_fbase);
        std::printf("    #%-2zu %016llx %s+0x%llx %s\n", i, static_cast<unsigned long long>(path.lookup[i]),
                    info.dli_fname == nullptr ? "?" : info.dli_fname,
                    static_cast<unsigned long long>(path.lookup[i] - base),
                    info.dli_sname == nullptr ? "" : info.dli_sname);
    }
}

// While an exception installs the frame that catches it, these functions' save slots hold that frame's registers:
// beyond them nobody can be right (known_cases.cpp). True if the two part right behind one of them.
bool is_unknowable(const Difference& both) {
    std::size_t common = 0;
    while (common < std::min(both.ours.count, both.theirs.count) &&
           both.ours.lookup[common] == both.theirs.lookup[common]) {
        common++;
    }
    // The frame that will catch may be agreed on as well: it is the first of the mixture.
    const auto installs = [&](std::size_t index) {
        Dl_info info{};
        if (dladdr(reinterpret_cast<void*>(both.ours.lookup[index]), &info) == 0 || info.dli_sname == nullptr) {
            return false;
        }
        const std::string_view name = info.dli_sname;
        return name.starts_with("_Unwind_RaiseException") || name.starts_with("_Unwind_Resume") ||
               name.starts_with("_Unwind_ForcedUnwind");
    };
    return (common > 0 && installs(common - 1)) || (common > 1 && installs(common - 2));
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 6000;
    if (wanted == 0) {
        std::fprintf(stderr, "usage: sample_oracle [SAMPLES]\n");
        return 2;
    }
    unwind::ImageHooks hooks;
    hooks.describe = unwind::describe_own_image;
    if (!images.create(hooks)) {
        std::fprintf(stderr, "no memory for an image set\n");
        return 1;
    }
    unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_NONE);

    std::size_t sum = 0;
    std::thread worker([&] {
        pthread_attr_t attributes;
        void* low = nullptr;
        std::size_t size = 0;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &low, &size);
        pthread_attr_destroy(&attributes);
        stack_end = reinterpret_cast<std::uint64_t>(low) + size;
        struct sigaction action{};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigaction(SIGURG, &action, nullptr);
        std::thread interrupter(interrupt, pthread_self(), wanted);
        std::mt19937 random(1);
        while (samples.load(std::memory_order_relaxed) < wanted) {
            sum += work(random);
        }
        interrupter.join();
    });
    worker.join();

    std::printf(
        "%zu samples, %zu frames compared (%.1f a path), %zu paths differ, libunwind gave up on %zu, "
        "%zu of ours partial (sum %zu)\n",
        samples.load(), frames_compared, static_cast<double>(frames_compared) / static_cast<double>(samples.load()),
        differing, gave_up, partial, sum);
    std::size_t unexplained = differing - std::min(differing, differences.size());
    for (std::size_t i = 0; i < std::min(differing, differences.size()); i++) {
        const bool unknowable = is_unknowable(differences[i]);
        unexplained += unknowable ? 0 : 1;
        std::printf("difference %zu, our path end %d%s\n", i, static_cast<int>(differences[i].end),
                    unknowable ? ", in an exception being installed: not counted" : "");
        print("ours", differences[i].ours);
        print("libunwind", differences[i].theirs);
    }
    return unexplained == 0 && partial * 1000 <= samples.load() ? 0 : 1;
}
