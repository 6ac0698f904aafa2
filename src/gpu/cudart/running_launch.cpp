#include "gpu/cudart/running_launch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace kymo::gpu::cudart {

struct RunningLaunch::Notes {
    std::uint32_t is_running = 0;
    std::uint64_t number = 0;
    Dim3 grid;
    Dim3 cta;
    std::array<char, 256> kernel{};
    std::array<char, 256> place{};
};

namespace {

template <std::size_t N>
void put(std::array<char, N>& into, std::string_view text) {
    const std::size_t size = std::min(text.size(), N - 1);
    std::copy_n(text.data(), size, into.data());
    into[size] = '\0';
}

std::string words(const Dim3& value) {
    return "(" + std::to_string(value.x) + "," + std::to_string(value.y) + "," + std::to_string(value.z) + ")";
}

}  // namespace

// One per process, made at its first launch and kept; a fork's child makes its own. Null: it cannot be made.
RunningLaunch::Notes* RunningLaunch::notes_of(const Job& job) {
    static Notes* notes = nullptr;
    static pid_t owner = 0;
    if (owner == getpid()) {
        return notes;
    }
    owner = getpid();
    notes = nullptr;
    const auto path = job.folder() / ("running-" + std::to_string(owner));
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) {
        return nullptr;
    }
    void* memory = MAP_FAILED;
    if (ftruncate(file, sizeof(Notes)) == 0) {
        memory = mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    (void)close(file);
    if (memory != MAP_FAILED) {
        notes = new (memory) Notes;
    }
    return notes;
}

RunningLaunch::RunningLaunch(const Job& job, const std::string& kernel, std::uint64_t number, const Dim3& grid)
    : notes_(job.has_parent() ? notes_of(job) : nullptr) {
    if (notes_ == nullptr) {
        return;
    }
    notes_->number = number;
    notes_->grid = grid;
    notes_->cta = {0, 0, 0};
    put(notes_->kernel, kernel);
    put(notes_->place, "");
    notes_->is_running = 1;
}

RunningLaunch::~RunningLaunch() {
    if (notes_ != nullptr) {
        notes_->is_running = 0;
    }
}

void RunningLaunch::at(const Dim3& cta, std::string_view place) const {
    if (notes_ == nullptr) {
        return;
    }
    notes_->cta = cta;
    if (!place.empty()) {
        put(notes_->place, place);
    }
}

std::vector<std::string> RunningLaunch::left_in(const std::filesystem::path& folder) {
    std::vector<std::string> told;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (!entry.path().filename().string().starts_with("running-")) {
            continue;
        }
        Notes notes;
        std::ifstream in(entry.path(), std::ios::binary);
        in.read(reinterpret_cast<char*>(&notes), sizeof notes);
        if (in.gcount() != sizeof notes || notes.is_running == 0) {
            continue;
        }
        notes.kernel.back() = notes.place.back() = '\0';
        const std::string place = notes.place.data();
        told.push_back("launch " + std::to_string(notes.number) + ", " + notes.kernel.data() + ", had come to CTA " +
                       words(notes.cta) + " of the grid " + words(notes.grid) +
                       (place.empty() ? std::string() : ", last seen at " + place));
    }
    std::sort(told.begin(), told.end());
    return told;
}

}  // namespace kymo::gpu::cudart
