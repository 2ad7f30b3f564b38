#include "validation/pcie_bench/host_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "validation/import/lspci.hpp"
#include "validation/pcie_bench/csv.hpp"
#include "validation/pcie_bench/fit.hpp"
#include "validation/pcie_bench/host_cache.hpp"

namespace peerpath::pcie_bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* bandwidth_file = "bw_dma_sz_sweep.csv";
constexpr const char* dma_latency_file = "lat_dma_sizes.csv";
constexpr const char* command_latency_file = "lat_cmd_sizes.csv";
constexpr std::string_view window_latency_file = "lat_dma_sweep_rd_rnd_64.csv";

struct SweepFile {
  const char* name;
  bool latency;
};
constexpr std::array sweep_files{
    SweepFile{"bw_dma_win_sweep_rd_rnd_64.csv", false},  SweepFile{"bw_dma_win_sweep_rd_rnd_128.csv", false},
    SweepFile{"bw_dma_win_sweep_rd_rnd_256.csv", false}, SweepFile{"bw_dma_win_sweep_rd_rnd_512.csv", false},
    SweepFile{"bw_dma_win_sweep_wr_rnd_64.csv", false},  SweepFile{"bw_dma_win_sweep_wr_rnd_256.csv", false},
    SweepFile{"bw_dma_win_sweep_wr_rnd_512.csv", false}, SweepFile{window_latency_file.data(), true},
    SweepFile{"lat_cmd_sweep_wrrd_rnd_08.csv", true}};

/// Last-level caches by processor: Intel's product specifications (ark.intel.com).
struct Processor {
  std::string_view name;
  Bytes cache;
};
constexpr std::array processors{Processor{"E5-2630v4", Bytes{25 << 20}}, Processor{"E5-2620v3", Bytes{15 << 20}},
                                Processor{"E5-2637v3", Bytes{15 << 20}}, Processor{"E5-2620v2", Bytes{15 << 20}},
                                Processor{"E5-2630", Bytes{15 << 20}}};

tl::expected<std::string, Problem> read_text(const fs::path& file) {
  std::error_code error;
  std::ifstream in{file, std::ios::binary};
  if (!in || fs::is_directory(file, error)) return tl::unexpected{Problem{file.string(), 0, 0, "", "cannot be read"}};
  return std::string{std::istreambuf_iterator<char>{in}, {}};
}

std::optional<Test> test_named(std::string_view name) {
  for (const auto& entry : enum_names(Test{}))
    if (entry.name == name) return entry.value;
  return {};
}

/// The benchmark card of a dump: an NFP-6000 with a trained link, else another function of its vendor (a host may hold
/// both).
const import::Function* find_card(const std::vector<import::Function>& functions) {
  for (const char* name : {"Netronome Systems, Inc. Device 6000", "Netronome"}) {
    const auto card = std::ranges::find_if(
        functions, [&](const import::Function& f) { return f.name.find(name) != std::string::npos && f.link; });
    if (card != functions.end()) return &*card;
  }
  return nullptr;
}

/// The file that holds the results of a test.
const char* file_of(Test test) {
  if (!is_latency(test)) return bandwidth_file;
  return test == Test::lat_cmd_read || test == Test::lat_cmd_write_read ? command_latency_file : dma_latency_file;
}

/// What the processor itself says goes before what is known of its name.
void read_dumped_cache(const fs::path& folder, Setup& setup) {
  for (const auto* name : {"sys-lscpu.txt", "sys-cpuinfo.txt"}) {
    const auto text = read_text(folder / name);
    const auto cache = text ? read_cache(*text) : std::nullopt;
    if (!cache) continue;
    setup.cache = cache->size;
    setup.cache_ways = cache->ways.value_or(setup.cache_ways);
    setup.cache_from = name;
    return;
  }
}

void require_fit_curves(const HostData& host, const fs::path& folder, Problems& problems) {
  std::set<Test> missing;
  for (const auto& want : wanted_fit_cases()) missing.insert(want.test);
  for (const auto& point : host.points) missing.erase(point.which.test);
  for (const auto test : missing)
    problems.push_back({(folder / file_of(test)).string(), 1, 1, "",
                        "no row of " + std::string{name_of(test)} + "; the fit needs one, better two"});
}

}  // namespace

const Point* HostData::find(Test test, std::int64_t size) const {
  const auto point = std::ranges::find_if(
      points, [&](const Point& p) { return p.which.test == test && p.which.size.count() == size; });
  return point == points.end() ? nullptr : &*point;
}

