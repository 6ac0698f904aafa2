// Whole kernels as nvcc compiles them, against the same computation on the CPU: bit for bit.
//
// A multiplication and an addition that nvcc fuses are fused here too; loops add in the same order.
#include "kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace kymo::gpu::ptx {
namespace {

class Cooperative : public testing::Test {
  protected:
    Device device{kernels("cooperative")};
};

TEST_F(Cooperative, Reductions) {
    const int n = 3000;
    const auto in = device.array(integers(static_cast<std::size_t>(n), -1000, 1000, 1));
    const auto out = device.array<int>(1);
    device.run_checked("reduce_shared", {24}, {128}, Parameters().add(in.data()).add(out.data()).add(n), 512);
    EXPECT_EQ(out[0], std::accumulate(in.begin(), in.end(), 0));

    std::vector<float> whole(in.begin(), in.end());  // sums of whole numbers are exact in any order
    const auto floats = device.array(whole);
    const auto sums = device.array<float>(5);
    device.run_checked("reduce_shuffle", {5}, {96}, Parameters().add(floats.data()).add(sums.data()).add(n));
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0F), std::accumulate(whole.begin(), whole.end(), 0.0F));
}

TEST_F(Cooperative, Scan) {
    const auto in = device.array(integers(500, -9, 9, 1));
    const auto out = device.array<int>(500);
    device.run_checked("scan", {2}, {256}, Parameters().add(in.data()).add(out.data()).add(500));
    std::vector<int> wanted(500);
    std::partial_sum(in.begin(), in.begin() + 256, wanted.begin());
    std::partial_sum(in.begin() + 256, in.end(), wanted.begin() + 256);
    expect_equal<int>(out, wanted);
}

TEST_F(Cooperative, Transpose) {
    const std::size_t n = 96;
    const auto in = device.array(numbers(n * n, 1));
    const auto out = device.array<float>(n * n);
    device.run_checked("transpose", {3, 3}, {32, 8},
                       Parameters().add(in.data()).add(out.data()).add(static_cast<int>(n)));
    std::vector<float> wanted(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            wanted[j * n + i] = in[i * n + j];
        }
    }
    expect_equal<float>(out, wanted);
}

TEST_F(Cooperative, Histogram) {
    const int n = 5000;
    std::vector<unsigned char> values;
    for (const int value : integers(static_cast<std::size_t>(n), 0, 255, 1)) {
        values.push_back(static_cast<unsigned char>(value % 200));
    }
    const auto in = device.array(values);
    const auto bins = device.array<unsigned>(256);
    device.run_checked("histogram", {3}, {128}, Parameters().add(in.data()).add(bins.data()).add(n));
    std::vector<unsigned> wanted(256);
    for (const unsigned char value : values) {
        ++wanted[value];
    }
    expect_equal<unsigned>(bins, wanted);
}

TEST_F(Cooperative, BitonicSort) {
    std::vector<unsigned> values;
    for (const int value : integers(1024, 0, 1'000'000, 1)) {
        values.push_back(static_cast<unsigned>(value));
    }
    const auto data = device.array(values);
    device.run_checked("bitonic_sort", {2}, {256}, Parameters().add(data.data()).add(1024));
    std::sort(values.begin(), values.begin() + 512);
    std::sort(values.begin() + 512, values.end());
    expect_equal<unsigned>(data, values);
}

TEST_F(Cooperative, WalshTransform) {
    std::vector<float> values = numbers(512, 1);
    const auto data = device.array(values);
    device.run_checked("walsh", {2}, {64}, Parameters().add(data.data()).add(8), 1024);
    for (std::size_t half = 0; half < 512; half += 256) {
        for (std::size_t stride = 1; stride < 256; stride *= 2) {
            for (std::size_t i = 0; i < 256; i += 2 * stride) {
                for (std::size_t k = i; k < i + stride; ++k) {
                    const float a = values[half + k];
                    const float b = values[half + k + stride];
                    values[half + k] = a + b;
                    values[half + k + stride] = a - b;
                }
            }
        }
    }
    expect_equal<float>(data, values);
}

