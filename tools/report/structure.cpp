#include "tools/report/structure.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace peerpath::report {
namespace {

using Damage = std::optional<std::string>;

constexpr int schema_version = 1;  // observe::results_schema_version

enum class Type { text, truth, integer, number, number_or_null, object };

std::string_view wanted(Type type) {
  constexpr std::array<std::string_view, 6> names{"a text",   "true or false",    "an integer",
                                                  "a number", "a number or null", "an object"};
  return names[static_cast<std::size_t>(type)];
}

bool is(const Json& value, Type type) {
  switch (type) {
    case Type::text:
      return value.is_string();
    case Type::truth:
      return value.is_boolean();
    case Type::integer:
      return value.is_number_integer();
    case Type::number:
      return value.is_number();
    case Type::number_or_null:
      return value.is_number() || value.is_null();
    case Type::object:
      return value.is_object();
  }
  return false;
}

struct Key {
  const char* name;
  Type type;
};

/// An object that has these keys, each with a value of its type.
template <std::size_t N>
Damage object(const Json& value, const std::string& at, const std::array<Key, N>& keys) {
  if (!value.is_object()) return at + " is not an object";
  for (const auto& key : keys) {
    if (!value.contains(key.name)) return at + "/" + key.name + " is missing";
    if (!is(value[key.name], key.type)) return at + "/" + key.name + " is not " + std::string{wanted(key.type)};
  }
  return std::nullopt;
}

/// A list whose items `check(item, at)` finds undamaged.
template <class Check>
Damage list(const Json& parent, const char* key, const std::string& above, Check check) {
  const auto at = above + "/" + key;
  if (!parent.contains(key)) return at + " is missing";
  if (!parent[key].is_array()) return at + " is not a list";
  for (std::size_t n = 0; n < parent[key].size(); ++n)
    if (auto found = check(parent[key][n], at + "/" + std::to_string(n))) return found;
  return std::nullopt;
}

template <std::size_t N>
Damage list(const Json& parent, const char* key, const std::string& above, const std::array<Key, N>& keys) {
  return list(parent, key, above, [&](const Json& item, const std::string& at) { return object(item, at, keys); });
}

Damage texts(const Json& parent, const char* key, const std::string& above) {
  return list(parent, key, above, [](const Json& item, const std::string& at) {
    return item.is_string() ? std::nullopt : Damage{at + " is not a text"};
  });
}

/// Numbers of samples by the first femtosecond of their bin.
Damage histogram(const Json& bins, const std::string& at) {
  for (const auto& [bin, count] : bins.items()) {
    const bool whole = !bin.empty() && bin.size() < 20 && bin.find_first_not_of("0123456789") == bin.npos;
    if (!whole || !count.is_number_unsigned()) return at + "/" + bin + " is not a number of samples in a bin";
  }
  return std::nullopt;
}

Damage traffic(const Json& item, const std::string& at) {
  constexpr std::array keys{Key{"name", Type::text},        Key{"kind", Type::text}, Key{"path", Type::text},
                            Key{"from", Type::text},        Key{"to", Type::text},   Key{"way", Type::text},
                            Key{"latency_fs", Type::object}};
  constexpr std::array stage{Key{"name", Type::text},      Key{"doc", Type::text},      Key{"count", Type::integer},
                             Key{"sum_fs", Type::integer}, Key{"p50_ns", Type::number}, Key{"p99_ns", Type::number}};
  if (auto found = object(item, at, keys)) return found;
  if (item.contains("stages"))
    if (auto found = list(item, "stages", at, stage)) return found;
  return histogram(item["latency_fs"], at + "/latency_fs");
}

Damage side(const Json& item, const std::string& at) {
  constexpr std::array keys{Key{"link", Type::text},    Key{"direction", Type::text}, Key{"nearer", Type::text},
                            Key{"farther", Type::text}, Key{"shape", Type::text},     Key{"rate_bps", Type::integer},
                            Key{"dllps", Type::integer}};
  constexpr std::array row{Key{"requester", Type::text}, Key{"purpose", Type::text}, Key{"tlps", Type::integer},
                           Key{"data_bytes", Type::integer}, Key{"overhead_bytes", Type::integer}};
  if (auto found = object(item, at, keys)) return found;
  if (item["direction"] != "up" && item["direction"] != "down") return at + "/direction is neither up nor down";
  return list(item, "rows", at, row);
}

/// A link has a farther end of its own: what has two links towards the root complex is no tree.
Damage forest(const Json& ledger) {
  std::set<std::string> seen;
  for (std::size_t n = 0; n < ledger.size(); ++n) {
    const auto& item = ledger[n];
    if (!seen.insert(text_at(item, "farther") + " " + text_at(item, "direction")).second)
      return "/ledger/" + std::to_string(n) + "/farther has a link already";
  }
  return std::nullopt;
}

Damage window(const Json& item, const std::string& at) {
  constexpr std::array keys{Key{"gpu", Type::text},           Key{"size_bytes", Type::integer},
                            Key{"used_bytes", Type::integer}, Key{"reserved_bytes", Type::integer},
                            Key{"remaps", Type::integer},     Key{"waiting_ns", Type::number}};
  constexpr std::array registration{Key{"traffic", Type::text}, Key{"said", Type::text}};
  if (auto found = object(item, at, keys)) return found;
  return list(item, "registrations", at, registration);
}

Damage rerun(const Json& row, const char* which, const std::string& above) {
  constexpr std::array keys{Key{"problem", Type::text}};
  constexpr std::array flow{Key{"traffic", Type::text}, Key{"goodput_percent", Type::number},
                            Key{"p99_percent", Type::number_or_null}};
  const auto at = above + "/" + which;
  if (!row.contains(which)) return at + " is missing";
  if (auto found = object(row[which], at, keys)) return found;
  return list(row[which], "flows", at, flow);
}

Damage what_if(const Json& item) {
  constexpr std::array row{Key{"name", Type::text}, Key{"keys", Type::text}, Key{"source", Type::text}};
  const std::string at = "/what_if";
  constexpr std::array keys{Key{"without_weight", Type::integer}};
  if (auto found = object(item, at, keys)) return found;
  for (const char* part : {"suspects", "assumptions"}) {
    if (auto found = list(item, part, at, row)) return found;
    for (std::size_t n = 0; n < item[part].size(); ++n)
      for (const char* which : {"doubled", "halved"})
        if (auto found = rerun(item[part][n], which, at + "/" + part + "/" + std::to_string(n))) return found;
  }
  return std::nullopt;
}

Damage error(const Json& item, const std::string& at) {
  constexpr std::array keys{Key{"device", Type::text}, Key{"severity", Type::text}, Key{"error", Type::text},
                            Key{"count", Type::integer}, Key{"first_ns", Type::number_or_null}};
  if (auto found = object(item, at, keys)) return found;
  const bool none = item.contains("header_log") && item["header_log"].is_null();
  return none ? std::nullopt : texts(item, "header_log", at);
}

Damage deadlock(const Json& item) {
  const std::string at = "/deadlock";
  constexpr std::array keys{Key{"found_ns", Type::number}};
  constexpr std::array queue{Key{"queue", Type::text}, Key{"tlp", Type::text}, Key{"waits_for", Type::text}};
  if (auto found = object(item, at, keys)) return found;
  if (auto found = list(item, "blocked", at, queue)) return found;
  const auto queues = item["blocked"].size();
  return list(item, "cycle", at, [queues](const Json& n, const std::string& place) {
    const bool listed = n.is_number_unsigned() && n.get<std::size_t>() < queues;
    return listed ? std::nullopt : Damage{place + " is not the number of a blocked queue"};
  });
}

/// Where each value came from, by JSON pointer.
Damage origins(const Json& all) {
  for (const auto& [pointer, origin] : all.items()) {
    bool well_formed = pointer.starts_with("/");
    for (std::size_t n = pointer.find('~'); n != pointer.npos; n = pointer.find('~', n + 1))
      well_formed = well_formed && n + 1 < pointer.size() && (pointer[n + 1] == '0' || pointer[n + 1] == '1');
    if (!well_formed || !origin.is_object()) return "/origins: " + pointer + " is not where a value came from";
  }
  return std::nullopt;
}

/// What every run has.
Damage of_all(const Json& results) {
  constexpr std::array keys{
      Key{"schema_version", Type::integer}, Key{"peerpath", Type::text},       Key{"name", Type::text},
      Key{"complete", Type::truth},         Key{"simulated_ns", Type::number}, Key{"wanted_ns", Type::number},
      Key{"bottleneck", Type::text},        Key{"scenario", Type::object},     Key{"origins", Type::object}};
  constexpr std::array expectation{Key{"metric", Type::text}, Key{"wanted", Type::text},
                                   Key{"found", Type::number_or_null}, Key{"unit", Type::text}, Key{"ok", Type::truth}};
  constexpr std::array metric{Key{"name", Type::text}, Key{"value", Type::number_or_null}, Key{"unit", Type::text},
                              Key{"doc", Type::text}};
  if (auto found = object(results, "", keys)) return found;
  if (results["schema_version"] != schema_version)
    return "/schema_version is not " + std::to_string(schema_version) + ", the one that is known here";
  if (auto found = list(results, "expectations", "", expectation)) return found;
  if (auto found = list(results, "metrics", "", metric)) return found;
  if (!results.contains("deadlock")) return "/deadlock is missing";
  if (!results["deadlock"].is_null())
    if (auto found = deadlock(results["deadlock"])) return found;
  return origins(results["origins"]);
}

Damage job(const Json& item, const std::string& above) {
  constexpr std::array keys{Key{"name", Type::text}};
  constexpr std::array rank{Key{"host", Type::text},           Key{"time_us", Type::number_or_null},
                            Key{"computing_us", Type::number}, Key{"communicating_us", Type::number},
                            Key{"hidden_us", Type::number},    Key{"exposed_us", Type::number}};
  if (auto found = object(item, above, keys)) return found;
  return list(item, "ranks", above, rank);
}

Damage network(const Json& item) {
  constexpr std::array cable{Key{"name", Type::text}, Key{"busy_percent", Type::number},
                             Key{"paused_percent", Type::number}, Key{"queue_peak_bytes", Type::integer},
                             Key{"dropped", Type::integer}};
  if (!item.is_object()) return "/network is not an object";
  if (auto found = texts(item, "said", "/network")) return found;
  if (item.contains("jobs"))
    if (auto found = list(item, "jobs", "/network", job)) return found;
  return list(item, "cables", "/network", cable);
}

Damage lists(const Json& results) {
  constexpr std::array busy{Key{"name", Type::text}, Key{"percent", Type::number}};
  constexpr std::array fault{Key{"device", Type::text}, Key{"what", Type::text}, Key{"count", Type::integer},
                             Key{"first_ns", Type::number}};
  constexpr std::array event{Key{"at_ns", Type::number}, Key{"what", Type::text}};
  if (auto found = list(results, "traffic", "", traffic)) return found;
  if (auto found = list(results, "utilisation", "", busy)) return found;
  if (auto found = list(results, "ledger", "", side)) return found;
  if (auto found = list(results, "bar1", "", window)) return found;
  if (auto found = list(results, "faults", "", fault)) return found;
  if (auto found = list(results, "aer", "", error)) return found;
  return results.contains("events") ? list(results, "events", "", event) : std::nullopt;
}

}  // namespace

std::optional<std::string> damage(const Json& results) {
  constexpr std::array of_pcie{Key{"conservation", Type::object}};
  constexpr std::array balance{Key{"holds", Type::truth}};
  if (auto found = of_all(results)) return found;
  if (results.contains("network")) return network(results["network"]);
  if (auto found = object(results, "", of_pcie)) return found;
  if (auto found = object(results["conservation"], "/conservation", balance)) return found;
  if (auto found = texts(results["conservation"], "violations", "/conservation")) return found;
  if (auto found = lists(results)) return found;
  if (auto found = forest(results["ledger"])) return found;
  return results.contains("what_if") ? what_if(results["what_if"]) : std::nullopt;
}

}  // namespace peerpath::report
