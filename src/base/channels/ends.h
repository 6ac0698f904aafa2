// The users of the ends of channels whose rows describe one end each, and so the users at the other end of a row.
//
// Both ends have numbers (docs/cells-format.md); a row names its own and, if it is known, the other one. Cost:
// some searches in maps of the ends.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace kymo {

struct EndId {
    std::uint64_t scope = 0;   // numbers of different scopes (for example hosts) are different ends
    std::uint64_t number = 0;  // 0: not known
    auto operator<=>(const EndId&) const = default;
};

template <typename User>
class ChannelEnds {
  public:
    using Users = std::set<User>;

    void add(EndId own, EndId other, bool receives, const User& user) {
        (receives ? receivers_ : senders_)[own].insert(user);
        if (other.number != 0) {
            peers_.emplace(other, own);
        }
    }

    // The end opposite `own`, whose row names `other`: perhaps only rows of the opposite end name both.
    [[nodiscard]] EndId opposite(EndId own, EndId other) const {
        const auto known = peers_.find(own);
        return other.number != 0 || known == peers_.end() ? other : known->second;
    }

    // Whether sends by this end were counted, or receives.
    [[nodiscard]] bool is_sending_counted(EndId end) const { return senders_.contains(end); }
    [[nodiscard]] bool is_receiving_counted(EndId end) const { return receivers_.contains(end); }

    // The senders at this end; if sends were not counted, its receivers: it is the same process.
    [[nodiscard]] const Users& senders(EndId end) const { return either(senders_, receivers_, end); }
    [[nodiscard]] const Users& receivers(EndId end) const { return either(receivers_, senders_, end); }

  private:
    using ByEnd = std::map<EndId, Users>;
    static const Users& either(const ByEnd& first, const ByEnd& second, EndId end) {
        static const Users kNobody;
        for (const ByEnd* each : {&first, &second}) {
            if (const auto found = each->find(end); end.number != 0 && found != each->end()) {
                return found->second;
            }
        }
        return kNobody;
    }
    ByEnd senders_;
    ByEnd receivers_;
    std::map<EndId, EndId> peers_;
};

}  // namespace kymo
