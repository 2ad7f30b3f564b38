// Where the compiled kernels of the GPU programs are.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "validation/backends/gpu/driver.hpp"

namespace peerpath::gpu_backend {

/// "kernels.fatbin" or "gpunet.hip": `which` is "kernels" (of `peerpath measure`) or "gpunet" (of sockets).
std::string kernel_file_name(std::string_view which, Vendor vendor);

/// The folder of the running program.
std::filesystem::path program_folder();

/// Where kernels are looked for, in this order: share/peerpath of the build or of the package, build/gpu of
/// validation/experiments/build-gpu, and beside the program, which is in `program`.
std::vector<std::filesystem::path> kernel_folders(const std::filesystem::path& program = program_folder());

struct FoundKernels {
  std::filesystem::path file;  ///< empty if there is none
  std::string missing;         ///< then: where it was looked for, and the commands that build it
};

FoundKernels find_kernels(std::string_view which, Vendor vendor,
                          const std::vector<std::filesystem::path>& folders = kernel_folders());

/// "validation/experiments/build-gpu": the commands that build the kernels, and what they need.
std::string how_to_build_kernels(Vendor vendor);

}  // namespace peerpath::gpu_backend
