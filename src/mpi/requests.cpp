#include "mpi/requests.h"

#include "base/exclusion.h"

namespace kymo::mpi {
namespace {

struct Entry {
    std::uint64_t handle = 0;  // 0: free
    std::uint64_t order = 0;   // of entries of the same handle the least is the oldest
    Request request;
};

// Open addressing with linear probing; entries are taken out by moving later ones up (Knuth 6.4, algorithm R).
class Table {
  public:
    bool insert(std::uint64_t handle, const Request& request) {
        if (2 * (used_ + 1) > capacity_ && !grow()) {
            return false;
        }
        put({handle, ++order_, request});
        ++used_;
        return true;
    }

    // The oldest of the handle that satisfies; null: none.
    template <typename Is>
    Entry* find(std::uint64_t handle, const Is& is) {
        Entry* best = nullptr;
        for (std::uint32_t at = capacity_ == 0 ? 0 : home(handle); capacity_ != 0 && entries_[at].handle != 0;
             at = (at + 1) & (capacity_ - 1)) {
            Entry& entry = entries_[at];
            if (entry.handle == handle && is(entry.request) && (best == nullptr || entry.order < best->order)) {
                best = &entry;
            }
        }
        return best;
    }

    void erase(Entry* entry) {
        auto hole = static_cast<std::uint32_t>(entry - entries_);
        for (std::uint32_t at = hole;;) {
            at = (at + 1) & (capacity_ - 1);
            if (entries_[at].handle == 0) {
                break;
            }
            // Not to be moved before its home.
            const std::uint32_t from_home = (at - home(entries_[at].handle)) & (capacity_ - 1);
            if (from_home >= ((at - hole) & (capacity_ - 1))) {
                entries_[hole] = entries_[at];
                hole = at;
            }
        }
        entries_[hole] = Entry{};
        --used_;
    }

  private:
    [[nodiscard]] std::uint32_t home(std::uint64_t handle) const {
        return static_cast<std::uint32_t>((handle * 0x9E3779B97F4A7C15U) >> 32U) & (capacity_ - 1);
    }
    void put(const Entry& entry) {
        std::uint32_t at = home(entry.handle);
        while (entries_[at].handle != 0) {
            at = (at + 1) & (capacity_ - 1);
        }
        entries_[at] = entry;
    }
    bool grow() {
        const std::uint32_t old_capacity = capacity_;
        Entry* const old = entries_;
        const std::uint32_t capacity = capacity_ == 0 ? 256 : 2 * capacity_;
        auto* fresh = static_cast<Entry*>(allocate(sizeof(Entry) * capacity));
        if (fresh == nullptr) {
            return false;
        }
        entries_ = fresh;
        capacity_ = capacity;
        for (std::uint32_t i = 0; i < old_capacity; ++i) {
            if (old[i].handle != 0) {
                put(old[i]);
            }
        }
        return true;
    }

    Entry* entries_ = nullptr;
    std::uint32_t capacity_ = 0;
    std::uint32_t used_ = 0;
    std::uint64_t order_ = 0;
};

constinit Lock lock;
constinit Table requests;
constinit Table messages;

bool any(const Request& /*request*/) {
    return true;
}
bool active(const Request& request) {
    return request.is_active;
}

}  // namespace

void note_request(MPI_Request handle, const Request& request) {
    if (request.group != nullptr) {
        const Locked locked(lock);
        requests.insert(bits_of(handle), request);
    }
}

bool look_at_request(MPI_Request handle, Request* request) {
    const Locked locked(lock);
    const Entry* entry = requests.find(bits_of(handle), active);
    if (entry == nullptr) {
        return false;
    }
    *request = entry->request;
    return true;
}

bool take_request(MPI_Request handle, Request* request) {
    const Locked locked(lock);
    Entry* entry = requests.find(bits_of(handle), active);
    if (entry == nullptr) {
        return false;
    }
    *request = entry->request;
    if (entry->request.is_persistent) {
        entry->request.is_active = false;
        entry->request.is_cancelled = false;
    } else {
        requests.erase(entry);
    }
    return true;
}

bool start_request(MPI_Request handle, Request* request) {
    const Locked locked(lock);
    Entry* entry =
        requests.find(bits_of(handle), [](const Request& known) { return known.is_persistent && !known.is_active; });
    if (entry == nullptr) {
        return false;
    }
    entry->request.is_active = true;
    *request = entry->request;
    return true;
}

bool drop_request(MPI_Request handle, Request* request) {
    const Locked locked(lock);
    Entry* entry = requests.find(bits_of(handle), any);
    if (entry == nullptr) {
        return false;
    }
    *request = entry->request;
    requests.erase(entry);
    return request->is_active;
}

void cancel_request(MPI_Request handle) {
    const Locked locked(lock);
    if (Entry* entry = requests.find(bits_of(handle), active)) {
        entry->request.is_cancelled = true;
    }
}

void note_message(MPI_Message message, const Group* group, int source) {
    const Locked locked(lock);
    Request request;
    request.group = group;
    request.peer = source;
    messages.insert(bits_of(message), request);
}

bool take_message(MPI_Message message, const Group** group, int* source) {
    const Locked locked(lock);
    Entry* entry = messages.find(bits_of(message), any);
    if (entry == nullptr) {
        return false;
    }
    *group = entry->request.group;
    *source = entry->request.peer;
    messages.erase(entry);
    return true;
}

}  // namespace kymo::mpi
