#include "tools/peerpath/batch/child_pool.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <stdexcept>

#include "peerpath/base/fail.hpp"

namespace peerpath::cli {
namespace {

using testing::HasSubstr;

std::map<std::size_t, ChildEnd> ends_of(std::size_t count, int jobs, std::function<std::string(std::size_t)> work) {
  std::map<std::size_t, ChildEnd> ends;
  run_children(count, {jobs, std::move(work), [&](std::size_t n, const ChildEnd& end) { ends[n] = end; }});
  return ends;
}

TEST(ChildPool, EachPieceIsDoneOnce) {
  const auto ends = ends_of(20, 3, [](std::size_t n) { return std::string(n * 10'000, 'x'); });
  ASSERT_EQ(ends.size(), 20U);
  for (const auto& [n, end] : ends) {
    EXPECT_EQ(end.output.size(), n * 10'000);
    EXPECT_EQ(end.crash, "");
  }
}

TEST(ChildPool, ACrashIsOfItsChildAlone) {
  const auto ends = ends_of(5, 2, [](std::size_t n) -> std::string {
    if (n == 1) raise(SIGKILL);
    if (n == 2) throw std::runtime_error{"no more tags"};
    if (n == 3) peerpath::fail("a test's");
    return "well";
  });
  EXPECT_EQ(ends.at(0).output + ends.at(4).output, "wellwell");
  EXPECT_EQ(ends.at(1).crash, "killed by signal 9 (Killed)");
  EXPECT_EQ(ends.at(2).crash, "ended with status 1: exception: no more tags");
  EXPECT_THAT(ends.at(3).crash, HasSubstr("ended with status 70: peerpath: internal error: a test's"));
}

TEST(ChildPool, AStopEndsWhatRunsAndStartsNothing) {
  std::size_t ended = 0;
  bool stop = false;
  ChildPool pool;
  pool.jobs = 2;
  pool.work = [](std::size_t n) {
    if (n > 0) pause();
    return std::string{};
  };
  pool.ended = [&](std::size_t, const ChildEnd&) { ++ended, stop = true; };
  pool.stop = [&] { return stop; };
  run_children(1000, pool);
  EXPECT_LE(ended, 3U);
}

}  // namespace
}  // namespace peerpath::cli
