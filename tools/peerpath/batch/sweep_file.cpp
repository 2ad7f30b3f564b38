#include "tools/peerpath/batch/sweep_file.hpp"

#include <fmt/format.h>

#include <thread>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

namespace peerpath::cli {
namespace {

constexpr std::chrono::seconds longest_lock{60};

constexpr const char* tables =
    "CREATE TABLE IF NOT EXISTS sweep(key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS points(point INTEGER PRIMARY KEY, status TEXT NOT NULL, message TEXT NOT NULL, "
    "bottleneck TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS parameters(point INTEGER, key TEXT, value TEXT NOT NULL, PRIMARY KEY(point, key)) "
    "WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS results(point INTEGER, metric TEXT, value REAL, PRIMARY KEY(point, metric)) WITHOUT "
    "ROWID;";

void put(sqlite3_stmt* statement, int place, const std::string& text) {
  sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}
void put(sqlite3_stmt* statement, int place, std::size_t number) {
  sqlite3_bind_int64(statement, place, static_cast<sqlite3_int64>(number));
}

std::string column(sqlite3_stmt* statement, int place) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, place));
  return text == nullptr ? std::string{}
                         : std::string{text, static_cast<std::size_t>(sqlite3_column_bytes(statement, place))};
}

std::string status_of(const study::Summary& outcome) {
  switch (outcome.kind) {
    case study::Ending::passed:
      return "ok";
    case study::Ending::failed:
      return "expectation_failed";
    case study::Ending::crashed:
      return "crashed";
    default:
      return "wrong";
  }
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string{"\"\""} : std::string{c};
  return out + "\"";
}

}  // namespace

std::string SweepFile::why(const std::string& what) const {
  return what + " " + path_.string() + ": " + (database_ ? sqlite3_errmsg(database_.get()) : "no memory");
}

SweepFile::Statement SweepFile::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr);
  return Statement{statement};
}

bool SweepFile::run(const std::string& sql) {
  const bool well = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  if (!well && trouble_.empty()) trouble_ = why("cannot write");
  return well;
}

void SweepFile::step(const Statement& statement) {
  if (sqlite3_step(statement.get()) != SQLITE_DONE && trouble_.empty()) trouble_ = why("cannot write");
  sqlite3_reset(statement.get());
}

int SweepFile::Wait::again(void* self, int calls) {
  auto& wait = *static_cast<Wait*>(self);
  const auto now = std::chrono::steady_clock::now();
  if (calls == 0) wait.since = now;
  if (wait.locked.stop && wait.locked.stop()) return 0;
  if (now - wait.since > longest_lock) return 0;
  if (now - wait.since > std::chrono::seconds{1} && !std::exchange(wait.said, true) && wait.locked.say)
    wait.locked.say(wait.path + " is locked by another program; waiting for it, " +
                    std::to_string(longest_lock.count()) + " s at most (Ctrl-C ends the sweep)");
  std::this_thread::sleep_for(std::chrono::milliseconds{10});
  return 1;
}

void SweepFile::take(sqlite3* database, const LockedFile& locked) {
  database_.reset(database);
  wait_ = std::make_unique<Wait>(Wait{path_.string(), locked});
  sqlite3_busy_handler(database, Wait::again, wait_.get());
}

tl::expected<SweepFile, std::string> SweepFile::open(const std::filesystem::path& path, const LockedFile& locked) {
  std::error_code error;
  SweepFile file;
  file.path_ = path;
  if (!std::filesystem::exists(path, error)) return tl::unexpected{"there is no file " + path.string()};
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
  file.take(database, locked);
  if (opened != SQLITE_OK) return tl::unexpected{file.why("cannot open")};
  const auto statement = file.prepare("SELECT value FROM sweep WHERE key = 'identity'");
  const bool found = statement && sqlite3_step(statement.get()) == SQLITE_ROW;
  if (sqlite3_errcode(database) == SQLITE_BUSY) return tl::unexpected{file.why("cannot read")};
  if (!found) return tl::unexpected{path.string() + " is not a sweep file"};
  const auto identity = nlohmann::json::parse(column(statement.get(), 0), nullptr, false);
  if (!identity.is_object()) return tl::unexpected{path.string() + " is not a sweep file"};
  file.identity_ = {identity.value("scenario", ""), identity.value("version", ""), identity.value("fingerprint", ""),
                    identity.value("keys", std::vector<std::string>{}), identity.value("points", std::size_t{0})};
  file.point_ = file.prepare("INSERT OR REPLACE INTO points VALUES(?, ?, ?, ?)");
  file.parameter_ = file.prepare("INSERT OR REPLACE INTO parameters VALUES(?, ?, ?)");
  file.result_ = file.prepare("INSERT OR REPLACE INTO results VALUES(?, ?, ?)");
  if (!file.point_ || !file.parameter_ || !file.result_) return tl::unexpected{path.string() + " is not a sweep file"};
  return file;
}

