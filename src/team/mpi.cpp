#include "team/mpi.h"

#include "base/job_rank.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <initializer_list>
#include <string>

namespace kymo::team {
namespace {

// Both families have the functions of the MPI standard, and differ in what a handle is and where the constants are:
// Open MPI has pointers to objects of its library, MPICH numbers (mpi.h of MPICH 3 and later, whose binary interface
// is agreed on: wiki.mpich.org/mpich/index.php/ABI_Compatibility_Initiative).
struct OpenMpi {
    using Handle = void*;
    static constexpr const char* kWorld = "ompi_mpi_comm_world";
    static constexpr const char* kByte = "ompi_mpi_byte";
    static Handle handle(void* library, const char* name) { return ::dlsym(library, name); }
    static Handle world(void* library) { return handle(library, kWorld); }
    static Handle byte(void* library) { return handle(library, kByte); }
    static void* ignored_status() { return nullptr; }
};

struct Mpich {
    using Handle = int;
    static Handle world(void* /*library*/) { return 0x44000000; }
    static Handle byte(void* /*library*/) { return 0x4c00010d; }
    static void* ignored_status() { return reinterpret_cast<void*>(1); }
};

constexpr int kTag = 52;
constexpr std::size_t kLargest = std::size_t{1} << 30U;  // bytes of one message: counts are ints
constexpr int kThreadFunneled = 1;                       // MPI_THREAD_FUNNELED, in both

Error failed(const char* function) {
    return {ErrorKind::kNotRunnable, std::string(function) + " of the MPI library failed",
            "run without mpirun: one process analyses the recording with all its processors"};
}

template <typename Kind>
class MpiTeam final : public Team {
  public:
    using Handle = typename Kind::Handle;

    static Result<std::unique_ptr<Team>> join(void* library) {
        auto team = std::make_unique<MpiTeam>();
        if (!team->find(library)) {
            return Error{ErrorKind::kNotRunnable, "the MPI library lacks functions of the MPI standard", ""};
        }
        int provided = 0;
        if (team->init_(nullptr, nullptr, kThreadFunneled, &provided) != 0) {
            return failed("MPI_Init_thread");
        }
        team->is_begun_ = true;
        if (team->comm_rank_(team->world_, &team->rank_) != 0 || team->comm_size_(team->world_, &team->size_) != 0) {
            return failed("MPI_Comm_rank");
        }
        return std::unique_ptr<Team>(std::move(team));
    }

    MpiTeam() = default;
    ~MpiTeam() override {
        if (is_begun_) {
            finalize_();
        }
    }

    std::uint32_t rank() const override { return static_cast<std::uint32_t>(rank_); }
    std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }

    void send(std::uint32_t to, std::span<const std::uint8_t> bytes) override {
        std::uint64_t size = bytes.size();
        send_(&size, sizeof(size), byte_, static_cast<int>(to), kTag, world_);
        for (std::size_t at = 0; at < bytes.size(); at += kLargest) {
            const std::size_t part = std::min(kLargest, bytes.size() - at);
            send_(bytes.data() + at, static_cast<int>(part), byte_, static_cast<int>(to), kTag, world_);
        }
    }
    std::vector<std::uint8_t> receive(std::uint32_t from) override {
        std::uint64_t size = 0;
        receive_(&size, sizeof(size), byte_, static_cast<int>(from), kTag, world_, Kind::ignored_status());
        std::vector<std::uint8_t> bytes(size);
        for (std::size_t at = 0; at < bytes.size(); at += kLargest) {
            const std::size_t part = std::min(kLargest, bytes.size() - at);
            receive_(bytes.data() + at, static_cast<int>(part), byte_, static_cast<int>(from), kTag, world_,
                     Kind::ignored_status());
        }
        return bytes;
    }

  private:
    bool find(void* library) {
        const auto one = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
            return function != nullptr;
        };
        world_ = Kind::world(library);
        byte_ = Kind::byte(library);
        return one(init_, "MPI_Init_thread") && one(comm_rank_, "MPI_Comm_rank") &&
               one(comm_size_, "MPI_Comm_size") && one(send_, "MPI_Send") && one(receive_, "MPI_Recv") &&
               one(finalize_, "MPI_Finalize");
    }

    int (*init_)(int*, char***, int, int*) = nullptr;
    int (*comm_rank_)(Handle, int*) = nullptr;
    int (*comm_size_)(Handle, int*) = nullptr;
    int (*send_)(const void*, int, Handle, int, int, Handle) = nullptr;
    int (*receive_)(void*, int, Handle, int, int, Handle, void*) = nullptr;
    int (*finalize_)() = nullptr;
    Handle world_{};
    Handle byte_{};
    int rank_ = 0;
    int size_ = 1;
    bool is_begun_ = false;
};

// The library of the job's starter first. Open MPI's parts look for one another among the global symbols.
void* load(bool is_open_mpi) {
    const std::initializer_list<const char*> open_mpi = {"libmpi.so.40", "libmpi.so.80", "libmpi.so.20"};
    const std::initializer_list<const char*> mpich = {"libmpi.so.12", "libmpich.so.12"};
    for (const auto& names : is_open_mpi ? std::array{open_mpi, mpich} : std::array{mpich, open_mpi}) {
        for (const char* const name : names) {
            if (void* const library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL)) {
                return library;
            }
        }
    }
    return ::dlopen("libmpi.so", RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

Result<std::unique_ptr<Team>> join_mpi_job() {
    const JobRank job = find_job_rank([](const char* name) { return std::getenv(name); });
    if (!job.known || job.size <= 1) {
        return std::unique_ptr<Team>();
    }
    void* const library = load(std::getenv("OMPI_COMM_WORLD_RANK") != nullptr);
    if (library == nullptr) {
        return Error{
            ErrorKind::kNotRunnable,
            "this is process " + std::to_string(job.rank) + " of " + std::to_string(job.size) +
                " of a parallel job, and no MPI library can be loaded (libmpi.so.40, libmpi.so.12)",
            "set LD_LIBRARY_PATH to its directory, or run without mpirun: one process analyses the recording "
            "with all its processors"};
    }
    auto team = ::dlsym(library, OpenMpi::kWorld) != nullptr ? MpiTeam<OpenMpi>::join(library)
                                                             : MpiTeam<Mpich>::join(library);
    if (team && (*team)->size() != job.size) {
        return Error{ErrorKind::kNotRunnable,
                     "the job's starter says that it has " + std::to_string(job.size) +
                         " processes, and the MPI library that was found that it has " +
                         std::to_string((*team)->size()),
                     "set LD_LIBRARY_PATH to the directory of the MPI library that mpirun belongs to"};
    }
    return team;
}

}  // namespace kymo::team