TEST_F(Cooperative, Votes) {
    const auto in = device.array(integers(128, 0, 9, 1));
    const auto out = device.array<int>(128);
    device.run_checked("votes", {2}, {64}, Parameters().add(in.data()).add(out.data()));
    std::vector<int> wanted(128);
    for (std::size_t i = 0; i < 128; ++i) {
        const std::size_t warp = i / 32 * 32;
        const std::size_t cta = i / 64 * 64;
        int odd = 0;
        int first_same = 0;
        bool any = false;
        for (std::size_t k = warp; k < warp + 32; ++k) {
            odd += in[k] & 1;
            any = any || in[k] == 7;
            first_same = first_same == 0 && in[k] % 5 == in[i] % 5 ? static_cast<int>(k - warp + 1) : first_same;
        }
        const auto together = std::count_if(in.begin() + static_cast<long>(cta),
                                            in.begin() + static_cast<long>(cta) + 64, [](int v) { return v > 3; });
        wanted[i] = odd + first_same * 100 + (any ? 10000 : 0) + 100000 + static_cast<int>(together) * 1000000;
    }
    expect_equal<int>(out, wanted);
}

class Irregular : public testing::Test {
  protected:
    Device device{kernels("irregular")};
};

TEST_F(Irregular, BreadthFirstSearch) {
    const int n = 300;
    const auto size = static_cast<std::size_t>(n);
    struct Node {
        int first;
        int count;
    };
    std::vector<Node> nodes;
    std::vector<int> edges;
    std::mt19937 random(7);
    for (int i = 0; i < n; ++i) {
        const int count = static_cast<int>(random() % 5);
        nodes.push_back({static_cast<int>(edges.size()), count});
        for (int k = 0; k < count; ++k) {
            edges.push_back(static_cast<int>(random() % 300));
        }
    }
    const auto graph = device.array(nodes);
    const auto to = device.array(edges);
    const auto frontier = device.array<std::uint8_t>(size);
    const auto updating = device.array<std::uint8_t>(size);
    const auto visited = device.array<std::uint8_t>(size);
    const auto over = device.array<std::uint8_t>(1);
    const auto cost = device.array(std::vector<int>(size, -1));
    frontier[0] = visited[0] = 1;
    cost[0] = 0;
    do {
        over[0] = 0;
        device.run_checked("bfs_step", {5}, {64},
                           Parameters()
                               .add(graph.data())
                               .add(to.data())
                               .add(frontier.data())
                               .add(updating.data())
                               .add(visited.data())
                               .add(cost.data())
                               .add(n));
        device.run_checked(
            "bfs_commit", {5}, {64},
            Parameters().add(frontier.data()).add(updating.data()).add(visited.data()).add(over.data()).add(n));
    } while (over[0] != 0);
    std::vector<int> wanted(size, -1);
    std::vector<int> queue{0};
    wanted[0] = 0;
    for (std::size_t at = 0; at < queue.size(); ++at) {
        const auto node = static_cast<std::size_t>(queue[at]);
        for (int k = 0; k < nodes[node].count; ++k) {
            const auto next = static_cast<std::size_t>(edges[static_cast<std::size_t>(nodes[node].first + k)]);
            if (wanted[next] < 0) {
                wanted[next] = wanted[node] + 1;
                queue.push_back(static_cast<int>(next));
            }
        }
    }
    expect_equal<int>(cost, wanted);
}