tl::expected<SweepFile, std::string> SweepFile::open(const std::filesystem::path& path, const SweepIdentity& identity,
                                                     const LockedFile& locked) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) || std::filesystem::file_size(path, error) == 0) {
    SweepFile made;
    made.path_ = path;
    sqlite3* database = nullptr;
    const int opened = sqlite3_open(path.c_str(), &database);
    made.take(database, locked);
    if (opened != SQLITE_OK) return tl::unexpected{made.why("cannot make")};
    made.run(std::string{"BEGIN IMMEDIATE;"} + tables);  // at once, so that a kill leaves all of it or nothing
    const auto statement = made.prepare("INSERT OR IGNORE INTO sweep VALUES('identity', ?)");
    const nlohmann::json document{{"scenario", identity.scenario},
                                  {"version", identity.version},
                                  {"fingerprint", identity.fingerprint},
                                  {"keys", identity.keys},
                                  {"points", identity.points}};
    if (statement) {
      put(statement.get(), 1, document.dump());
      made.step(statement);
    }
    made.run("COMMIT");
    if (!made.trouble_.empty()) return tl::unexpected{made.trouble_};
  }
  auto file = open(path, locked);
  if (!file) return file;
  const auto& held = file->identity();
  const auto another = [&](const std::string& what) {
    return tl::unexpected{path.string() + " holds " + what + "; give another file to --out, or remove it"};
  };
  if (held.scenario != identity.scenario)
    return another("a sweep of " + held.scenario + ", not of " + identity.scenario);
  if (held.version != identity.version)
    return another("a sweep by peerpath " + held.version + ", and this is " + identity.version);
  if (held.fingerprint != identity.fingerprint)
    return another("a sweep of a different version of this scenario, or of different points");
  return file;
}

std::vector<char> SweepFile::done() const {
  std::vector<char> done(identity_.points, 0);
  const auto statement = prepare("SELECT point FROM points");
  while (statement && sqlite3_step(statement.get()) == SQLITE_ROW)
    if (const auto point = static_cast<std::size_t>(sqlite3_column_int64(statement.get(), 0)); point < done.size())
      done[point] = 1;
  return done;
}

void SweepFile::forget_failed() {
  const std::string failed = "(SELECT point FROM points WHERE status NOT IN ('ok', 'expectation_failed'))";
  run("BEGIN IMMEDIATE; DELETE FROM results WHERE point IN " + failed + "; DELETE FROM parameters WHERE point IN " +
      failed + "; DELETE FROM points WHERE point IN " + failed + "; COMMIT");
}

void SweepFile::add(std::size_t point, const study::SweepStep& at, const study::Summary& outcome) {
  if (!open_transaction_) open_transaction_ = run("BEGIN IMMEDIATE");
  if (!open_transaction_) return;  // locked for longer than anybody waits: `commit` says so
  std::string message;
  for (const auto& problem : outcome.problems) message += (message.empty() ? "" : "\n") + to_string(problem);
  put(point_.get(), 1, point);
  put(point_.get(), 2, status_of(outcome));
  put(point_.get(), 3, message);
  put(point_.get(), 4, outcome.bottleneck);
  step(point_);
  for (std::size_t n = 0; n < identity_.keys.size(); ++n) {
    put(parameter_.get(), 1, point);
    put(parameter_.get(), 2, identity_.keys[n]);
    put(parameter_.get(), 3, at.values[n]);
    step(parameter_);
  }
  for (const auto& [metric, value] : outcome.metrics) {
    put(result_.get(), 1, point);
    put(result_.get(), 2, metric);
    if (value)
      sqlite3_bind_double(result_.get(), 3, *value);
    else
      sqlite3_bind_null(result_.get(), 3);
    step(result_);
  }
}

std::string SweepFile::commit() {
  if (open_transaction_) run("COMMIT");
  open_transaction_ = false;
  return std::exchange(trouble_, {});
}

std::string SweepFile::merge(const std::filesystem::path& other) {
  const auto statement = prepare("ATTACH ? AS other");
  put(statement.get(), 1, other.string());
  step(statement);
  if (run("BEGIN IMMEDIATE")) {
    for (const auto* table : {"parameters", "results", "points"})
      run(fmt::format("INSERT OR IGNORE INTO main.{0} SELECT * FROM other.{0}", table));
    run("COMMIT");
  }
  run("DETACH other");
  return std::exchange(trouble_, {});
}

