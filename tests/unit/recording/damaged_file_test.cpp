// What the reader makes of files that were cut or overwritten, and of what is no recording.
#include "rows.h"
#include "temporary_folder.h"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::recording {
namespace {

using testing::describe;
using testing::gather;
using testing::RowsByStream;
using testing::TemporaryFolder;

constexpr std::array<std::uint64_t, 3> kDeltas = {7, 500, 1};

// A real file of several chunks and streams.
RowsByStream write_sample_file(const std::filesystem::path& path) {
    RowsByStream written;
    FileWriter writer;
    EXPECT_EQ(writer.create(path.c_str(), {}), 0);
    StreamWriter own;
    own.open(writer, StreamId{0});
    EXPECT_TRUE(write_schemas(own));
    for (std::uint32_t id = 1; id <= 4; ++id) {
        StreamWriter stream;
        stream.open(writer, StreamId{id});
        for (std::uint64_t i = 0; i < 1500 * id; ++i) {
            const Sample sample{.time = i * i, .context = i % 100, .deltas = kDeltas};
            EXPECT_TRUE(stream.append(sample));
            written[id].push_back(describe(sample));
        }
        stream.release();
    }
    EXPECT_EQ(writer.close(), 0);
    return written;
}

void expect_prefixes(const RowsByStream& read, const RowsByStream& written) {
    for (const auto& [stream, rows] : read) {
        const auto& all = written.at(stream);
        ASSERT_LE(rows.size(), all.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            ASSERT_EQ(rows[i], all[i]) << "stream " << stream << " row " << i;
        }
    }
}

TEST(DamagedFile, AFileCutAnywhereReadsUpToTheCut) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    const RowsByStream written = write_sample_file(path);
    const std::uint64_t size = std::filesystem::file_size(path);
    for (std::uint64_t cut = size - 1;; cut = cut > 4'999 ? cut - 4'999 : cut - 1) {
        std::filesystem::resize_file(path, cut);
        const auto file = File::open(path);
        if (!file) {
            EXPECT_LT(cut, sizeof(FileHeader));
            EXPECT_EQ(file.error().kind, ErrorKind::kMalformed);
            if (cut == 0) {
                break;
            }
            cut = cut > 10 ? cut - 9 : cut;
            continue;
        }
        RowsByStream read;
        const auto report = gather(*file, read);
        ASSERT_TRUE(report);
        EXPECT_FALSE(report->whole());
        expect_prefixes(read, written);
        if (cut > 2 * kChunkBytes) {
            EXPECT_FALSE(read.empty());
        }
        cut = cut < 200 ? cut : cut - cut % 8;
    }
}

TEST(DamagedFile, OneDamagedChunkCostsOnlyItsOwnRows) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    const RowsByStream written = write_sample_file(path);
    // The magic of the first chunk that begins with stream 3.
    std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
    std::uint64_t damaged = kHeaderBytes;
    ChunkHeader header{};
    while (bytes.seekg(static_cast<std::streamoff>(damaged)).read(reinterpret_cast<char*>(&header), sizeof header) &&
           header.stream != 3) {
        damaged += header.capacity;
    }
    bytes.seekp(static_cast<std::streamoff>(damaged)).put('X');
    bytes.close();
    const auto file = File::open(path);
    ASSERT_TRUE(file);
    RowsByStream read;
    const auto report = gather(*file, read);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->damages, 1U);
    EXPECT_EQ(report->damaged[0].offset, damaged);
    EXPECT_EQ(report->damaged[0].bytes, header.capacity);
    EXPECT_EQ(read[1], written.at(1));
    EXPECT_EQ(read[2], written.at(2));
    EXPECT_LT(read[3].size() + read[4].size(), written.at(3).size() + written.at(4).size());
}

// Its magic number is a chunk's last word to be written: one that is read before that is not damaged.
TEST(DamagedFile, AChunkInTheMakingIsNone) {
    const TemporaryFolder folder;
    const auto path = folder / "a.krec";
    write_sample_file(path);
    std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
    ChunkHeader header{};
    bytes.seekg(kHeaderBytes).read(reinterpret_cast<char*>(&header), sizeof header);
    header.magic = header.committed = 0;
    bytes.seekp(kHeaderBytes).write(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.close();
    RowsByStream read;
    const auto report = gather(*File::open(path), read);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->damages, 0U);
    EXPECT_GE(report->uncommitted_bytes, header.capacity);
}

TEST(DamagedFile, WhatCannotBeOpenedIsSaidClearly) {
    const TemporaryFolder folder;
    EXPECT_EQ(File::open(folder / "none.krec").error().kind, ErrorKind::kNotFound);
    EXPECT_EQ(File::open(folder.path()).error().kind, ErrorKind::kMalformed);
    ASSERT_EQ(mkfifo((folder / "pipe.krec").c_str(), 0600), 0);
    EXPECT_EQ(File::open(folder / "pipe.krec").error().kind, ErrorKind::kMalformed);
    std::ofstream(folder / "text.krec") << "#!/bin/sh\necho this is something else\n" << std::string(200, '#');
    EXPECT_NE(File::open(folder / "text.krec").error().what.find("is not a Kymo recording"), std::string::npos);
    std::ofstream(folder / "short.krec") << "text";
    EXPECT_NE(File::open(folder / "short.krec").error().what.find("is not a Kymo recording"), std::string::npos);
    std::ofstream(folder / "empty.krec");
    EXPECT_NE(File::open(folder / "empty.krec").error().what.find("empty"), std::string::npos);
    if (geteuid() != 0) {
        chmod((folder / "text.krec").c_str(), 0);
        EXPECT_EQ(File::open(folder / "text.krec").error().kind, ErrorKind::kPermission);
    }
}

}  // namespace
}  // namespace kymo::recording
