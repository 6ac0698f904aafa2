#include "traced_process.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <gelf.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::oracle {

namespace {

constexpr long kOptions = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE;

Error failure(const std::string& what) {
    const ErrorKind kind = errno == EPERM || errno == EACCES ? ErrorKind::kPermission : ErrorKind::kInternal;
    return Error{kind, what + ": " + std::strerror(errno), "check that this container or user may use ptrace"};
}

bool is_event(int status, int event) {
    return status >> 8 == (SIGTRAP | (event << 8));
}

std::uint64_t auxiliary_value(pid_t process, std::uint64_t type) {
    std::ifstream file("/proc/" + std::to_string(process) + "/auxv", std::ios::binary);
    Elf64_auxv_t entry{};
    while (file.read(reinterpret_cast<char*>(&entry), sizeof entry)) {
        if (entry.a_type == type) {
            return entry.a_un.a_val;
        }
    }
    return 0;
}

bool is_caught(pid_t thread, int signal) {
    std::ifstream file("/proc/" + std::to_string(thread) + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("SigCgt:")) {
            return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
        }
    }
    return false;
}

// The symbol's value and the file's entry point.
bool find_symbol(const std::string& program, const std::string& name, std::uint64_t& value, std::uint64_t& entry) {
    elf_version(EV_CURRENT);
    const int fd = open(program.c_str(), O_RDONLY | O_CLOEXEC);
    Elf* elf = fd < 0 ? nullptr : elf_begin(fd, ELF_C_READ_MMAP, nullptr);
    bool found = false;
    GElf_Ehdr header;
    if (elf != nullptr && gelf_getehdr(elf, &header) != nullptr) {
        entry = header.e_entry;
        for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn)) != nullptr && !found;) {
            GElf_Shdr section;
            if (gelf_getshdr(scn, &section) == nullptr || section.sh_type != SHT_SYMTAB) {
                continue;
            }
            Elf_Data* data = elf_getdata(scn, nullptr);
            GElf_Sym symbol;
            for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; i++) {
                const char* text = elf_strptr(elf, section.sh_link, symbol.st_name);
                if (text != nullptr && name == text && symbol.st_shndx != SHN_UNDEF) {
                    value = symbol.st_value;
                    found = true;
                    break;
                }
            }
        }
    }
    elf_end(elf);
    if (fd >= 0) {
        close(fd);
    }
    return found;
}

}  // namespace

Result<std::unique_ptr<TracedProcess>> TracedProcess::start(const std::vector<std::string>& arguments) {
    std::vector<char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) {
        return failure("cannot fork");
    }
    if (child == 0) {
        if (const int null = open("/dev/null", O_WRONLY); null >= 0) {
            dup2(null, STDOUT_FILENO);
        }
        personality(static_cast<unsigned long>(personality(0xffffffff)) ^ ADDR_NO_RANDOMIZE);
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
            _exit(126);
        }
        execv(argv[0], argv.data());
        _exit(127);
    }
    std::unique_ptr<TracedProcess> traced(new TracedProcess);
    traced->program_ = arguments[0];
    traced->process_ = traced->thread_ = child;
    int status = 0;
    if (waitpid(child, &status, __WALL) != child) {
        return failure("cannot wait for the program");
    }
    if (WIFEXITED(status)) {
        errno = WEXITSTATUS(status) == 126 ? EPERM : ENOENT;
        return failure(errno == EPERM ? "ptrace is not permitted" : "cannot execute " + arguments[0]);
    }
    traced->alive_ = WIFSTOPPED(status);
    if (ptrace(PTRACE_SETOPTIONS, child, nullptr, kOptions) != 0) {
        return failure("ptrace is not permitted");
    }
    return traced;
}

TracedProcess::~TracedProcess() {
    if (alive_) {
        kill(process_, SIGKILL);
        while (waitpid(-1, nullptr, __WALL) > 0) {
        }
    }
}

Result<std::uint64_t> TracedProcess::address_of(const std::string& symbol) const {
    std::uint64_t value = 0;
    std::uint64_t entry = 0;
    if (!find_symbol(program_, symbol, value, entry)) {
        return Error{ErrorKind::kNotFound, program_ + " has no symbol " + symbol, "name a function of the program"};
    }
    return value + (auxiliary_value(process_, AT_ENTRY) - entry);
}

