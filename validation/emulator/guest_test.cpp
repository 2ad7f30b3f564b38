// A shell script stands in for QEMU: what matters here is how a guest ends.
#include "validation/emulator/guest.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "peerpath/base/temporary_folder.hpp"

namespace peerpath::emulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Guest : public testing::Test {
 protected:
  Guest() { options_.folder = folder_.path(); }

  /// `does`: the script's part that writes to the console (standard output) and to $report.
  tl::expected<BootResult, std::string> boot_with(const std::string& does) {
    const auto program = options_.folder / "qemu";
    std::ofstream{program} << "#!/bin/sh\nfor w; do case $w in file:*) report=${w#file:} ;; esac; done\n: >$report\n"
                           << does;
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return boot({program, "vmlinuz", "initramfs"}, options_);
  }

  TemporaryFolder folder_;
  BootOptions options_;
};

TEST_F(Guest, ReportsWhatItsJobSaid) {
  const auto result = boot_with(R"(echo hello; echo '{"a": 1}' >>$report; echo '{"end": 0, "tainted": 4}' >>$report)");
  ASSERT_TRUE(result) << result.error();
  EXPECT_THAT(result->report, ElementsAre(R"({"a": 1})"));
  EXPECT_EQ(result->status, 0);
  EXPECT_EQ(result->tainted, 4);
}

TEST_F(Guest, ItsFolderMayHaveACommaInItsName) {
  options_.folder = folder_.path() / "a,file=b";
  std::filesystem::create_directories(options_.folder);
  const auto result = boot_with(R"(echo "{\"words\": \"$*\"}" >>$report; echo '{"end": 0}' >>$report)");
  ASSERT_TRUE(result) << result.error();
  EXPECT_THAT(result->report.front(),
              HasSubstr("-fw_cfg name=opt/org.peerpath/job,file=" + folder_.path().string() + "/a,,file=b/job.sh"));
  EXPECT_THAT(result->report.front(), HasSubstr("-serial file:" + folder_.path().string() + "/a,file=b/report.jsonl"));
}

TEST_F(Guest, EndsWithoutAWord) {
  const auto result = boot_with("echo last; echo words; echo from QEMU >&2; exit 3\n");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error(), HasSubstr("ended before its job did (QEMU: exit status 3) from QEMU"));
  EXPECT_THAT(result.error(), HasSubstr("\n  last\n  words"));
}

TEST_F(Guest, HangIsEndedWithTheConsole) {
  options_.timeout = std::chrono::seconds{1};
  const auto result = boot_with("echo stuck here; sleep 100\n");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error(), HasSubstr("did not end within 1 s"));
  EXPECT_THAT(result.error(), HasSubstr("stuck here"));
}

TEST_F(Guest, OopsIsEndedWithTheConsole) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result =
      boot_with("echo '[ 1.0] BUG: kernel NULL pointer dereference, address: 00a0'; echo RIP; sleep 100\n");
  ASSERT_FALSE(result);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
  EXPECT_THAT(result.error(), HasSubstr("kernel broke: [ 1.0] BUG: kernel NULL"));
  EXPECT_THAT(result.error(), HasSubstr("\n  RIP"));
}

TEST_F(Guest, StopsWhenAsked) {
  options_.stop = [] { return true; };
  const auto result = boot_with("sleep 100\n");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->interrupted);
}

}  // namespace
}  // namespace peerpath::emulator