std::size_t SweepFile::count(const std::string& status) const {
  const auto statement = prepare("SELECT count(*) FROM points WHERE status = ?");
  put(statement.get(), 1, status);
  return sqlite3_step(statement.get()) == SQLITE_ROW
             ? static_cast<std::size_t>(sqlite3_column_int64(statement.get(), 0))
             : 0;
}

std::vector<std::string> SweepFile::metrics() const {
  std::vector<std::string> metrics;
  const auto names = prepare("SELECT DISTINCT metric FROM results ORDER BY metric");
  while (sqlite3_step(names.get()) == SQLITE_ROW) metrics.push_back(column(names.get(), 0));
  return metrics;
}

std::string SweepFile::csv(const std::vector<std::string>& columns) const {
  std::string text = "point";
  for (const auto& key : identity_.keys) text += "," + csv_cell(key);
  text += ",status";
  for (const auto& name : columns) text += "," + csv_cell(name);
  text += "\n";
  const auto points = prepare("SELECT point, status, message, bottleneck FROM points ORDER BY point");
  const auto parameter = prepare("SELECT value FROM parameters WHERE point = ? AND key = ?");
  const auto results = prepare("SELECT metric, value FROM results WHERE point = ? AND value IS NOT NULL");
  while (sqlite3_step(points.get()) == SQLITE_ROW) {
    const auto point = static_cast<std::size_t>(sqlite3_column_int64(points.get(), 0));
    text += std::to_string(point);
    for (const auto& key : identity_.keys) {
      put(parameter.get(), 1, point);
      put(parameter.get(), 2, key);
      text +=
          "," + (sqlite3_step(parameter.get()) == SQLITE_ROW ? csv_cell(column(parameter.get(), 0)) : std::string{});
      sqlite3_reset(parameter.get());
    }
    text += "," + csv_cell(column(points.get(), 1));
    std::unordered_map<std::string, std::string> cells{{"message", csv_cell(column(points.get(), 2))},
                                                       {"bottleneck", csv_cell(column(points.get(), 3))}};
    put(results.get(), 1, point);
    while (sqlite3_step(results.get()) == SQLITE_ROW)
      cells.emplace(column(results.get(), 0), fmt::format("{}", sqlite3_column_double(results.get(), 1)));
    sqlite3_reset(results.get());
    for (const auto& name : columns) {
      const auto cell = cells.find(name);
      text += "," + (cell == cells.end() ? std::string{} : cell->second);
    }
    text += "\n";
  }
  return text;
}

report::SweepSummary SweepFile::summary(const std::string& metric) const {
  report::SweepSummary summary;
  summary.scenario = identity_.scenario;
  summary.keys = identity_.keys;
  summary.points = identity_.points;
  if (!metric.empty()) {
    summary.figure = metric;
    summary.unit.clear();
  }
  const auto points = prepare("SELECT point, status, bottleneck, message FROM points ORDER BY point");
  const auto parameter = prepare("SELECT value FROM parameters WHERE point = ? AND key = ?");
  const auto figure =
      prepare(metric.empty() ? "SELECT sum(value) FROM results WHERE point = ?1 AND metric GLOB '*.goodput_gbps'"
                             : "SELECT value FROM results WHERE point = ?1 AND metric = ?2");
  if (!metric.empty()) put(figure.get(), 2, metric);
  const auto latency = prepare(
      "SELECT max(CASE WHEN metric GLOB '*_us' THEN 1000 * value ELSE value END) FROM results "
      "WHERE point = ?1 AND metric GLOB '*.latency_p99_[nu]s'");
  const auto number = [](const Statement& statement, std::size_t point) {
    put(statement.get(), 1, point);
    std::optional<double> value;
    if (sqlite3_step(statement.get()) == SQLITE_ROW && sqlite3_column_type(statement.get(), 0) != SQLITE_NULL)
      value = sqlite3_column_double(statement.get(), 0);
    sqlite3_reset(statement.get());
    return value;
  };
  while (sqlite3_step(points.get()) == SQLITE_ROW) {
    report::SweepPoint row;
    row.number = static_cast<std::size_t>(sqlite3_column_int64(points.get(), 0));
    row.status = column(points.get(), 1);
    row.bottleneck = column(points.get(), 2);
    row.message = column(points.get(), 3);
    for (const auto& key : identity_.keys) {
      put(parameter.get(), 1, row.number);
      put(parameter.get(), 2, key);
      row.values.push_back(sqlite3_step(parameter.get()) == SQLITE_ROW ? column(parameter.get(), 0) : std::string{});
      sqlite3_reset(parameter.get());
    }
    row.value = number(figure, row.number);
    row.latency = number(latency, row.number);
    summary.rows.push_back(std::move(row));
  }
  return summary;
}

}  // namespace peerpath::cli
