#include "tools/peerpath/run/mpi_ranks.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "peerpath/base/fail.hpp"

namespace peerpath::cli {
namespace {

using network_run::Buffer;

/// The binary interface of Open MPI 4 and 5 (libmpi.so.40): handles are addresses of objects in the library, a status
/// is three ints, a flag and a size (ompi/include/mpi.h).
struct OpenMpi {
  struct Status {
    int source = 0, tag = 0, error = 0, cancelled = 0;
    std::size_t size = 0;
  };
  using Handle = void*;

  int (*init)(int*, char***) = nullptr;
  int (*finalize)() = nullptr;
  int (*comm_rank)(Handle, int*) = nullptr;
  int (*comm_size)(Handle, int*) = nullptr;
  int (*isend)(const void*, int, Handle, int, int, Handle, Handle*) = nullptr;
  int (*iprobe)(int, int, Handle, int*, Status*) = nullptr;
  int (*get_count)(const Status*, Handle, int*) = nullptr;
  int (*recv)(void*, int, Handle, int, int, Handle, Status*) = nullptr;
  int (*wait)(Handle*, Status*) = nullptr;
  Handle world = nullptr, byte = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

bool find_all(void* library, OpenMpi& mpi) {
  return find(library, "MPI_Init", mpi.init) && find(library, "MPI_Finalize", mpi.finalize) &&
         find(library, "MPI_Comm_rank", mpi.comm_rank) && find(library, "MPI_Comm_size", mpi.comm_size) &&
         find(library, "MPI_Isend", mpi.isend) && find(library, "MPI_Iprobe", mpi.iprobe) &&
         find(library, "MPI_Get_count", mpi.get_count) && find(library, "MPI_Recv", mpi.recv) &&
         find(library, "MPI_Wait", mpi.wait) && find(library, "ompi_mpi_comm_world", mpi.world) &&
         find(library, "ompi_mpi_byte", mpi.byte);
}

/// One message to each other rank and one from it, each time. Errors of MPI end all ranks (its default).
class MpiRanks final : public network_run::Ranks {
 public:
  explicit MpiRanks(const OpenMpi& mpi) : mpi_{mpi} {
    mpi_.init(nullptr, nullptr);
    int number = 0, count = 1;
    mpi_.comm_rank(mpi_.world, &number);
    mpi_.comm_size(mpi_.world, &count);
    number_ = static_cast<std::uint32_t>(number);
    count_ = static_cast<std::uint32_t>(count);
    sent_.resize(count_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override { mpi_.finalize(); }

  std::uint32_t number() const override { return number_; }
  std::uint32_t count() const override { return count_; }

  void exchange(const std::vector<Buffer>& out, std::vector<Buffer>& in) override {
    for (std::uint32_t r = 0; r < count_; ++r) {
      if (r == number_) continue;
      require(out[r].size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()), "2 GiB a message at most");
      mpi_.isend(out[r].data(), static_cast<int>(out[r].size()), mpi_.byte, static_cast<int>(r), 0, mpi_.world,
                 &sent_[r]);
    }
    for (std::uint32_t r = 0; r < count_; ++r) {
      if (r == number_) continue;
      const auto status = wait_for(static_cast<int>(r));
      int bytes = 0;
      mpi_.get_count(&status, mpi_.byte, &bytes);
      in[r].resize(static_cast<std::size_t>(bytes));
      mpi_.recv(in[r].data(), bytes, mpi_.byte, static_cast<int>(r), 0, mpi_.world, nullptr);
    }
    for (std::uint32_t r = 0; r < count_; ++r)
      if (r != number_) mpi_.wait(&sent_[r], nullptr);
  }

 private:
  /// Asks again and again, and after a while sleeps in between: where there are more ranks than processors, one that
  /// only asks (or yields, which is the library's way) holds up the one that it waits for.
  OpenMpi::Status wait_for(int rank) const {
    using Clock = std::chrono::steady_clock;
    OpenMpi::Status status;
    int there = 0;
    const auto patient = Clock::now() + std::chrono::microseconds{100};
    for (int asked = 1;; ++asked) {
      mpi_.iprobe(rank, 0, mpi_.world, &there, &status);
      if (there != 0) return status;
      if (asked % 16 == 0 && Clock::now() > patient) std::this_thread::sleep_for(std::chrono::microseconds{10});
    }
  }

  OpenMpi mpi_;
  std::uint32_t number_ = 0, count_ = 1;
  std::vector<OpenMpi::Handle> sent_;
};

}  // namespace

tl::expected<std::unique_ptr<network_run::Ranks>, std::string> join_ranks(const Rank& rank) {
  // Its own plugins look for its symbols among those of the program.
  void* library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    return tl::unexpected{std::string{"network scenarios over several ranks need Open MPI (Debian: openmpi-bin): "} +
                          dlerror()};
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);  // see wait_for
  OpenMpi mpi;
  if (!find_all(library, mpi)) return tl::unexpected{std::string{"libmpi.so.40 is not Open MPI's"}};
  auto ranks = std::make_unique<MpiRanks>(mpi);
  if (ranks->count() != rank.of)
    return tl::unexpected{"the launcher started " + std::to_string(rank.of) + " processes, but Open MPI reports " +
                          std::to_string(ranks->count()) + ": start them with Open MPI's mpirun"};
  return ranks;
}

}  // namespace peerpath::cli
