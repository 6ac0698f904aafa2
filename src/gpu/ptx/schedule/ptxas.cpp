#include "gpu/ptx/schedule/ptxas.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::gpu::ptx {
namespace {

// Removed with its contents.
class WorkFolder {
  public:
    WorkFolder() {
        std::error_code why;
        std::string name = (std::filesystem::temp_directory_path(why) / "kymo-ptxas-XXXXXX").string();
        if (!why && mkdtemp(name.data()) != nullptr) {
            path_ = name;
        }
    }
    ~WorkFolder() {
        std::error_code why;
        if (!path_.empty()) {
            std::filesystem::remove_all(path_, why);
        }
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

std::string whole_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Returns its exit status; its output goes into the file.
int run_to_end(const std::vector<std::string>& words, const std::filesystem::path& said) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, 1, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int error = posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        return 127;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return 127;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

Result<sass::CubinCode> code_of(const std::string& cubin, const std::string& name) {
    return sass::read_code({reinterpret_cast<const std::uint8_t*>(cubin.data()), cubin.size()}, name);
}

}  // namespace

std::filesystem::path find_ptxas() {
    std::error_code why;
    if (const char* const named = std::getenv("KYMO_PTXAS"); named != nullptr) {
        return std::filesystem::is_regular_file(named, why) ? named : std::filesystem::path();
    }
    const char* const folders = std::getenv("PATH");
    std::string left = std::string(folders != nullptr ? folders : "") + ":/usr/local/cuda/bin";
    while (!left.empty()) {
        const std::string folder = left.substr(0, left.find(':'));
        left.erase(0, folder.size() + 1);
        const auto path = std::filesystem::path(folder) / "ptxas";
        if (!folder.empty() && ::access(path.c_str(), X_OK) == 0) {
            return path;
        }
    }
    return {};
}

Result<sass::CubinCode> assemble(const std::string& ptx, unsigned capability) {
    const auto ptxas = find_ptxas();
    if (ptxas.empty()) {
        return Error{ErrorKind::kNotFound, "there is no ptxas: the schedule is estimated from the PTX",
                     "install CUDA's compiler, or name ptxas in KYMO_PTXAS"};
    }
    const WorkFolder folder;
    const auto text = folder.path() / "kernel.ptx";
    const auto cubin = folder.path() / "kernel.cubin";
    const auto said = folder.path() / "said";
    if (folder.path().empty() || !(std::ofstream(text, std::ios::binary) << ptx).flush()) {
        return Error{ErrorKind::kNoSpace, "no PTX can be written for ptxas", "check TMPDIR and the space left there"};
    }
    const int status = run_to_end(
        {ptxas.string(), fmt::format("-arch=sm_{}", capability), "-lineinfo", "-o", cubin.string(), text.string()},
        said);
    if (status != 0) {
        const std::string message = whole_file(said);
        return Error{
            ErrorKind::kUnsupported,
            fmt::format("ptxas refuses the PTX for sm_{}: {}", capability, message.substr(0, message.find('\n'))),
            "the schedule is estimated from the PTX"};
    }
    return code_of(whole_file(cubin), "what ptxas has made");
}

Result<sass::CubinCode> machine_code_in(const std::filesystem::path& cubin) {
    std::error_code why;
    if (!std::filesystem::is_regular_file(cubin, why)) {
        return Error{ErrorKind::kNotFound, cubin.string() + " is not a file",
                     "name a cubin: ptxas -lineinfo makes one"};
    }
    return code_of(whole_file(cubin), cubin.string());
}

}  // namespace kymo::gpu::ptx