TEST_F(Irregular, Hotspot) {
    const int columns = 50;
    const int rows = 21;
    const auto size = static_cast<std::size_t>(columns * rows);
    const auto power = device.array(numbers(size, 1));
    const auto in = device.array(numbers(size, 2));
    const auto out = device.array<float>(size);
    const float cap = 0.5F;
    const float rx = 0.1F;
    const float ry = 0.2F;
    const float rz = 0.05F;
    const float ambient = 80.0F;
    device.run_checked("hotspot", {4, 3}, {16, 8},
                       Parameters()
                           .add(power.data())
                           .add(in.data())
                           .add(out.data())
                           .add(columns)
                           .add(rows)
                           .add(cap)
                           .add(rx)
                           .add(ry)
                           .add(rz)
                           .add(ambient));
    std::vector<float> wanted(size);
    for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) {
            const auto at = [&](int row, int column) {
                return in[static_cast<std::size_t>(std::clamp(row, 0, rows - 1) * columns +
                                                   std::clamp(column, 0, columns - 1))];
            };
            const float here = at(y, x);
            const float vertical = at(y + 1, x) + at(y - 1, x) - 2.0F * here;
            const float horizontal = at(y, x + 1) + at(y, x - 1) - 2.0F * here;
            float sum = power[static_cast<std::size_t>(y * columns + x)];
            for (const auto& [difference, by] :
                 {std::pair(vertical, ry), std::pair(horizontal, rx), std::pair(ambient - here, rz)}) {
                sum = std::fma(difference, by, sum);
            }
            wanted[static_cast<std::size_t>(y * columns + x)] = std::fma(sum, cap, here);
        }
    }
    expect_equal<float>(out, wanted);
}

TEST_F(Irregular, NeedlemanWunsch) {
    const int n = 40;
    const auto size = static_cast<std::size_t>(n * n);
    const auto similar = device.array(integers(size, -4, 5, 1));
    const auto score = device.array<int>(size);
    std::vector<int> wanted(size);
    for (int i = 0; i < n; ++i) {
        score[static_cast<std::size_t>(i)] = score[static_cast<std::size_t>(i * n)] =
            wanted[static_cast<std::size_t>(i)] = wanted[static_cast<std::size_t>(i * n)] = -2 * i;
    }
    for (int diagonal = 2; diagonal < 2 * n; ++diagonal) {
        device.run_checked("nw_diagonal", {2}, {32},
                           Parameters().add(score.data()).add(similar.data()).add(n).add(diagonal).add(2));
    }
    const auto at = [&](int i, int j) -> int& { return wanted[static_cast<std::size_t>(i * n + j)]; };
    for (int i = 1; i < n; ++i) {
        for (int j = 1; j < n; ++j) {
            at(i, j) = std::max({at(i - 1, j - 1) + similar[static_cast<std::size_t>(i * n + j)], at(i - 1, j) - 2,
                                 at(i, j - 1) - 2});
        }
    }
    expect_equal<int>(score, wanted);
}

TEST_F(Irregular, LudStep) {
    const int n = 33;
    const auto size = static_cast<std::size_t>(n * n);
    const auto a = device.array(numbers(size, 1));
    std::vector<float> wanted(a.begin(), a.end());
    const auto at = [&](int i, int j) -> float& { return wanted[static_cast<std::size_t>(i * n + j)]; };
    for (int i = 3; i < n; ++i) {
        for (int j = 3; j < n; ++j) {
            at(i, j) -= at(i, 2) / at(2, 2) * at(2, j);  // nvcc leaves this one to ptxas: two roundings in PTX
        }
    }
    device.run_checked("lud_step", {3, 3}, {16, 16}, Parameters().add(a.data()).add(n).add(2));
    expect_equal<float>(a, wanted);
}

