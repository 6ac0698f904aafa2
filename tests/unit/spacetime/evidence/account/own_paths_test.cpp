// Which function of a call path is the users' own: 200 paths recorded of the programs in tests/programs, of xz, gcc
// and Python, with the answer in front, each looked at.
//
// call_paths.tsv: the function, "-" for none; then the frames, outermost first, as IMAGE|FUNCTION|FILE|i (i:
// inlined).
#include "spacetime/evidence/account/paths.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace kymo::spacetime {
namespace {
namespace own_paths {

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char letter : text) {
        if (letter == at) {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    return parts;
}

struct MadePath {
    Profile profile;
    std::vector<program::Request> requests;
    program::Symbols symbols;
};

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// A node for each frame that is not inlined, with those inlined into it.
MadePath make(const std::vector<std::string>& columns) {
    MadePath made;
    made.profile.nodes.emplace_back();
    std::map<std::string, std::uint32_t> images;
    for (std::size_t i = 1; i < columns.size(); ++i) {
        const std::vector<std::string> frame = split(columns[i], '|');
        const auto [image, is_new] = images.try_emplace(frame[0], static_cast<std::uint32_t>(images.size()));
        if (is_new) {
            made.profile.images.push_back({.path = frame[0], .build_id = {}});
            made.requests.emplace_back();
            made.symbols.images.emplace_back().first.push_back(0);
            if (frame[0].starts_with("/home/") || frame[0].starts_with("/usr/bin/")) {
                ProfileProcess process;
                process.executable = frame[0];
                made.profile.processes.push_back(process);
            }
        }
        program::Function function;
        function.name = frame[1];
        function.module = file_name(frame[0]);
        function.source =
            frame[1].find("+0x") == std::string::npos ? program::NameSource::kDebugInfo : program::NameSource::kFrame;
        const auto number = static_cast<std::uint32_t>(made.symbols.functions.size());
        if (!frame[2].empty()) {
            function.file = static_cast<std::uint32_t>(made.symbols.files.size());
            made.symbols.files.push_back(frame[2]);
        }
        made.symbols.functions.push_back(function);
        const bool is_inlined = frame[3] == "i" && made.profile.nodes.size() > 1;
        program::ImageSymbols& symbols = made.symbols.images[image->second];
        if (!is_inlined) {
            const auto offset = static_cast<std::uint64_t>(0x1000 + i);
            made.profile.nodes.push_back({.parent = static_cast<std::uint32_t>(made.profile.nodes.size() - 1),
                                          .kind = NodeKind::kFrame,
                                          .image = image->second,
                                          .offset = offset});
            made.requests[image->second].offsets.push_back(ImageOffset{offset});
            symbols.first.push_back(symbols.first.back());
        }
        symbols.frames.push_back({.function = number, .file = function.file, .line = 1, .inlined = is_inlined});
        ++symbols.first.back();
    }
    return made;
}

TEST(OwnPaths, EachHasThePlaceThatAUserCouldChange) {
    std::ifstream file(KYMO_TEST_PATHS);
    ASSERT_TRUE(file) << KYMO_TEST_PATHS;
    std::size_t count = 0;
    for (std::string line; std::getline(file, line); ++count) {
        const std::vector<std::string> columns = split(line, '\t');
        const MadePath made = make(columns);
        const PathEnds paths = make_path_ends(made.profile, Names(made.requests, made.symbols));
        const PathEnd& end = paths.ends[paths.of_node.back()];
        EXPECT_EQ(end.function == 0 ? "-" : made.symbols.functions[end.function].name, columns[0]) << line;
    }
    EXPECT_GE(count, 200U);
}

// The family is the outermost call's, but taking memory is told apart from the copy of a container.
TEST(OwnPaths, HaveTheFamilyThatTheUserCalls) {
    const std::string own = "/home/user/app|fill|src/app.cpp|";
    const std::string memory = "/lib/libc.so.6|malloc||";
    const std::string move = "/lib/libc.so.6|__memmove_avx_unaligned_erms||";
    const auto family = [&](const std::string& library, const std::string& inner) {
        const MadePath made = make({"fill", own, "/home/user/app|" + library + "||i", inner});
        const PathEnds paths = make_path_ends(made.profile, Names(made.requests, made.symbols));
        return paths.ends[paths.of_node.back()].kind.family;
    };
    EXPECT_EQ(family("std::vector<long, std::allocator<long> >::assign(unsigned long, long const&)", memory),
              TaxFamily::kAllocation);
    EXPECT_EQ(family("std::vector<long, std::allocator<long> >::assign(unsigned long, long const&)", move),
              TaxFamily::kCopying);
    EXPECT_EQ(family("std::vector<long, std::allocator<long> >::vector(unsigned long, long const&)",
                     "/home/user/app|void std::fill<long*, long>(long*, long*, long const&)||i"),
              TaxFamily::kFilling);
    EXPECT_EQ(family("std::vector<long, std::allocator<long> >::erase(long*)", move), TaxFamily::kShifting);
    EXPECT_EQ(family("std::__cxx11::basic_string<char>::append(char const*)", memory), TaxFamily::kStrings);
    EXPECT_EQ(family("std::__cxx11::stod(std::string const&, unsigned long*)",
                     "/lib/libstdc++.so.6|std::__throw_invalid_argument(char const*)||"),
              TaxFamily::kExceptions);
}

// What the compiler writes for a class has the place of who copies or destroys the object.
TEST(OwnPaths, HaveThePlaceOfWhoCopiesAndDestroys) {
    const std::string own = "/home/user/app|search|src/app.cpp|";
    const auto end = [&](const std::string& member, const std::string& inner) {
        const MadePath made = make({"-", own, "/home/user/app|" + member + "|src/app.h|", inner});
        const PathEnds paths = make_path_ends(made.profile, Names(made.requests, made.symbols));
        const PathEnd& last = paths.ends[paths.of_node.back()];
        return std::pair(made.symbols.functions[last.function].name, last.kind.family);
    };
    const std::string move = "/lib/libc.so.6|__memmove_avx_unaligned_erms||";
    const std::string take = "/lib/libc.so.6|malloc||";
    const std::string give = "/lib/libc.so.6|free||";
    const std::string compute = "/home/user/app|area|src/app.cpp|";
    EXPECT_EQ(end("Board::Board(Board const&)", move), std::pair(std::string("search"), TaxFamily::kCopying));
    EXPECT_EQ(end("Board::Board(Board const&)", take), std::pair(std::string("search"), TaxFamily::kAllocation));
    EXPECT_EQ(end("Board::operator=(Board const&)", move), std::pair(std::string("search"), TaxFamily::kCopying));
    EXPECT_EQ(end("Board::~Board()", give), std::pair(std::string("search"), TaxFamily::kAllocation));
    EXPECT_EQ(end("Board::~Board()", compute), std::pair(std::string("area"), TaxFamily::kNone));
    EXPECT_EQ(end("Board::Board(int)", take), std::pair(std::string("Board::Board(int)"), TaxFamily::kAllocation));
}

// What a hash table calls for its keys is the table's time, at the function that can be changed.
TEST(OwnPaths, HaveTheHashTableThatCallsThem) {
    const auto end = [](const std::string& library, const std::string& called, const std::string& inner) {
        const MadePath made = make({"-", "/home/user/app|count|src/app.cpp|", "/home/user/app|" + library + "||i",
                                    "/home/user/app|" + called + "|src/app.h|", inner});
        const PathEnds paths = make_path_ends(made.profile, Names(made.requests, made.symbols));
        const PathEnd& last = paths.ends[paths.of_node.back()];
        return std::pair(made.symbols.functions[last.function].name, last.kind.family);
    };
    const std::string table = "std::unordered_map<Key, int, KeyHash>::operator[](Key const&)";
    const std::string hash = "KeyHash::operator()(Key const&) const";
    const std::string equal = "Key::operator==(Key const&) const";
    const std::string compare = "/lib/libc.so.6|__memcmp_evex_movbe||";
    const std::string mix = "/home/user/app|mix|src/app.h|";
    EXPECT_EQ(end(table, hash, compare), std::pair(hash, TaxFamily::kHashing));
    EXPECT_EQ(end(table, equal, compare), std::pair(equal, TaxFamily::kHashing));
    EXPECT_EQ(end(table, hash, mix), std::pair(std::string("mix"), TaxFamily::kHashing));
    EXPECT_EQ(end(table, "Value::Value(int)", mix), std::pair(std::string("mix"), TaxFamily::kNone));
    EXPECT_EQ(end("std::transform<Key*, KeyHash>(Key*, Key*, KeyHash)", hash, mix),
              std::pair(std::string("mix"), TaxFamily::kNone));
    // Comparisons are a part of sorting, but for what has a family of its own.
    const std::string sort = "std::sort<Key*, Less>(Key*, Key*, Less)";
    const std::string less = "Less::operator()(Key const&, Key const&) const";
    EXPECT_EQ(end(sort, less, mix), std::pair(std::string("count"), TaxFamily::kSorting));
    EXPECT_EQ(end(sort, less, "/lib/libc.so.6|malloc||"), std::pair(std::string("count"), TaxFamily::kAllocation));
    EXPECT_EQ(end(sort, less, "/lib/libc.so.6|snprintf||"), std::pair(std::string("count"), TaxFamily::kFormatting));
    EXPECT_EQ(end("std::nth_element<Key*, Less>(Key*, Key*, Key*, Less)", less, mix),
              std::pair(std::string("mix"), TaxFamily::kNone));
}

TEST(SpecialMembers, AreKnownByTheirNames) {
    EXPECT_EQ(special_member("a::Board<int>::Board(a::Board<int> const&)"), SpecialMember::kCopy);
    EXPECT_EQ(special_member("a::Board<b::C>::operator=(a::Board<b::C> const&)"), SpecialMember::kCopy);
    EXPECT_EQ(special_member("(anonymous namespace)::Board::Board((anonymous namespace)::Board const&)"),
              SpecialMember::kCopy);
    EXPECT_EQ(special_member("Board::~Board()"), SpecialMember::kDestructor);
    EXPECT_EQ(special_member("Board::Board(Board&&)"), SpecialMember::kNone);
    EXPECT_EQ(special_member("Board::Board(Other const&)"), SpecialMember::kNone);
    EXPECT_EQ(special_member("Board::operator==(Board const&) const"), SpecialMember::kNone);
    EXPECT_EQ(special_member("main"), SpecialMember::kNone);
    EXPECT_EQ(special_member(""), SpecialMember::kNone);
}

// Without a family: what it costs is the wait for others.
TEST(OwnPaths, SayWhereThreadsMeet) {
    const auto is_meeting = [](const std::string& library) {
        const MadePath made =
            make({"fill", "/home/user/app|fill|src/app.cpp|",
                  "/home/user/app|" + library + "|/usr/include/c++/12/barrier|i", "/lib/libc.so.6|syscall||"});
        const PathEnds paths = make_path_ends(made.profile, Names(made.requests, made.symbols));
        const PathEnd& end = paths.ends[paths.of_node.back()];
        EXPECT_EQ(end.function == 0 ? "-" : made.symbols.functions[end.function].name, "fill");
        return end.kind.is_meeting;
    };
    EXPECT_TRUE(is_meeting("std::barrier<std::__empty_completion>::arrive_and_wait()"));
    EXPECT_TRUE(is_meeting("std::latch::wait() const"));
    EXPECT_FALSE(is_meeting("std::atomic<int>::wait(int, std::memory_order) const"));
}

// Interrupts may come in the middle of a call; soft ones that the call runs itself are its own.
TEST(OwnPaths, HaveTheWayIntoTheKernel) {
    const auto entry = [](const std::vector<std::string>& functions) {
        std::vector<std::string> columns = {"fill", "/home/user/app|fill|src/app.cpp|"};
        for (const std::string& function : functions) {
            columns.push_back("[kernel.kallsyms]|" + function + "||");
        }
        const MadePath made = make(columns);
        const PathEnds paths = make_path_ends(made.profile, Names(made.requests, made.symbols));
        return paths.ends[paths.of_node.back()].kind.entry;
    };
    const std::string call = "entry_SYSCALL_64_after_hwframe";
    const std::string timer = "asm_sysvec_apic_timer_interrupt";
    EXPECT_EQ(entry({call, "do_syscall_64", "__x64_sys_read"}), KernelEntry::kCall);
    EXPECT_EQ(entry({"asm_exc_page_fault", "handle_mm_fault"}), KernelEntry::kFault);
    EXPECT_EQ(entry({call, "__x64_sys_read", "asm_exc_page_fault"}), KernelEntry::kCall);
    EXPECT_EQ(entry({timer, "sysvec_apic_timer_interrupt"}), KernelEntry::kInterrupt);
    EXPECT_EQ(entry({timer, "irq_exit_rcu", "handle_softirqs", "net_rx_action"}), KernelEntry::kSoftInterrupt);
    EXPECT_EQ(entry({call, "__x64_sys_read", timer}), KernelEntry::kInterrupt);
    EXPECT_EQ(entry({call, "__x64_sys_read", timer, "handle_softirqs"}), KernelEntry::kSoftInterrupt);
    EXPECT_EQ(entry({call, "__x64_sys_sendto", "__local_bh_enable_ip", "do_softirq", "__do_softirq"}),
              KernelEntry::kCall);
}

// The monitor's wrapper of a lock tries first, and is not on the path: the name of the try is the program's call only
// by chance. Where the same call waits once in the lock itself, that is what the program calls.
TEST(OwnPaths, HaveTheLockCallOfTheProgramOrNone) {
    const std::string own = "/home/user/app|fill|src/app.cpp|";
    const auto taxing = [&](const std::string& library, const std::string& attempt, const std::string& other) {
        MadePath made = make({"fill", own, library + "|" + attempt + "||"});
        if (!other.empty()) {
            program::Function function = made.symbols.functions.back();
            function.name = other;
            made.symbols.functions.push_back(function);
            ProfileNode node = made.profile.nodes.back();
            node.offset += 0x100;
            made.profile.nodes.push_back(node);
            made.requests[node.image].offsets.push_back(ImageOffset{node.offset});
            program::ImageSymbols& symbols = made.symbols.images[node.image];
            program::Frame frame = symbols.frames.back();
            frame.function = static_cast<std::uint32_t>(made.symbols.functions.size() - 1);
            symbols.frames.push_back(frame);
            symbols.first.push_back(symbols.first.back() + 1);
        }
        const PathEnds paths = make_path_ends(made.profile, Names(made.requests, made.symbols));
        const PathKind kind = paths.ends[paths.of_node[2]].kind;
        EXPECT_EQ(kind.family, TaxFamily::kLocking) << attempt;
        return made.symbols.functions[kind.taxing].name;
    };
    const std::string libc = "/lib/libc.so.6";
    EXPECT_EQ(taxing(libc, "pthread_mutex_unlock", ""), "pthread_mutex_unlock");
    EXPECT_EQ(taxing(libc, "___pthread_mutex_trylock", ""), "");
    EXPECT_EQ(taxing(libc, "___pthread_mutex_trylock", "pthread_mutex_lock"), "pthread_mutex_lock");
    EXPECT_EQ(taxing(libc, "pthread_rwlock_tryrdlock", "pthread_rwlock_wrlock"), "");
    EXPECT_EQ(taxing("/lib/libgomp.so.1", "omp_test_lock", "omp_set_lock"), "omp_set_lock");
    EXPECT_EQ(taxing("/lib/libgomp.so.1", "gomp_test_lock_30", ""), "");
}

// Before main and behind it there is the main thread alone. A library's own thread works, and of a path whose outer
// frames are lost it is not known where it began.
TEST(OwnPaths, AreOutsideOnlyWhereTheProgramBeginsOrEnds) {
    const std::string library = "/usr/lib/liblzma.so.5|encode||";
    const auto kind = [](const MadePath& made) {
        const PathEnds paths = make_path_ends(made.profile, Names(made.requests, made.symbols));
        return paths.ends[paths.of_node.back()].kind;
    };
    EXPECT_TRUE(kind(make({"-", "/home/user/app|_start||", library})).is_outside);
    EXPECT_TRUE(kind(make({"-", "/lib64/ld-linux-x86-64.so.2|_dl_start||", library})).is_outside);
    EXPECT_FALSE(kind(make({"-", "/lib/libc.so.6|clone3||", library})).is_outside);
    EXPECT_FALSE(kind(make({"-", "/lib/libc.so.6|libc.so.6+0x8a1b0||", library})).is_outside);

    MadePath made = make({"-", "/home/user/app|_start||", library});
    made.profile.nodes[0].kind = NodeKind::kPartial;
    EXPECT_TRUE(kind(made).is_partial);
    EXPECT_FALSE(kind(made).is_outside);
    EXPECT_TRUE(kind(made).is_known);
}

}  // namespace own_paths
}  // namespace
}  // namespace kymo::spacetime
