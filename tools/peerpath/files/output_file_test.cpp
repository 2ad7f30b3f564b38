#include "tools/peerpath/files/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <iterator>
#include <string>
#include <vector>

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

/// While it lives, no file may be longer.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_{std::signal(SIGXFSZ, SIG_IGN)} {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit little{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(OutputFileTest, WhatCouldNotBeWrittenLeavesTheOldFilesAndNothingBeside) {
  const auto results = folder_ / "results.json", report = folder_ / "report.html";
  ASSERT_TRUE(write_file(results, "first", terminal_));
  ASSERT_TRUE(write_file(report, "first", terminal_));
  const std::string longer(100'000, 'x');
  const std::array files{OutputFile{results, "second"}, OutputFile{report, longer}};
  {
    const FileSizeLimit limit{4096};
    EXPECT_FALSE(write_files(files, terminal_));
  }
  EXPECT_EQ(read_file(results), "first");
  EXPECT_EQ(read_file(report), "first");
  EXPECT_EQ(std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}), 2);
  EXPECT_TRUE(write_files(files, terminal_));
  EXPECT_EQ(read_file(results), "second");
  EXPECT_EQ(read_file(report), longer);
}

// Ranks of a sweep that end together all export its table.
TEST_F(OutputFileTest, ProcessesThatWriteOneFileAtOnceAllSucceed) {
  const auto file = folder_ / "table.csv";
  std::vector<pid_t> children;
  for (int n = 0; n < 16; ++n) {
    const auto child = ::fork();
    if (child == 0) {
      bool well = true;
      for (int round = 0; round < 100; ++round) well = write_file(file, std::string(5000, 'x'), terminal_) && well;
      ::_exit(well ? 0 : 1);
    }
    ASSERT_GT(child, 0);
    children.push_back(child);
  }
  int failed = 0;
  for (const auto child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    failed += status == 0 ? 0 : 1;
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(read_file(file), std::string(5000, 'x'));
  EXPECT_EQ(std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}), 1);
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
