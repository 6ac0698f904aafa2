// Values as bytes, from one process to another of the same program on the same kind of machine: no format of its own,
// and never in a file.
//
// Numbers, enumerations and other values that may be copied byte by byte; strings, the containers below, and structs
// whose members are known (team/members.h). Bytes that cannot be what was packed end the unpacking: ok() is false.
#pragma once

#include "base/result.h"
#include "team/members.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kymo {
KYMO_MEMBERS(Error, kind, what, next, others)
}  // namespace kymo

namespace kymo::team {

namespace detail {

template <typename T>
concept HasMembers = requires(T& value) { visit_members(value, [](auto&...) {}); };
template <typename T>
concept HasOwnMembers = requires(T& value) { value.members([](auto&...) {}); };
template <typename T>
concept IsBytes = std::is_trivially_copyable_v<T> && !HasMembers<T> && !HasOwnMembers<T>;

template <typename T>
concept IsSequence = requires(T& value) { value.resize(std::size_t{}); };
template <typename T>
concept IsMap = requires { typename T::mapped_type; };
template <typename T>
concept IsSet = requires { typename T::key_type; } && !IsMap<T>;
template <typename T>
inline constexpr bool kIsPair = false;
template <typename A, typename B>
inline constexpr bool kIsPair<std::pair<A, B>> = true;
template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsResult = false;
template <typename T>
inline constexpr bool kIsResult<Result<T>> = true;
template <typename T>
inline constexpr bool kIsArray = false;
template <typename T, std::size_t n>
inline constexpr bool kIsArray<std::array<T, n>> = true;

}  // namespace detail

class Packer {
  public:
    template <typename T>
    void add(const T& value) {
        if constexpr (detail::IsBytes<T>) {
            copy(&value, sizeof(T));
        } else if constexpr (detail::HasMembers<T>) {
            visit_members(const_cast<T&>(value), [this](auto&... member) { (this->add(member), ...); });
        } else if constexpr (detail::HasOwnMembers<T>) {
            const_cast<T&>(value).members([this](auto&... member) { (this->add(member), ...); });
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
            add(value.size());
            for (const bool bit : value) {
                add(bit);
            }
        } else if constexpr (detail::IsSequence<T>) {
            add(value.size());
            if constexpr (detail::IsBytes<typename T::value_type>) {
                copy(value.data(), value.size() * sizeof(typename T::value_type));
            } else {
                for (const auto& each : value) {
                    add(each);
                }
            }
        } else if constexpr (detail::IsMap<T> || detail::IsSet<T>) {
            add(value.size());
            for (const auto& each : value) {
                add(each);
            }
        } else if constexpr (detail::kIsPair<T>) {
            add(value.first);
            add(value.second);
        } else if constexpr (detail::kIsOptional<T>) {
            add(value.has_value());
            if (value) {
                add(*value);
            }
        } else if constexpr (detail::kIsResult<T>) {
            add(value.ok());
            if (value) {
                add(*value);
            } else {
                add(value.error());
            }
        } else {
            static_assert(detail::kIsArray<T>, "its members are not known: KYMO_MEMBERS");
            for (const auto& each : value) {
                add(each);
            }
        }
    }
    std::vector<std::uint8_t> take() { return std::move(bytes_); }

  private:
    void copy(const void* from, std::size_t bytes) {
        const auto* const begin = static_cast<const std::uint8_t*>(from);
        bytes_.insert(bytes_.end(), begin, begin + bytes);
    }

    std::vector<std::uint8_t> bytes_;
};

class Unpacker {
  public:
    explicit Unpacker(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    bool ok() const { return is_ok_; }

    template <typename T>
    T next() {
        if constexpr (detail::kIsResult<T>) {
            if (next<bool>()) {
                return next<std::remove_cvref_t<decltype(std::declval<T>().value())>>();
            }
            return next<Error>();
        } else {
            T value = T();
            read(value);
            return value;
        }
    }
    template <typename T>
    void read(T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            value = next<std::uint8_t>() != 0;  // whatever the byte is
        } else if constexpr (detail::IsBytes<T>) {
            copy(&value, sizeof(T));
        } else if constexpr (detail::HasMembers<T>) {
            visit_members(value, [this](auto&... member) { (this->read(member), ...); });
        } else if constexpr (detail::HasOwnMembers<T>) {
            value.members([this](auto&... member) { (this->read(member), ...); });
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
            value.resize(count(1));
            for (std::size_t i = 0; i < value.size(); ++i) {
                value[i] = next<bool>();
            }
        } else if constexpr (detail::IsSequence<T>) {
            using Value = typename T::value_type;
            if constexpr (detail::IsBytes<Value>) {
                value.resize(count(sizeof(Value)));
                copy(value.data(), value.size() * sizeof(Value));
            } else {
                value.clear();
                for (std::size_t left = count(1); left > 0 && is_ok_; --left) {
                    value.push_back(next<Value>());
                }
            }
        } else if constexpr (detail::IsMap<T>) {
            value.clear();
            for (std::size_t left = count(1); left > 0 && is_ok_; --left) {
                auto key = next<typename T::key_type>();
                read(value[std::move(key)]);
            }
        } else if constexpr (detail::IsSet<T>) {
            value.clear();
            for (std::size_t left = count(1); left > 0 && is_ok_; --left) {
                value.insert(next<typename T::key_type>());
            }
        } else if constexpr (detail::kIsPair<T>) {
            read(const_cast<std::remove_const_t<typename T::first_type>&>(value.first));
            read(value.second);
        } else if constexpr (detail::kIsOptional<T>) {
            value.reset();
            if (next<bool>()) {
                value = next<typename T::value_type>();
            }
        } else {
            static_assert(detail::kIsArray<T>, "its members are not known: KYMO_MEMBERS");
            for (auto& each : value) {
                read(each);
            }
        }
    }

  private:
    // Of elements of at least so many bytes each.
    std::size_t count(std::size_t each) {
        const auto number = next<std::size_t>();
        is_ok_ = is_ok_ && number <= bytes_.size() / each;
        return is_ok_ ? number : 0;
    }
    void copy(void* to, std::size_t bytes) {
        is_ok_ = is_ok_ && bytes <= bytes_.size();
        if (is_ok_ && bytes != 0) {
            std::memcpy(to, bytes_.data(), bytes);
            bytes_ = bytes_.subspan(bytes);
        }
    }

    std::span<const std::uint8_t> bytes_;
    bool is_ok_ = true;
};

}  // namespace kymo::team