const SweepPoint* HostData::find(const Sweep& sweep) const {
  const auto point = std::ranges::find(sweeps, sweep, &SweepPoint::sweep);
  return point == sweeps.end() ? nullptr : &*point;
}

// A read that meets a refresh waits for what is left of it, so a thousandth of all reads wait for all of it but the
// last thousandth of an interval, or longer. Warm reads of local memory meet none, but may have a tail of their own.
double read_refresh(const HostData& host) {
  constexpr double last = 0.001 * static_cast<double>(femtoseconds(refresh_interval)) / 1e6;
  constexpr std::array standard{110.0, 160.0, 260.0, 350.0, 550.0};  // of 1, 2, 4, 8, 16 Gb
  const auto tail = [&](CacheState cache) {
    const auto* point = host.find({{Test::lat_dma_read, Bytes{64}}, Bytes{64 << 10}, cache});
    return point ? point->tail : std::nullopt;
  };
  const auto cold = tail(CacheState::cold), warm = host.setup.remote_memory ? 0.0 : tail(CacheState::warm);
  if (!cold || !warm) return HostConstants{}.refresh;
  return *std::ranges::min_element(standard, {}, [&](double t) { return std::abs(*cold - *warm + last - t); });
}

namespace {

/// Calls `use` with test, size and measured value of each row that has them.
template <class Use>
void for_each_row(std::string_view text, const std::string& file, bool latency, std::vector<std::string> needed,
                  Problems& problems, Use use) {
  needed.insert(needed.end(), {"Test", "WinSZ", "SZ"});
  if (latency)
    needed.push_back("Avg(ns)");
  else
    needed.insert(needed.end(), {"Time", "Bytes"});
  const auto table = parse_csv(text, file, needed);
  if (!table) {
    problems.insert(problems.end(), table.error().begin(), table.error().end());
    return;
  }
  for (const auto& row : table->rows) {
    const auto problem = [&](const std::string& what) { problems.push_back({file, row.line, 1, "", what}); };
    const auto test = test_named(cell(*table, row, "Test"));
    if (!test || is_latency(*test) != latency) {
      problem("\"" + cell(*table, row, "Test") + "\" is not a test of this file");
      continue;
    }
    const auto size = positive_number(*table, row, "SZ", problems);
    if (size != std::floor(size) || size > 4096) problem("SZ is not a whole number of bytes up to 4096");
    double measured = 0;
    if (latency) {
      measured = positive_number(*table, row, "Avg(ns)", problems);
    } else {
      const auto time = positive_number(*table, row, "Time", problems);
      const auto bytes = positive_number(*table, row, "Bytes", problems);
      measured = time > 0 ? 8 * bytes / time : 0;
    }
    use(*table, row, Case{*test, Bytes{static_cast<std::int64_t>(size)}}, measured);
  }
}

std::optional<double> tail_of(const Table& table, const Row& row) {
  for (const std::string_view column : {"99.9%(ns)", "Med(ns)"})
    if (std::ranges::find(table.columns, column) == table.columns.end()) return {};
  Problems ignored;
  const auto slow = positive_number(table, row, "99.9%(ns)", ignored),
             median = positive_number(table, row, "Med(ns)", ignored);
  return ignored.empty() && slow > median ? std::optional{slow - median} : std::nullopt;
}

}  // namespace

void read_points(std::string_view text, const std::string& file, bool latency, std::vector<Point>& points,
                 Problems& problems) {
  for_each_row(text, file, latency, {}, problems, [&](const Table&, const Row&, const Case& which, double measured) {
    points.push_back({which, measured});
  });
}

void read_sweeps(std::string_view text, const std::string& file, bool latency, std::vector<SweepPoint>& points,
                 Problems& problems) {
  for_each_row(text, file, latency, {"Cache"}, problems,
               [&](const Table& table, const Row& row, const Case& which, double measured) {
                 const auto window = Bytes{static_cast<std::int64_t>(positive_number(table, row, "WinSZ", problems))};
                 for (const auto& state : enum_names(CacheState{}))
                   if (state.name == cell(table, row, "Cache"))
                     points.push_back({{which, window, state.value}, measured, tail_of(table, row)});
               });
}

std::optional<bool> read_card_warms(std::string_view text, const std::string& file) {
  std::map<std::string, double> sums;  // of each cache state, over the same windows
  Problems problems;
  for_each_row(text, file, true, {"Cache"}, problems,
               [&](const Table& table, const Row& row, const Case& which, double measured) {
                 if (which.test == Test::lat_dma_read && positive_number(table, row, "WinSZ", problems) <= 256 << 10)
                   sums[cell(table, row, "Cache")] += measured;
               });
  const auto cold = sums["Cold"], by_host = sums["HWarm"], by_card = sums["DWarm"];
  if (cold == 0 || by_host == 0 || by_card == 0) return {};
  return std::abs(by_card - by_host) < std::abs(by_card - cold);
}

