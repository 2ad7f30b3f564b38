#include "validation/backends/gpu/kernel_files.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "peerpath/base/temporary_folder.hpp"

namespace peerpath::gpu_backend {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(KernelFiles, ShareOfTheBuildComesFirstThenBuildGpuThenTheProgramsOwnFolder) {
  const TemporaryFolder temporary;
  const auto build = temporary.path() / "build";
  const auto program = build / "release" / "bin";
  const auto share = build / "release" / "share" / "peerpath";
  for (const auto& folder : {program, share, build / "gpu"}) fs::create_directories(folder);
  const auto found = [&] { return find_kernels("gpunet", Vendor::cuda, kernel_folders(program)); };
  EXPECT_TRUE(found().file.empty());
  for (const auto& folder : {program, build / "gpu", share}) {
    std::ofstream{folder / "gpunet.fatbin"} << "code";
    EXPECT_EQ(found().file, folder / "gpunet.fatbin");
    EXPECT_EQ(found().missing, "");
  }
  EXPECT_TRUE(find_kernels("gpunet", Vendor::hip, kernel_folders(program)).file.empty());
}

TEST(KernelFiles, WhatIsMissingIsSaidWithThePlacesAndTheCommand) {
  const auto found = find_kernels("kernels", Vendor::cuda, kernel_folders("/nowhere/release/bin"));
  EXPECT_TRUE(found.file.empty());
  for (const auto* part : {"kernels.fatbin", "/nowhere/release/share/peerpath", "/nowhere/gpu", "/nowhere/release/bin",
                           "validation/experiments/build-gpu", "--target gpu_kernels", "nvcc"})
    EXPECT_THAT(found.missing, HasSubstr(part));
}

}  // namespace
}  // namespace peerpath::gpu_backend
