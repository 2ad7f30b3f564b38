// A directory of published results: what was measured on one host, and how that host was set up.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"
#include "validation/pcie_bench/bench.hpp"

namespace peerpath::pcie_bench {

/// A measured point: nanoseconds, or Gb/s per direction.
struct Point {
  Case which;
  double measured = 0;
};

/// A measured point of a window sweep.
struct SweepPoint {
  Sweep sweep;
  double measured = 0;
  std::optional<double> tail{};  ///< of latencies: what the slowest thousandth takes longer than the median
};

struct HostData {
  std::string name;  ///< of the directory
  Setup setup;
  std::vector<Point> points;  ///< as in the files: bandwidths, then latencies

  std::vector<SweepPoint> sweeps;  ///< those whose caches were left cold or warmed by the host

  const Point* find(Test test, std::int64_t size) const;
  const SweepPoint* find(const Sweep& sweep) const;
};

/// How long a refresh of the host's DRAM lasts: of the times that are standard (tRFC of 1 to 16 Gb: JESD79-3, -4) the
/// one next to what the slowest thousandth of cold reads take longer than the median (64 B, 64 KiB), less the same of
/// warm reads where the cache serves those, and a thousandth of the interval. Without these rows 350 ns.
double read_refresh(const HostData& host);

/// Reads the size sweeps (bw_dma_sz_sweep.csv, lat_dma_sizes.csv, lat_cmd_sizes.csv), sys-lspci.txt and
/// sys-kernel-cmdline.txt as they were published. All problems are reported, with file and line.
tl::expected<HostData, Problems> load_host(const std::filesystem::path& folder);

/// The directories below `folder` that hold results, or `folder` itself if it does; sorted.
std::vector<std::filesystem::path> find_hosts(const std::filesystem::path& folder);

/// Setup from the two texts of a host. Exposed for tests.
tl::expected<Setup, Problems> read_setup(std::string_view lspci, const std::string& lspci_file,
                                         std::string_view cmdline);

/// Adds the points of one window sweep; tests and cache states that are not predicted are left out.
void read_sweeps(std::string_view text, const std::string& file, bool latency, std::vector<SweepPoint>& points,
                 Problems& problems);

/// Whether windows that the card had written before a test (DWarm) were in the cache: LAT_DMA_RD of them, at most 256
/// KiB, is nearer to that of windows warmed by the host than to that of cold ones. Nothing where there are no such
/// rows.
std::optional<bool> read_card_warms(std::string_view text, const std::string& file);

/// What the name of a directory says: sockets of card and memory (-s0-s1-s1), and the processor.
void read_name(std::string_view name, Setup& setup);

/// Adds the points of one result file. `latency` chooses the columns.
void read_points(std::string_view text, const std::string& file, bool latency, std::vector<Point>& points,
                 Problems& problems);

}  // namespace peerpath::pcie_bench
