// Pages made one after another while others ask.
#include "serve/page_maker.h"

#include "made_source.h"

#include <gtest/gtest.h>
#include <thread>

namespace kymo::serve {
namespace {

// Asks until there is an answer.
PageMaker::Answer wait_for(PageMaker& maker, const PageRequest& request) {
    for (;;) {
        PageMaker::Answer answer = maker.ask(request);
        if (answer.page != nullptr || answer.error) {
            return answer;
        }
        std::this_thread::yield();
    }
}

OpenSource made() {
    return [](std::uint32_t, const Progress&) { return made_source(); };
}

TEST(ServePageMaker, AnswersAtOnceWhatItIsAt) {
    Gate at_stage;
    Gate go_on;
    PageMaker maker([&](std::uint32_t, const Progress& progress) -> Result<std::unique_ptr<PageSource>> {
        progress.on_stage("findings");
        at_stage.open();
        go_on.wait();
        return made_source();
    });
    at_stage.wait();
    const PageMaker::Answer early = maker.ask({});
    EXPECT_EQ(early.page, nullptr);
    EXPECT_FALSE(early.error);
    EXPECT_EQ(early.stage, "findings");
    go_on.open();
    EXPECT_EQ(*wait_for(maker, {}).page, "reading 1 of all");
}

TEST(ServePageMaker, AFirstLookIsTheAnswerUntilTheWholeIsThere) {
    Gate looked;
    Gate go_on;
    PageMaker maker([&](std::uint32_t look, const Progress& progress) -> Result<std::unique_ptr<PageSource>> {
        progress.on_first_look(fmt::format("first look {}", look));
        progress.on_stage("findings");
        looked.open();
        go_on.wait();
        return made_source();
    });
    looked.wait();
    EXPECT_EQ(*maker.ask({}).page, "first look 1");
    EXPECT_EQ(*maker.ask({.is_first_look = true}).page, "first look 1");
    EXPECT_EQ(maker.ask({.is_stage = true}).page, nullptr);
    EXPECT_EQ(maker.ask({.is_stage = true}).stage, "findings");
    EXPECT_EQ(maker.ask({.range = TimeRange{1, 2}}).page, nullptr) << "it shows the whole run, and no part in detail";
    EXPECT_EQ(maker.ask({.look = 2}).page, nullptr) << "nor what will be read next";
    go_on.open();
    EXPECT_EQ(*wait_for(maker, {.is_stage = true}).page, "reading 1 of all");
    EXPECT_EQ(*maker.ask({}).page, "reading 1 of all");
    EXPECT_EQ(*maker.ask({.is_first_look = true}).page, "first look 1") << "kept for who asks for it";
    EXPECT_EQ(*wait_for(maker, {.look = 2, .is_stage = true}).page, "reading 2 of all");
    EXPECT_EQ(*maker.ask({.is_first_look = true}).page, "first look 2");
}

TEST(ServePageMaker, MakesEachRangeOnceAndKeepsTheLastFew) {
    PageMaker maker(made());
    const auto whole = wait_for(maker, {}).page;
    EXPECT_EQ(*wait_for(maker, {.range = TimeRange{1, 2}}).page, "reading 1 of 1..2");
    EXPECT_EQ(maker.ask({}).page, whole);
    for (std::uint64_t begin = 10; begin < 10 + PageMaker::kKept; ++begin) {
        EXPECT_EQ(*wait_for(maker, {.range = TimeRange{begin, 99}}).page, fmt::format("reading 1 of {}..99", begin));
    }
    const auto again = wait_for(maker, {}).page;
    EXPECT_EQ(*again, *whole);
    EXPECT_NE(again, whole) << "made anew";
}

TEST(ServePageMaker, ReadsAgainWhenTheNextReadingIsAskedFor) {
    PageMaker maker(made());
    EXPECT_EQ(*wait_for(maker, {.look = 1}).page, "reading 1 of all");
    EXPECT_EQ(*wait_for(maker, {.look = 2}).page, "reading 2 of all");
    EXPECT_EQ(*wait_for(maker, {.look = 2}).page, "reading 2 of all") << "no further one";
    EXPECT_EQ(*wait_for(maker, {.look = 1}).page, "reading 2 of all") << "an earlier one is gone";
    EXPECT_EQ(*wait_for(maker, {.look = 9}).page, "reading 2 of all") << "of a server that is gone";
}

TEST(ServePageMaker, AnErrorIsAnAnswerAndTheNextReadingTriesAgain) {
    int opened = 0;
    PageMaker maker([&](std::uint32_t, const Progress&) -> Result<std::unique_ptr<PageSource>> {
        if (++opened == 1) {
            return Error{ErrorKind::kMalformed, "nothing yet", "wait"};
        }
        return made_source();
    });
    EXPECT_EQ(wait_for(maker, {}).error->what, "nothing yet");
    EXPECT_EQ(maker.ask({.range = TimeRange{1, 2}}).error->what, "nothing yet");
    EXPECT_EQ(*wait_for(maker, {.look = 2}).page, "reading 2 of all");
    EXPECT_TRUE(wait_for(maker, {.range = TimeRange{666, 700}}).error);
    EXPECT_EQ(*wait_for(maker, {}).page, "reading 2 of all");
}

}  // namespace
}  // namespace kymo::serve
