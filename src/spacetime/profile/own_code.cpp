#include "spacetime/profile/own_code.h"

#include "recording/tables/interpreted.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>

namespace kymo::spacetime {
namespace {

using Text = std::string_view;

// Beginnings of file names. "libc.so", not "libc": libcrypto is another.
constexpr std::array kModules = {
    Text("libc.so"),     Text("libc-"),       Text("libpthread"),  Text("libstdc++.so"), Text("libc++.so"),
    Text("libc++abi"),   Text("libm.so"),     Text("libmvec"),     Text("libgcc_s"),     Text("librt.so"),
    Text("libdl.so"),    Text("ld-linux"),    Text("ld-musl"),     Text("libgomp"),      Text("libomp"),
    Text("libiomp5"),    Text("libtbb"),      Text("libatomic"),   Text("libgfortran"),  Text("libquadmath"),
    Text("libkymo-"),    Text("[vdso]"),      Text("libasan"),     Text("libtsan"),      Text("libubsan"),
    Text("libjemalloc"), Text("libtcmalloc"), Text("libmimalloc"), Text("libcudart"),    Text("libcuda.so"),
};
constexpr std::array kMessageModules = {
    Text("libmpi"),    Text("libopen-pal"), Text("libopen-rte"), Text("libpmix"),       Text("libprrte"),
    Text("libevent"),  Text("libhwloc"),    Text("libucp."),     Text("libuct."),       Text("libucs."),
    Text("libfabric"), Text("libpsm"),      Text("mca_"),        Text("libinfinipath"), Text("libibverbs"),
    Text("librdmacm"), Text("libnl-")};
constexpr std::array kInterpreters = {Text("libjvm"), Text("libruby"), Text("libperl"), Text("perl"),
                                      Text("ruby"),   Text("node"),    Text("luajit")};

// Parts of a source's path. What CPython's library has in Python is with its interpreter, or frozen into it.
constexpr std::array kSources = {Text("/lib/python3"),  Text("/site-packages/"), Text("/dist-packages/"),
                                 Text("<frozen "),      Text("/usr/include/"),   Text("/usr/lib/"),
                                 Text("/include/c++/"), Text("/rustc/"),         Text("libstdc++-v3/"),
                                 Text("/libgcc/"),      Text("/glibc")};

// Beginnings of functions' names: run-time code that was linked, or instantiated, into the program.
constexpr std::array kFunctions = {
    Text("std::"),
    Text("operator new"),
    Text("operator delete"),
    Text("core::"),
    Text("alloc::"),
    Text("fmt::v"),
    Text("boost::detail"),
    Text("GOMP_"),
    Text("gomp_"),
    Text("pthread_"),
    Text("_IO_"),
    Text("_Unwind_"),
    Text("_dl_"),
    Text("_GLOBAL__sub_I_"),
    Text("_int_"),
};
constexpr std::array kWholeFunctions = {
    Text("_start"),
    Text("_init"),
    Text("_fini"),
    Text("frame_dummy"),
    Text("deregister_tm_clones"),
    Text("register_tm_clones"),
    Text("start_thread"),
    // The C library's, linked into a program.
    Text("accept"),
    Text("accept4"),
    Text("calloc"),
    Text("clock_nanosleep"),
    Text("clone"),
    Text("clone3"),
    Text("connect"),
    Text("epoll_pwait"),
    Text("epoll_wait"),
    Text("fdatasync"),
    Text("fread"),
    Text("free"),
    Text("fsync"),
    Text("fwrite"),
    Text("malloc"),
    Text("malloc_consolidate"),
    Text("memchr"),
    Text("memcmp"),
    Text("memcpy"),
    Text("memmove"),
    Text("memset"),
    Text("nanosleep"),
    Text("poll"),
    Text("ppoll"),
    Text("pread64"),
    Text("pwrite64"),
    Text("read"),
    Text("readv"),
    Text("realloc"),
    Text("recv"),
    Text("recvfrom"),
    Text("recvmsg"),
    Text("select"),
    Text("sem_clockwait"),
    Text("sem_timedwait"),
    Text("sem_wait"),
    Text("send"),
    Text("sendmsg"),
    Text("sendto"),
    Text("sleep"),
    Text("strlen"),
    Text("syscall"),
    Text("sysmalloc"),
    Text("unlink_chunk"),
    Text("usleep"),
    Text("wait4"),
    Text("waitid"),
    Text("waitpid"),
    Text("write"),
    Text("writev"),
};

constexpr std::array kSystemFolders = {Text("/lib"), Text("/usr/"), Text("/bin/"), Text("/sbin/"), Text("/opt/")};
constexpr std::array kPackageFolders = {Text("/site-packages/"), Text("/dist-packages/"), Text("/lib-dynload/"),
                                        Text("/libpython"), Text("/libkymo-")};

template <std::size_t N>
bool begins_with_any(Text text, const std::array<Text, N>& beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(), [&](Text begin) { return text.starts_with(begin); });
}

template <std::size_t N>
bool contains_any(Text text, const std::array<Text, N>& parts) {
    return std::any_of(parts.begin(), parts.end(), [&](Text part) { return text.find(part) != Text::npos; });
}

std::string file_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

// As functions name their modules.
std::set<std::string> own_modules(const Profile& profile) {
    std::set<std::string> executables;
    for (const ProfileProcess& process : profile.processes) {
        executables.insert(process.executable);
    }
    const bool has_own = std::any_of(executables.begin(), executables.end(), [](const std::string& path) {
        return !path.empty() && !begins_with_any(path, kSystemFolders);
    });
    std::set<std::string> modules;
    for (const ImageInfo& image : profile.images) {
        if (image.path == recording::kPythonPath) {
            modules.insert(image.path);
            continue;
        }
        const bool is_executable = executables.contains(image.path);
        const bool is_own = begins_with_any(image.path, kSystemFolders)
                                ? is_executable && !has_own
                                : is_executable || !contains_any(image.path, kPackageFolders);
        if (is_own && !image.path.starts_with('[')) {
            modules.insert(file_name(image.path));
        }
    }
    return modules;
}

// Modules of CPython's library that are written in C; libraries name theirs so as well:
// "_multiarray_umath.cpython-311-…".
bool is_python_library(std::string_view module) {
    constexpr std::array kNames = {Text("array"),   Text("audioop"),  Text("binascii"),    Text("cmath"),
                                   Text("fcntl"),   Text("grp"),      Text("math"),        Text("mmap"),
                                   Text("pyexpat"), Text("readline"), Text("resource"),    Text("select"),
                                   Text("syslog"),  Text("termios"),  Text("unicodedata"), Text("zlib")};
    const std::size_t end = module.find(".cpython-");
    return end != Text::npos && (module.starts_with('_') ||
                                 std::find(kNames.begin(), kNames.end(), module.substr(0, end)) != kNames.end());
}

}  // namespace

