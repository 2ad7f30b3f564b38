#include "validation/backends/gpu/kernel_files.hpp"

namespace peerpath::gpu_backend {

namespace fs = std::filesystem;

std::string kernel_file_name(std::string_view which, Vendor vendor) {
  return std::string{which} + (vendor == Vendor::cuda ? ".fatbin" : ".hip");
}

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::vector<fs::path> kernel_folders(const fs::path& program) {
  return {(program / ".." / "share" / "peerpath").lexically_normal(),
          (program / ".." / ".." / "gpu").lexically_normal(), program};
}

FoundKernels find_kernels(std::string_view which, Vendor vendor, const std::vector<fs::path>& folders) {
  const auto name = kernel_file_name(which, vendor);
  std::string tried;
  for (const auto& folder : folders) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) return {folder / name, {}};
    tried += (tried.empty() ? "" : ", ") + folder.string();
  }
  return {{}, "there is no " + name + " in " + tried + "; " + how_to_build_kernels(vendor)};
}

std::string how_to_build_kernels(Vendor vendor) {
  return std::string{
             "build it with validation/experiments/build-gpu, or with `cmake --preset release && cmake --build "
             "build/release --target gpu_kernels gpunet_kernels`; both need "} +
         (vendor == Vendor::cuda ? "nvcc (CUDA toolkit)" : "hipcc");
}

}  // namespace peerpath::gpu_backend
