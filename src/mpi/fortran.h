// What the Fortran wrappers need: Fortran's special addresses, and C versions of its statuses and arrays of
// handles.
#pragma once

#include "mpi/generated.h"

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <sys/mman.h>

namespace kymo::mpi {

inline constexpr std::size_t kFortranStatus = sizeof(MPI_Status) / sizeof(MPI_Fint);
struct FortranStatus {
    MPI_Fint words[kFortranStatus];
};

bool is_fortran_status_ignored(const void* address);
bool is_fortran_statuses_ignored(const void* address);
bool is_fortran_in_place(const void* address);

// An array for the length of a call: on the stack, or mapped if it is large. No memory: empty.
template <typename Element>
class Copies {
  public:
    explicit Copies(int size) : size_(size < 0 ? 0 : size) {
        if (size_ > kOnStack) {
            void* at = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            data_ = at == MAP_FAILED ? nullptr : static_cast<Element*>(at);
            size_ = data_ == nullptr ? 0 : size_;
        }
    }
    Copies(int size, const Element* from) : Copies(size) {
        for (int i = 0; i < size_; ++i) {
            data()[i] = from[i];
        }
    }
    template <typename From, typename Convert>
    Copies(int size, const From* from, const Convert& convert) : Copies(size) {
        for (int i = 0; i < size_; ++i) {
            data()[i] = convert(from[i]);
        }
    }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;
    ~Copies() {
        if (data_ != nullptr) {
            munmap(data_, bytes());
        }
    }
    [[nodiscard]] int size() const { return size_; }
    Element* data() { return data_ != nullptr ? data_ : stack_; }
    const Element& operator[](int i) const { return data_ != nullptr ? data_[i] : stack_[i]; }

  private:
    static constexpr int kOnStack = 32;
    [[nodiscard]] std::size_t bytes() const { return sizeof(Element) * static_cast<std::size_t>(size_); }
    int size_;
    Element* data_ = nullptr;
    Element stack_[kOnStack];
};

inline MPI_Request to_request(MPI_Fint handle) {
    return real_calls.Request_f2c(handle);
}
inline MPI_Datatype to_type(MPI_Fint handle) {
    return real_calls.Type_f2c(handle);
}

// Of an array of Fortran's statuses. An empty one if they were ignored and there was no memory for others.
MPI_Status status_at(const void* statuses, int i);

}  // namespace kymo::mpi
