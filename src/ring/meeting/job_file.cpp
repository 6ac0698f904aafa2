#include "ring/meeting/job_file.h"

#include "base/line_words.h"
#include "ring/meeting/own_addresses.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::ring {
namespace {

constexpr const char* kEntries = "node1,node2=10.0.0.2,node3:27900, or a file of them, one a line";

// Its first IPv4 address; empty: not known.
std::string look_up(const std::string& host) {
    addrinfo wanted{};
    wanted.ai_family = AF_INET;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) {
        return {};
    }
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr, text, sizeof text);
    freeaddrinfo(found);
    return text;
}

Result<ListedHost> listed_host(const std::string& entry) {
    const std::size_t equals = entry.find('=');
    const std::string where = equals == std::string::npos ? entry : entry.substr(equals + 1);
    const std::string name = equals == std::string::npos ? where.substr(0, where.find(':')) : entry.substr(0, equals);
    if (!is_member_name(name)) {
        return Error{ErrorKind::kUsage, "'" + entry + "' is not a host", kEntries};
    }
    auto endpoint = listed_endpoint(where, kAgentPort);
    if (!endpoint) {
        return endpoint.error();
    }
    return ListedHost{name, std::move(*endpoint)};
}

Result<std::string> read_all(int file, const std::string& name) {
    std::string text;
    char bytes[16384];
    ssize_t got = 0;
    while ((got = read(file, bytes, sizeof bytes)) > 0 && text.size() <= kMaxListedJob) {
        text.append(bytes, static_cast<std::size_t>(got));
    }
    if (got < 0) {
        return Error{ErrorKind::kPermission, "cannot read " + name + ": " + std::strerror(errno), ""};
    }
    return text;
}

Result<std::string> read_private(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return Error{errno == ENOENT ? ErrorKind::kNotFound : ErrorKind::kPermission,
                     "cannot read " + path + ": " + std::strerror(errno),
                     "kymo agent --hosts LIST --job FILE makes one; copy it to each host, or give it as --job -"};
    }
    struct stat facts{};
    const bool is_own = fstat(file, &facts) == 0 && facts.st_uid == geteuid() && (facts.st_mode & 077U) == 0;
    auto text = is_own ? read_all(file, path)
                       : Error{ErrorKind::kPermission, "others may read " + path + ", and the job's keys in it",
                               "make a new one, with new keys; a copy keeps its mode by cp -p, scp -p, rsync -p"};
    close(file);
    return text;
}

}  // namespace

Result<std::string> listed_endpoint(const std::string& host, std::uint16_t port) {
    const std::size_t colon = host.find(':');
    const std::string name = host.substr(0, colon);
    if (colon != std::string::npos && (!parse_decimal(host.substr(colon + 1), port, 65535) || port == 0)) {
        return Error{ErrorKind::kUsage, "'" + host + "' has no port after its colon", kEntries};
    }
    const std::string address = name.empty() ? name : look_up(name);
    if (address.empty()) {
        return Error{ErrorKind::kNotFound, "no IPv4 address is known of the host '" + name + "'",
                     "name it as NAME=ADDRESS, for example node1=10.0.0.1"};
    }
    return fmt::format("tcp://{}:{}", address, port);
}

Result<std::vector<ListedHost>> listed_hosts(const std::string& list) {
    std::string text = list;
    std::error_code ignored;
    const bool is_file = list.find(',') == std::string::npos && std::filesystem::is_regular_file(list, ignored);
    if (is_file) {
        std::ifstream file(list);
        text.assign(std::istreambuf_iterator<char>(file), {});
    }
    std::vector<ListedHost> hosts;
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view line = take_until(rest, is_file ? '\n' : ',');
        line = line.substr(0, line.find_first_of(is_file ? "# \t\r" : "\n"));
        if (line.empty() && is_file) {
            continue;
        }
        auto host = listed_host(std::string(line));
        if (!host) {
            return host.error();
        }
        hosts.push_back(std::move(*host));
    }
    if (hosts.empty() || hosts.size() > kMaxListedHosts) {
        return Error{ErrorKind::kUsage, fmt::format("'{}' lists {} hosts", list, hosts.size()), kEntries};
    }
    return hosts;
}

Result<void> write_job(const std::string& path, const ListedJob& job) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return Error{errno == EEXIST ? ErrorKind::kOutputExists : ErrorKind::kPermission,
                     "cannot make " + path + ": " + std::strerror(errno),
                     errno == EEXIST ? "a job's file is made once; remove it for a new job" : ""};
    }
    const std::string text = to_text(job);
    const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (close(file) != 0 || !written) {
        const std::string why = std::strerror(errno);
        unlink(path.c_str());
        return Error{ErrorKind::kNoSpace, "cannot write " + path + ": " + why, "is the disk full?"};
    }
    return {};
}

Result<ListedJob> read_job(const std::string& path) {
    const auto text = path == "-" ? read_all(STDIN_FILENO, "standard input") : read_private(path);
    if (!text) {
        return text.error();
    }
    const auto job = parse_listed_job(*text);
    if (!job) {
        return Error{ErrorKind::kMalformed,
                     (path == "-" ? "standard input" : path) + " is not a job's file of this version of Kymo",
                     "kymo agent --hosts LIST --job FILE makes one"};
    }
    return *job;
}

std::string own_name_in(const ListedJob& job, const std::string& host_name) {
    const auto find = [&job](auto is_it) {
        const auto found = std::find_if(job.hosts.begin(), job.hosts.end(), is_it);
        return found == job.hosts.end() ? std::string() : found->name;
    };
    const std::string first_part = host_name.substr(0, host_name.find('.'));
    std::string name = find([&](const ListedHost& host) { return host.name == host_name; });
    if (name.empty()) {
        name = find([&](const ListedHost& host) { return host.name.substr(0, host.name.find('.')) == first_part; });
    }
    const std::vector<std::string> own = name.empty() ? own_addresses() : std::vector<std::string>();
    return !name.empty() ? name : find([&own](const ListedHost& host) {
        const std::string address = host.endpoint.substr(6, host.endpoint.rfind(':') - 6);
        return std::find(own.begin(), own.end(), address) != own.end();
    });
}

}  // namespace kymo::ring
