// How long threads waited for what, by kind: wait_totals RECORDING.kymo
//
//   c++ wait_totals.cpp $(pkg-config --cflags --libs kymo-recording) -o wait_totals
#include <iostream>
#include <kymo/recording.hpp>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: " << argv[0] << " RECORDING.kymo\n";
        return 2;
    }
    try {
        const kymo::Recording recording(argv[1]);
        kymo::Rows rows = recording.query(
            "select kind, count(*), sum(end_ns - begin_ns) / 1e6 from wait group by kind order by 3 desc, 1");
        while (rows.next()) {
            std::cout << rows.text(0) << ": " << rows.integer(1) << " waits, " << rows.number(2) << " ms\n";
        }
    } catch (const kymo::RecordingError& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
