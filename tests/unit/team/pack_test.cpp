#include "team/pack.h"

#include <gtest/gtest.h>
#include <random>

namespace kymo::team {
namespace {

struct Inner {
    std::string text;
    std::optional<std::vector<int>> numbers;
    bool operator==(const Inner&) const = default;
};
KYMO_MEMBERS(Inner, text, numbers)

struct Outer {
    std::uint64_t number = 0;
    std::vector<Inner> inner;
    std::map<std::pair<std::uint32_t, std::string>, Inner> by_key;
    std::set<std::uint32_t> set;
    std::unordered_map<std::uint64_t, double> hashed;
    std::vector<bool> bits;
    std::array<std::string, 2> two;
    std::vector<Outer> more;
    bool operator==(const Outer&) const = default;
};
KYMO_MEMBERS(Outer, number, inner, by_key, set, hashed, bits, two, more)

class Closed {
  public:
    explicit Closed(int value = 0) : value_(value) {}
    template <typename Visit>
    void members(const Visit& visit) {
        visit(value_, text_);
    }
    int value() const { return value_; }

  private:
    int value_;
    std::string text_ = "closed";
};

template <typename T>
std::vector<std::uint8_t> packed(const T& value) {
    Packer packer;
    packer.add(value);
    return packer.take();
}

Outer example() {
    Outer outer{.number = 7,
                .inner = {{"a", std::nullopt}, {"", std::vector<int>{1, 2, 3}}},
                .by_key = {{{1, "x"}, {"b", std::vector<int>{}}}},
                .set = {3, 1},
                .hashed = {{5, 0.5}},
                .bits = {true, false, true},
                .two = {"p", "q"},
                .more = {}};
    outer.more = {outer, Outer()};
    return outer;
}

TEST(Pack, GivesBackWhatWasPacked) {
    const Outer outer = example();
    const auto bytes = packed(outer);
    Unpacker unpacker(bytes);
    EXPECT_TRUE(unpacker.next<Outer>() == outer);
    EXPECT_TRUE(unpacker.ok());
}

TEST(Pack, ReplacesWhatWasThere) {
    const auto bytes = packed(Outer());
    Outer outer = example();
    Unpacker(bytes).read(outer);
    EXPECT_TRUE(outer == Outer());
}

TEST(Pack, ClassesGiveTheirMembers) {
    const auto bytes = packed(std::vector<Closed>{Closed(4), Closed(5)});
    Unpacker unpacker(bytes);
    const auto read = unpacker.next<std::vector<Closed>>();
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[1].value(), 5);
}

TEST(Pack, ResultsAreValuesOrErrors) {
    const auto bytes = packed(
        std::vector<Result<Inner>>{Inner{"good", {}}, Error{ErrorKind::kPermission, "refused", "ask", {"another"}}});
    Unpacker unpacker(bytes);
    const auto read = unpacker.next<std::vector<Result<Inner>>>();
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[0]->text, "good");
    EXPECT_EQ(read[1].error().kind, ErrorKind::kPermission);
    EXPECT_EQ(read[1].error().others, std::vector<std::string>{"another"});
}

TEST(Pack, EveryBeginningOfTheBytesIsRefused) {
    const auto bytes = packed(example());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        Unpacker unpacker(std::span<const std::uint8_t>(bytes).first(size));
        (void)unpacker.next<Outer>();
        EXPECT_FALSE(unpacker.ok()) << size;
    }
}

TEST(Pack, OtherBytesEndWithoutHarm) {
    std::mt19937 random(1);
    for (int round = 0; round < 3000; ++round) {
        auto bytes = packed(example());
        for (int change = 0; change < 4; ++change) {
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        }
        Unpacker unpacker(bytes);
        (void)unpacker.next<Outer>();
    }
}

}  // namespace
}  // namespace kymo::team
