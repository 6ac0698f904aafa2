// Processes that analyse one recording together. Each runs the same program on the same recording, does its share of
// the work, and gets the results of the others where it needs them.
//
//     const std::unique_ptr<Team> team = …;            // null: alone
//     const Share own = share_of(team.get());
//     T sums = work(own.rank, own.size);
//     reduce(team.get(), sums, [](T& to, T&& more) { … });  // process 0 has the sums of all
//
// All of them must come to the same calls in the same order. Those of one call are of one type, and made by the same
// binary.
#pragma once

#include "base/result.h"
#include "team/pack.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace kymo::team {

class Team {
  public:
    Team() = default;
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    virtual ~Team() = default;

    virtual std::uint32_t rank() const = 0;
    virtual std::uint32_t size() const = 0;  // at least 1
    // Both return when it is done. If the other one is gone, so is this one: MPI ends the whole job.
    virtual void send(std::uint32_t to, std::span<const std::uint8_t> bytes) = 0;
    virtual std::vector<std::uint8_t> receive(std::uint32_t from) = 0;
};

// Process `rank` of `size`.
struct Share {
    std::uint32_t rank = 0;
    std::uint32_t size = 1;
};
inline Share share_of(const Team* team) {
    return team == nullptr ? Share{} : Share{team->rank(), team->size()};
}
// It has all results, and shows them.
inline bool is_first(const Team* team) {
    return share_of(team).rank == 0;
}

namespace detail {

template <typename T>
T unpacked(std::span<const std::uint8_t> bytes) {
    Unpacker unpacker(bytes);
    T value = unpacker.next<T>();
    if (!unpacker.ok()) {  // half of a result would pass for the whole: this ends the process, and with it the job
        throw std::runtime_error("a message from another process of the analysis is cut off");
    }
    return value;
}

template <typename T>
void send_value(Team& team, std::uint32_t to, const T& value) {
    Packer packer;
    packer.add(value);
    team.send(to, packer.take());
}

}  // namespace detail

// Merges the values of all along a tree: process 0 gets all of it, the others a part. merge(to, more): `more` is of
// processes behind those of `to`. Cost: as many merges and messages one after the other as the logarithm of the size.
template <typename T, typename Merge>
void reduce(Team* team, T& value, const Merge& merge) {
    const Share own = share_of(team);
    for (std::uint32_t step = 1; step < own.size; step *= 2) {
        if (own.rank % (2 * step) != 0) {
            detail::send_value(*team, own.rank - step, value);
            return;
        }
        if (own.rank + step < own.size) {
            merge(value, detail::unpacked<T>(team->receive(own.rank + step)));
        }
    }
}

// The value of process 0, for all.
template <typename T>
void broadcast(Team* team, T& value) {
    const Share own = share_of(team);
    std::uint32_t step = 1;
    while (step < own.size) {
        step *= 2;
    }
    std::vector<std::uint8_t> bytes;
    if (own.rank == 0 && own.size > 1) {
        Packer packer;
        packer.add(value);
        bytes = packer.take();
    }
    for (step /= 2; step > 0; step /= 2) {
        if (own.rank % (2 * step) == step) {
            bytes = team->receive(own.rank - step);
        } else if (own.rank % (2 * step) == 0 && own.rank + step < own.size) {
            team->send(own.rank + step, bytes);
        }
    }
    if (own.rank != 0) {
        value = detail::unpacked<T>(bytes);
    }
}

// Things and their numbers among all.
template <typename T>
struct Numbered {
    std::vector<std::uint64_t> numbers;
    std::vector<T> things;
    template <typename Visit>
    void members(const Visit& visit) {
        visit(numbers, things);
    }
};

enum class For : std::uint8_t { kFirst, kAll };

// Of several things, each is made by one process: `owner` says by which. Afterwards process 0 has all of them, or
// every process has.
template <typename T>
void collect(Team* team, std::vector<T>& things, std::span<const std::uint32_t> owner, For whom) {
    const Share own = share_of(team);
    if (own.size == 1) {
        return;
    }
    Numbered<T> made;
    for (std::size_t i = 0; i < things.size(); ++i) {
        if (owner[i] == own.rank) {
            made.numbers.push_back(i);
            made.things.push_back(std::move(things[i]));
        }
    }
    reduce(team, made, [](Numbered<T>& to, Numbered<T>&& more) {
        to.numbers.insert(to.numbers.end(), more.numbers.begin(), more.numbers.end());
        to.things.insert(to.things.end(), std::make_move_iterator(more.things.begin()),
                         std::make_move_iterator(more.things.end()));
    });
    if (whom == For::kAll) {
        broadcast(team, made);
    }
    if (whom == For::kAll || own.rank == 0) {
        for (std::size_t i = 0; i < made.numbers.size(); ++i) {
            things[made.numbers[i]] = std::move(made.things[i]);
        }
    }
}

// Whether all did what they had to: the error of the first that did not, in all of them.
inline Result<void> agree(Team* team, const Result<void>& own) {
    std::optional<Error> error;
    if (!own) {
        error = own.error();
    }
    reduce(team, error, [](std::optional<Error>& to, std::optional<Error>&& more) {
        if (!to) {
            to = std::move(more);
        }
    });
    broadcast(team, error);
    return error ? Result<void>(std::move(*error)) : Result<void>();
}

}  // namespace kymo::team
