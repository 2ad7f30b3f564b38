// The one file of a sweep: an SQLite database with a row for each point that was computed.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "study/summary.hpp"
#include "study/sweep_axis.hpp"
#include "tools/report/sweep_page.hpp"

namespace peerpath::cli {

/// Which sweep it is: a file takes points of no other one.
struct SweepIdentity {
  std::string scenario, version;  ///< name, and version of peerpath
  std::string fingerprint;        ///< of the resolved scenario and of all points
  std::vector<std::string> keys;  ///< what is varied
  std::size_t points = 0;
};

/// What to do while another program has the file locked.
struct LockedFile {
  std::function<bool()> stop{};                   ///< true: give up now
  std::function<void(const std::string&)> say{};  ///< told once of a wait that takes longer than a second
};

/// Tables: sweep(key, value), parameters(point, key, value), points(point, status, message, bottleneck),
/// results(point, metric, value). Status is ok, expectation_failed, wrong or crashed. Each function that can fail says
/// why in one sentence.
class SweepFile {
 public:
  /// Makes the file, or goes on with it; refuses one of another sweep.
  static tl::expected<SweepFile, std::string> open(const std::filesystem::path& path, const SweepIdentity& identity,
                                                   const LockedFile& locked = {});
  /// Opens one that exists.
  static tl::expected<SweepFile, std::string> open(const std::filesystem::path& path, const LockedFile& locked = {});

  const SweepIdentity& identity() const { return identity_; }
  /// 1 for each point that has a row.
  std::vector<char> done() const;
  /// Rows of a status other than ok and expectation_failed are removed.
  void forget_failed();
  /// Nothing is on disk before `commit`.
  void add(std::size_t point, const study::SweepStep& step, const study::Summary& outcome);
  /// "" or why rows could not be written, since the last call.
  std::string commit();
  /// Takes over the rows of another file of this sweep that are not here yet.
  std::string merge(const std::filesystem::path& other);

  /// All rows by point: parameters, status, then these columns: "message", "bottleneck", or metrics.
  std::string csv(const std::vector<std::string>& columns) const;
  /// What the page of the sweep shows of a metric; without one, of the goodput of all traffic.
  report::SweepSummary summary(const std::string& metric = {}) const;
  /// Names of all metrics that some point has.
  std::vector<std::string> metrics() const;
  /// How many rows have this status.
  std::size_t count(const std::string& status) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  /// A wait for a lock: SQLite calls it again and again, and gives up when it returns 0.
  struct Wait {
    std::string path;
    LockedFile locked;
    std::chrono::steady_clock::time_point since{};
    bool said = false;
    static int again(void* self, int calls);
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;

  Statement prepare(const std::string& sql) const;
  bool run(const std::string& sql);
  void step(const Statement& statement);
  /// Keeps the opened database, and how to wait for those who lock it.
  void take(sqlite3* database, const LockedFile& locked);
  std::string why(const std::string& what) const;

  std::filesystem::path path_;
  std::unique_ptr<Wait> wait_;  ///< SQLite holds its address
  std::unique_ptr<sqlite3, Close> database_;
  Statement point_, parameter_, result_;
  SweepIdentity identity_;
  std::string trouble_;
  bool open_transaction_ = false;
};

}  // namespace peerpath::cli