TEST_F(Irregular, KmeansNearestPathfinder) {
    const int n = 200;
    const auto points = device.array(numbers(800, 1));
    const auto centres = device.array(numbers(20, 2));
    const auto member = device.array<int>(200);
    device.run_checked("kmeans_assign", {2}, {128},
                       Parameters().add(points.data()).add(centres.data()).add(member.data()).add(n).add(5).add(4));
    std::vector<int> wanted(200);
    for (std::size_t p = 0; p < 200; ++p) {
        float least = 3.4e38F;
        for (std::size_t c = 0; c < 5; ++c) {
            float distance = 0;
            for (std::size_t f = 0; f < 4; ++f) {
                const float d = points[f * 200 + p] - centres[c * 4 + f];
                distance = std::fma(d, d, distance);
            }
            if (distance < least) {
                least = distance;
                wanted[p] = static_cast<int>(c);
            }
        }
    }
    expect_equal<int>(member, wanted);

    const auto distance = device.array<float>(400);
    device.run_checked("nearest", {2}, {256},
                       Parameters().add(points.data()).add(distance.data()).add(400).add(0.3F).add(-0.2F));
    std::vector<float> far(400);
    for (std::size_t i = 0; i < 400; ++i) {
        const float x = 0.3F - points[2 * i];
        const float y = -0.2F - points[2 * i + 1];
        far[i] = std::sqrt(std::fma(x, x, y * y));
    }
    expect_equal<float>(distance, far);

    const auto wall = device.array(integers(300, 0, 9, 1));
    const auto row = device.array(integers(100, 0, 99, 2));
    const auto next = device.array<int>(100);
    device.run_checked("pathfinder_row", {2}, {64},
                       Parameters().add(wall.data()).add(row.data()).add(next.data()).add(100).add(1));
    std::vector<int> path(100);
    for (std::size_t x = 0; x < 100; ++x) {
        path[x] = wall[100 + x] + std::min({row[x], x > 0 ? row[x - 1] : 100, x < 99 ? row[x + 1] : 100});
    }
    expect_equal<int>(next, path);
}

unsigned collatz(unsigned long long n) {
    unsigned steps = 0;
    for (; n != 1; ++steps) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    }
    return steps;
}

int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

TEST_F(Irregular, DivergenceCallsAndRecursion) {
    const int n = 150;
    const auto in = device.array(integers(150, 0, 99'999, 1));
    const auto out = device.array<long long>(150);
    device.run_checked("divergent", {3}, {64}, Parameters().add(in.data()).add(out.data()).add(n));
    std::vector<long long> wanted;
    for (int i = 0; i < n; ++i) {
        const int v = in[static_cast<std::size_t>(i)];
        const auto u = static_cast<unsigned>(v);
        unsigned reversed = 0;
        for (unsigned k = 0; k < 32; ++k) {
            reversed |= (u >> k & 1U) << (31 - k);
        }
        switch (v % 7) {
            case 0:
                wanted.push_back(collatz(u + 1));
                break;
            case 1:
                wanted.push_back(v / 3 + v % 11);
                break;
            case 2:
                wanted.push_back(static_cast<long long>(v) * v * v);
                break;
            case 3:
                wanted.push_back(static_cast<unsigned>((v == 0 ? 32 : __builtin_clz(u)) + __builtin_popcount(u)) +
                                 (reversed >> 7));
                break;
            case 4:
                wanted.push_back(ackermann(2, v % 4));
                break;
            case 5:
                wanted.push_back(-v);
                break;
            default:
                wanted.push_back(u / static_cast<unsigned>(i + 1));
        }
    }
    expect_equal<long long>(out, wanted);
}

TEST_F(Irregular, DigitsInLocalMemory) {
    std::vector<unsigned long long> values;
    for (const int value : integers(70, 0, 1 << 30, 1)) {
        values.push_back(static_cast<unsigned long long>(value) * 1'000'003ULL);
    }
    const auto in = device.array(values);
    const auto out = device.array<int>(700);
    device.run_checked("digits", {2}, {64}, Parameters().add(in.data()).add(out.data()).add(70));
    std::vector<int> wanted(700);
    for (std::size_t i = 0; i < 70; ++i) {
        for (unsigned long long left = values[i]; left != 0; left /= 10) {
            ++wanted[i * 10 + left % 10];
        }
    }
    expect_equal<int>(out, wanted);
}

}  // namespace
}  // namespace kymo::gpu::ptx
