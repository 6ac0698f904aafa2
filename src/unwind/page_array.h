// A growing array directly on pages: doubling moves page tables, not bytes. For guest code while compiling a
// table.
//
// Contract: one owner; not freed by a destructor (tables outlive their makers) but by give_back(). push() returns
// false if the kernel refuses memory, and the array stays as it was. T is trivially copyable.
#pragma once

#include "image/arena.h"

#include <cstddef>
#include <type_traits>

namespace kymo::unwind {

template <typename T>
class PageArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    T& back() { return data_[size_ - 1]; }

    bool push(const T& value) {
        if (size_ == capacity_ && !grow(capacity_ == 0 ? kFirst : capacity_ * 2)) {
            return false;
        }
        data_[size_++] = value;
        return true;
    }
    bool reserve(std::size_t count) { return count <= capacity_ || grow(count); }
    void pop() { --size_; }
    void resize_down(std::size_t size) { size_ = size; }

    // Returns the pages behind the last element.
    void trim() {
        if (size_ != 0 && size_ < capacity_) {
            if (void* pages = image::resize_pages(data_, capacity_ * sizeof(T), size_ * sizeof(T));
                pages != nullptr) {
                data_ = static_cast<T*>(pages);
                capacity_ = size_;
            }
        }
    }
    void give_back() {
        if (data_ != nullptr) {
            image::unmap_pages(data_, capacity_ * sizeof(T));
        }
        *this = PageArray{};
    }

  private:
    static constexpr std::size_t kFirst = sizeof(T) < 4096 ? 4096 / sizeof(T) : 1;

    bool grow(std::size_t capacity) {
        void* pages = data_ == nullptr ? image::map_pages(capacity * sizeof(T))
                                       : image::resize_pages(data_, capacity_ * sizeof(T), capacity * sizeof(T));
        if (pages == nullptr) {
            return false;
        }
        data_ = static_cast<T*>(pages);
        capacity_ = capacity;
        return true;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace kymo::unwind