void read_name(std::string_view name, Setup& setup) {
  const auto known =
      std::ranges::find_if(processors, [&](const Processor& p) { return name.find(p.name) != name.npos; });
  if (known != processors.end()) setup.cache = known->cache, setup.cache_from = "Intel's product specification";
  setup.remote_memory = name.find("-s0-s1-") != name.npos || name.find("-s1-s0-") != name.npos;
}

tl::expected<Setup, Problems> read_setup(std::string_view lspci, const std::string& file, std::string_view cmdline) {
  auto functions = import::parse_lspci(lspci, file);
  if (!functions) return tl::unexpected{functions.error()};
  const auto* card = find_card(*functions);
  if (!card) return tl::unexpected{Problems{{file, 1, 1, "", "no Netronome card with a link in this dump"}}};
  if (!card->max_payload || !card->max_read_request || !card->extended_tag)
    return tl::unexpected{
        Problems{{file, card->line, 1, "", "the card's DevCtl does not say MaxPayload, MaxReadReq and ExtTag"}}};
  if (std::min(*card->max_payload, *card->max_read_request) < Bytes{128})
    return tl::unexpected{
        Problems{{file, card->line, 1, "", "the card's MaxPayload and MaxReadReq are at least 128 bytes"}}};
  Setup setup;
  setup.link = *card->link;
  setup.max_payload = *card->max_payload;
  setup.max_read_request = *card->max_read_request;
  setup.tags = *card->extended_tag ? 256 : 32;
  setup.card_ecrc = card->ecrc_generation.value_or(false);
  const auto* root = import::parent(*functions, *card);
  setup.host_ecrc = root && root->ecrc_generation.value_or(false);
  setup.iommu = cmdline.find("intel_iommu=on") != cmdline.npos || cmdline.find("amd_iommu=on") != cmdline.npos;
  setup.super_pages = cmdline.find("sp_off") == cmdline.npos;
  return setup;
}

tl::expected<HostData, Problems> load_host(const fs::path& folder) {
  Problems problems;
  const auto text = [&](const char* name) {
    auto read = read_text(folder / name);
    if (!read) problems.push_back(read.error());
    return read;
  };
  HostData host;
  host.name = fs::absolute(folder).lexically_normal().filename().string();
  if (host.name.empty()) host.name = fs::absolute(folder).lexically_normal().parent_path().filename().string();
  for (const auto& [name, latency] :
       {std::pair{bandwidth_file, false}, {dma_latency_file, true}, {command_latency_file, true}})
    if (const auto read = text(name)) read_points(*read, (folder / name).string(), latency, host.points, problems);
  std::optional<bool> card_warms;
  for (const auto& [name, latency] : sweep_files)
    if (std::error_code error; fs::exists(folder / name, error))
      if (const auto read = text(name)) {
        read_sweeps(*read, (folder / name).string(), latency, host.sweeps, problems);
        if (name == window_latency_file) card_warms = read_card_warms(*read, name);
      }
  const auto lspci = text("sys-lspci.txt"), cmdline = text("sys-kernel-cmdline.txt");
  if (lspci && cmdline) {
    auto setup = read_setup(*lspci, (folder / "sys-lspci.txt").string(), *cmdline);
    if (setup) {
      host.setup = *setup;
      host.setup.card_warms = card_warms.value_or(true);
      read_name(host.name, host.setup);
      read_dumped_cache(folder, host.setup);
    } else {
      problems.insert(problems.end(), setup.error().begin(), setup.error().end());
    }
  }
  if (problems.empty()) require_fit_curves(host, folder, problems);
  if (!problems.empty()) return tl::unexpected{problems};
  return host;
}

std::vector<fs::path> find_hosts(const fs::path& folder) {
  std::error_code error;
  const auto holds = [&](const fs::path& path) {
    return fs::exists(path / bandwidth_file, error) || fs::exists(path / "sys-lspci.txt", error) ||
           fs::exists(path / dma_latency_file, error);
  };
  if (holds(folder)) return {folder};
  std::vector<fs::path> hosts;
  for (const auto& entry : fs::directory_iterator{folder, error})
    if (entry.is_directory(error) && holds(entry.path())) hosts.push_back(entry.path());
  std::ranges::sort(hosts);
  return hosts;
}

}  // namespace peerpath::pcie_bench