std::string_view qualified_name(std::string_view function) {
    // Up to the parameters: the first '(' outside of template arguments that does not begin "(anonymous namespace)"
    // or belong to "operator()".
    std::size_t depth = 0;
    std::size_t begin = 0;
    std::size_t at = 0;
    for (; at < function.size(); ++at) {
        const std::string_view rest = function.substr(at);
        if (rest.starts_with("(anonymous namespace)")) {
            at += std::string_view("(anonymous namespace)").size() - 1;
        } else if (rest.starts_with("operator") && (at == 0 || function[at - 1] == ':' || function[at - 1] == ' ')) {
            at += std::string_view("operator").size();
            // Its sign, which may be brackets, and its name, which may be a type.
            at += function.substr(at).starts_with("()") ? 2 : 0;
            while (at < function.size() && function[at] != '(') {
                ++at;
            }
            break;
        } else if (function[at] == '<') {
            ++depth;
        } else if (function[at] == '>' && depth > 0) {
            --depth;
        } else if (function[at] == '{') {  // "{lambda(int)#1}"
            while (at < function.size() && function[at] != '}') {
                ++at;
            }
        } else if (depth == 0 && function[at] == '(') {
            break;
        } else if (depth == 0 && function[at] == ' ' && !rest.starts_with(" [clone")) {
            begin = at + 1;
        }
    }
    return function.substr(begin, std::min(at, function.size()) - begin);
}

bool is_message_library(std::string_view module) {
    return begins_with_any(module, kMessageModules);
}

bool is_python(std::string_view module) {
    constexpr Text kLibrary = "lib";
    constexpr Text kName = "python";
    if (module.starts_with(kLibrary)) {
        module.remove_prefix(kLibrary.size());
    }
    return module.starts_with(kName) &&
           (module.size() == kName.size() || std::isdigit(static_cast<unsigned char>(module[kName.size()])) != 0);
}

bool is_interpreter(std::string_view module) {
    return is_python(module) || begins_with_any(module, kInterpreters);
}

bool is_runtime(std::string_view module, std::string_view function, std::string_view file) {
    // The compiler's own, with the source of the variable that they make: is a thread's copy of it there yet?
    if (function == "__tls_init" || function.starts_with("TLS ") || begins_with_any(module, kModules) ||
        is_message_library(module) || is_python(module) || is_python_library(module) ||
        contains_any(file, kSources) || function.ends_with("@plt")) {
        return true;
    }
    // A function's source decides where it is known: users may specialise std::hash.
    if (!file.empty()) {
        return false;
    }
    const Text name = qualified_name(function);
    // C and C++ keep names that begin so to themselves; gfortran's modules have them, too.
    const bool is_reserved = name.starts_with("__") && name.find("_MOD_") == Text::npos;
    return is_reserved || begins_with_any(name, kFunctions) ||
           std::find(kWholeFunctions.begin(), kWholeFunctions.end(), name) != kWholeFunctions.end();
}

bool is_runtime(const program::Function& function, std::string_view file) {
    return is_runtime(function.module, function.name, file);
}

std::vector<bool> own_functions(const Profile& profile, const program::Symbols& symbols) {
    const std::set<std::string> modules = own_modules(profile);
    std::vector<bool> is_own;
    is_own.reserve(symbols.functions.size());
    for (const program::Function& function : symbols.functions) {
        is_own.push_back(modules.contains(function.module) && function.source != program::NameSource::kPlt &&
                         !is_runtime(function, symbols.files[function.file]));
    }
    return is_own;
}

}  // namespace kymo::spacetime