Result<void> TracedProcess::run_to(std::uint64_t address) {
    errno = 0;
    const long original = ptrace(PTRACE_PEEKTEXT, process_, address, nullptr);
    if (errno != 0) {
        return failure("cannot read the program's text");
    }
    if (ptrace(PTRACE_POKETEXT, process_, address, (original & ~0xffL) | 0xcc) != 0) {
        return failure("cannot set a breakpoint");
    }
    ptrace(PTRACE_CONT, thread_, nullptr, nullptr);
    for (int status = 0;;) {
        const pid_t stopped = waitpid(-1, &status, __WALL);
        if (stopped < 0 || (stopped == process_ && (WIFEXITED(status) || WIFSIGNALED(status)))) {
            alive_ = false;
            return Error{ErrorKind::kNotFound, program_ + " ended before reaching the function", ""};
        }
        if (WIFSTOPPED(status) && status >> 8 == SIGTRAP) {
            thread_ = stopped;
            if (fetch_registers() && registers_.pc() == address + 1) {
                break;
            }
        }
        resume_other(stopped, status);
    }
    ptrace(PTRACE_POKETEXT, thread_, address, original);
    user_regs_struct raw{};
    ptrace(PTRACE_GETREGS, thread_, nullptr, &raw);
    raw.rip = address;
    ptrace(PTRACE_SETREGS, thread_, nullptr, &raw);
    fetch_registers();
    return {};
}

Step TracedProcess::step() {
    bool entering = false;  // the next trap is a handler's first instruction
    long request_ok = ptrace(PTRACE_SINGLESTEP, thread_, nullptr, nullptr);
    while (request_ok == 0) {
        int status = 0;
        const pid_t stopped = waitpid(-1, &status, __WALL);
        if (stopped < 0) {
            alive_ = false;
            return Step::kEnded;
        }
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            alive_ = alive_ && stopped != process_;
            if (stopped == process_ || stopped == thread_) {
                return Step::kEnded;
            }
        } else if (stopped != thread_) {
            resume_other(stopped, status);
        } else if (is_event(status, PTRACE_EVENT_CLONE)) {
            const pid_t child = await_new_thread(thread_);
            ptrace(PTRACE_CONT, follow_ ? thread_ : child, nullptr, nullptr);
            if (follow_) {
                thread_ = child;
                return fetch_registers() ? Step::kNewThread : Step::kEnded;
            }
            request_ok = ptrace(PTRACE_SINGLESTEP, thread_, nullptr, nullptr);
        } else if (WSTOPSIG(status) != SIGTRAP) {  // nothing was executed yet
            entering = is_caught(thread_, WSTOPSIG(status));
            request_ok = ptrace(PTRACE_SINGLESTEP, thread_, nullptr, WSTOPSIG(status));
        } else {
            return !fetch_registers() ? Step::kEnded : entering ? Step::kSignal : Step::kInstruction;
        }
    }
    return Step::kEnded;
}

bool TracedProcess::fetch_registers() {
    user_regs_struct raw{};
    if (ptrace(PTRACE_GETREGS, thread_, nullptr, &raw) != 0) {
        return false;
    }
    registers_.dwarf = {raw.rax, raw.rdx, raw.rcx, raw.rbx, raw.rsi, raw.rdi, raw.rbp, raw.rsp, raw.r8,
                        raw.r9,  raw.r10, raw.r11, raw.r12, raw.r13, raw.r14, raw.r15, raw.rip};
    return true;
}

// The thread whose creation `creator` reports, once it has stopped for the first time.
pid_t TracedProcess::await_new_thread(pid_t creator) {
    unsigned long made = 0;
    ptrace(PTRACE_GETEVENTMSG, creator, nullptr, &made);
    const pid_t child = static_cast<pid_t>(made);
    int status = 0;
    if (stopped_.erase(child) == 0) {
        waitpid(child, &status, __WALL);
    }
    return child;
}

void TracedProcess::resume_other(pid_t thread, int status) {
    if (!WIFSTOPPED(status)) {
        return;
    }
    known_.insert(process_);
    if (is_event(status, PTRACE_EVENT_CLONE)) {
        const pid_t child = await_new_thread(thread);
        known_.insert(child);
        ptrace(PTRACE_CONT, child, nullptr, nullptr);
        ptrace(PTRACE_CONT, thread, nullptr, nullptr);
        return;
    }
    const int signal = WSTOPSIG(status);
    if (signal == SIGSTOP && !known_.contains(thread)) {  // its first stop overtook its creator's report
        stopped_.insert(thread);
        return;
    }
    ptrace(PTRACE_CONT, thread, nullptr, signal == SIGTRAP ? 0 : signal);
}

}  // namespace kymo::oracle
