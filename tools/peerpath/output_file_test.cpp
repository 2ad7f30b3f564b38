#include "tools/peerpath/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <iterator>
#include <string>

#include "peerpath/base/temporary_folder.hpp"

namespace peerpath::cli {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  Terminal terminal_;
};

TEST_F(OutputFileTest, ReplacesAFileAndLeavesNothingBeside) {
  const auto file = folder_ / "results.json";
  ASSERT_TRUE(write_file(file, "first", terminal_));
  ASSERT_TRUE(write_file(file, "second", terminal_));
  EXPECT_EQ(read_file(file), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}), 1);
}

TEST_F(OutputFileTest, WhatCouldNotBeWrittenLeavesTheOldFileAndNothingBeside) {
  const auto file = folder_ / "report.html";
  ASSERT_TRUE(write_file(file, "first", terminal_));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit little{4096, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const bool written = write_file(file, std::string(100'000, 'x'), terminal_);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(written);
  EXPECT_EQ(read_file(file), "first");
  EXPECT_EQ(std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}), 1);
}

TEST_F(OutputFileTest, FilesThatBelongTogetherAreReplacedTogetherOrNotAtAll) {
  const auto results = folder_ / "results.json", report = folder_ / "report.html";
  ASSERT_TRUE(write_file(results, "first", terminal_));
  ASSERT_TRUE(write_file(report, "first", terminal_));
  const std::array good{OutputFile{results, "second"}, OutputFile{report, "second"}};
  fs::create_symlink("/dev/full", folder_ / "report.html.part");  // a disk that is full when the report comes to it
  EXPECT_FALSE(write_files(good, terminal_));
  EXPECT_EQ(read_file(results), "first");
  EXPECT_EQ(read_file(report), "first");
  EXPECT_EQ(std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}), 2);
  EXPECT_TRUE(write_files(good, terminal_));
  EXPECT_EQ(read_file(results), "second");
  EXPECT_EQ(read_file(report), "second");
}

// What /dev/null is to root: a rename would have put a file in its place.
TEST_F(OutputFileTest, WritesToAPipeAsItIs) {
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(write_file(pipe, "words", terminal_));
  std::array<char, 16> heard{};
  EXPECT_EQ(::read(reader, heard.data(), heard.size()), 5);
  EXPECT_STREQ(heard.data(), "words");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

}  // namespace
}  // namespace peerpath::cli
