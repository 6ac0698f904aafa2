// The C++ library at work: regular expressions, streams, sorting, maps, functions.
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {
volatile std::size_t sink;
}

extern "C" [[gnu::noinline]] void scenario(int n) {
    std::ostringstream out;
    out << "value " << n * 3.5 << ' ' << n;
    std::vector<std::string> words;
    std::istringstream in("the quick brown fox jumps over the lazy dog " + out.str());
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    std::sort(words.begin(), words.end());
    std::map<std::string, std::size_t> ordered;
    std::unordered_map<std::string, std::size_t> hashed;
    for (const std::string& word : words) {
        ordered[word]++;
        hashed[word] += word.size();
    }
    const std::function<std::size_t(std::size_t)> twice = [&](std::size_t x) { return x * 2 + ordered.size(); };
    sink = twice(hashed.size());
    const std::regex pattern("([a-z]+) ([0-9.]+)");
    std::smatch match;
    const std::string text = out.str();
    sink = std::regex_search(text, match, pattern) ? match.size() : 0;
}

int main(int argc, char**) {
    scenario(argc);
    return 0;
}
