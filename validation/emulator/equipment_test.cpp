#include "validation/emulator/equipment.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "peerpath/base/temporary_folder.hpp"

namespace peerpath::emulator {
namespace {

std::string why_no_kvm_after(const std::string& answer) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "guest");
  std::ofstream{folder.path() / "guest/kvm"} << answer;
  return why_no_kvm(folder.path());
}

TEST(Kvm, IsUsedOnlyAfterAGuestBootedWithIt) {
  EXPECT_THAT(why_no_kvm_after(""), testing::HasSubstr("not tried"));
  EXPECT_EQ(why_no_kvm_after("no\nthe guest did not boot within 20 s\nguest 7\n"),
            "the guest did not boot within 20 s");
}

TEST(Kvm, NeedsTheRightToUseItStill) {
  const bool usable = ::access("/dev/kvm", R_OK | W_OK) == 0;
  EXPECT_EQ(why_no_kvm_after("works\n\nguest 7\n"), usable ? "" : "no right to use /dev/kvm");
}

}  // namespace
}  // namespace peerpath::emulator
