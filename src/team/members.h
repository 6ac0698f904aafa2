// The data members of a plain struct, all of them, for code that treats each in the same way:
//
//     KYMO_MEMBERS(Point, x, y)
//     visit_members(point, [](auto&... member) { … });
//
// Beside the struct, in its namespace. It does not compile where a member is missing. A class with private members
// has a member function template `members(visit)` instead.
#pragma once

#define KYMO_MEMBERS(Type, ...)                         \
    template <typename Visit>                           \
    void visit_members(Type& object_, Visit&& visit_) { \
        auto& [__VA_ARGS__] = object_;                  \
        visit_(__VA_ARGS__);                            \
    }
