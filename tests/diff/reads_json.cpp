// Reads and writes a document of numbers, texts and lists, over and over: what tests/diff/test_pipeline.py builds
// twice.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 12;
    nlohmann::json document;
    for (int i = 0; i < 4000; ++i) {
        document["items"].push_back({{"id", i},
                                     {"name", "item number " + std::to_string(i)},
                                     {"weight", i * 0.37},
                                     {"tags", {"a", "b", "c"}}});
    }
    const std::string text = document.dump(2);
    std::size_t sum = 0;
    for (int round = 0; round < rounds; ++round) {
        sum += nlohmann::json::parse(text).dump().size();
    }
    std::printf("%zu\n", sum);
    return 0;
}
