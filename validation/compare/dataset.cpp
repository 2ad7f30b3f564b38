#include "validation/compare/dataset.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

namespace peerpath::compare {
namespace {

using nlohmann::json;

constexpr double rate_tolerance = 1e-3;
constexpr std::array lanes{1, 2, 4, 8, 12, 16};

class Reader {
 public:
  explicit Reader(const std::string& file) { dataset_.file = file; }

  void read(std::string_view text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
      ++line_;
      const auto end = text.find('\n', begin);
      if (end == std::string_view::npos) {
        problem("", "the line is cut off: the file is truncated");
        ended_ = true;  // one complaint is enough
        return;
      }
      take(text.substr(begin, end - begin));
      if (refused_) return;
      begin = end + 1;
    }
  }

  tl::expected<Dataset, Problems> finish() {
    if (refused_) return tl::unexpected{problems_};
    if (line_ == 0)
      problem("", "the file is empty");
    else if (!ended_)
      problem("end", "the last line is missing: measuring was cut short after " + std::to_string(number_) + " points");
    check_plan();
    if (!problems_.empty()) return tl::unexpected{problems_};
    return std::move(dataset_);
  }

 private:
  void problem(const std::string& key, const std::string& message) {
    problems_.push_back({dataset_.file, line_, 1, key, message});
  }

  void take(std::string_view text) {
    json line;
    try {
      line = json::parse(text);
    } catch (const json::exception& e) {
      refused_ = line_ == 1;  // no dataset at all: what its other lines are not is of no interest
      return problem("", "not JSON: " + reason(e));
    }
    if (!line.is_object()) return problem("", "not a JSON object");
    if (line_ == 1) return take_header(line);
    if (ended_) return problem("", "there is more after the end");
    try {
      if (line.contains("end")) return take_end(line);
      take_point(line);
    } catch (const json::exception& e) {
      problem("", "a value of another kind than it should be: " + reason(e));
    }
  }

  /// What the parser says without its own numbers: "[json.exception.type_error.302] type must be number".
  static std::string reason(const json::exception& e) {
    const std::string text = e.what();
    const auto id_ends = text.find("] ");
    const auto from = id_ends == std::string::npos ? 0 : id_ends + 2;
    const auto place_ends = text.starts_with("[json.exception.parse_error") ? text.find(": ", from) : std::string::npos;
    return text.substr(place_ends == std::string::npos ? from : place_ends + 2);
  }

  void take_header(const json& line) {
    const auto version = line.value("peerpath_dataset", json{});
    if (version != dataset_schema) {
      problem("peerpath_dataset",
              "schema version " + version.dump() + "; this program reads " + std::to_string(dataset_schema));
      refused_ = true;
      return;
    }
    try {
      dataset_.started = line.at("started");
      dataset_.command = line.at("command");
      dataset_.processor = line.at("host").at("processor");
      dataset_.kernel = line.at("host").at("kernel");
      dataset_.driver =
          line.at("driver").at("interface").get<std::string>() + " " + line.at("driver").at("version").dump();
      for (const auto& gpu : line.at("gpus")) dataset_.gpus.push_back(gpu_facts(gpu));
      for (const auto& item : line.at("plan")) planned_[item.at("experiment")] = item.at("points");
    } catch (const json::exception& e) {
      problem("", "the header lacks something: " + reason(e));
      refused_ = true;
    }
  }

  GpuFacts gpu_facts(const json& gpu) {
    GpuFacts facts;
    facts.name = gpu.at("name");
    const auto function = gpu.at("pcie").value("function", json::object());
    facts.link = {function.value("generation", facts.link.generation), function.value("width", facts.link.width)};
    facts.max_payload = function.value("max_payload", facts.max_payload);
    facts.max_read_request = function.value("max_read_request", facts.max_read_request);
    if (facts.link.generation < 1 || facts.link.generation > 6 || std::ranges::count(lanes, facts.link.width) == 0)
      problem("gpus", facts.name + " has a link of generation " + std::to_string(facts.link.generation) + " and " +
                          std::to_string(facts.link.width) + " lanes, which no PCIe link has");
    for (const auto& [key, bytes] :
         {std::pair{"max_payload", facts.max_payload}, {"max_read_request", facts.max_read_request}})
      if (bytes < 128 || bytes > 4096 || !std::has_single_bit(static_cast<unsigned>(bytes)))
        problem("gpus", facts.name + " has a " + key + " of " + std::to_string(bytes) +
                            "; it is 128, 256, 512, 1024, 2048 or 4096");
    return facts;
  }

  void take_end(const json& line) {
    ended_ = true;
    if (line["end"] != number_)
      problem("end", "says " + line["end"].dump() + " points, there are " + std::to_string(number_));
  }

  /// A number, or none and a problem.
  std::optional<double> number(const json& line, const char* key) {
    const auto found = line.find(key);
    if (found == line.end()) return problem(key, "is missing"), std::nullopt;
    const double value = found->is_number() ? found->get<double>() : std::nan("");
    if (!std::isfinite(value)) return problem(key, "is " + found->dump() + ", not a number"), std::nullopt;
    return value;
  }

  /// A number above 0, or 0 and a problem.
  double positive(const json& line, const char* key) {
    const auto value = number(line, key);
    if (value && *value > 0) return *value;
    if (value) problem(key, "is " + line[key].dump() + ", not above 0");
    return 0;
  }

  void unit(const json& line, const char* key, const char* wanted) {
    if (line.value(key, "") != wanted) problem(key, "is \"" + line.value(key, "") + "\"; values here are in " + wanted);
  }

  void take_point(const json& line) {
    if (line.value("point", 0) != number_ + 1)
      problem("point",
              "is " + line.value("point", json{}).dump() + " where " + std::to_string(number_ + 1) + " comes next");
    number_ = line.value("point", number_ + 1);
    Point point;
    point.number = number_;
    point.experiment = line.value("experiment", "");
    if (!planned_.contains(point.experiment)) problem("experiment", "\"" + point.experiment + "\" is not in the plan");
    ++seen_[point.experiment];
    if (!read_settings(line, point)) return;
    if (line.contains("failed")) {
      dataset_.failed.push_back(point.experiment + ": " + line["failed"].dump());
      return;
    }
    if (read_values(line, point)) dataset_.points.push_back(std::move(point));
  }

  bool read_settings(const json& line, Point& point) {
    const auto settings = line.find("settings");
    if (settings == line.end() || !settings->is_object() || settings->empty())
      return problem("settings", "is missing"), false;
    for (const auto& [name, value] : settings->items()) {
      const bool countable = !value.is_number_unsigned() ||
                             value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
      if (!value.is_number_integer() || !countable)
        return problem("settings", name + " is not a whole number that can be counted"), false;
      point.settings[name] = value;
    }
    if (!places_.emplace(point.experiment, point.settings).second) problem("settings", "the same point is there twice");
    return true;
  }

  /// False if the point is not to be used, as a problem says or `below_noise`.
  bool read_values(const json& line, Point& point) {
    const auto problems = problems_.size();
    unit(line, "unit", "ns");
    point.median = number(line, "median").value_or(0);
    point.p10 = number(line, "p10").value_or(0);
    point.p90 = number(line, "p90").value_or(0);
    const auto least = number(line, "least").value_or(0), most = number(line, "most").value_or(0);
    if (least > point.p10 || point.p10 > point.median || point.median > point.p90 || point.p90 > most)
      problem("median", "least, p10, median, p90 and most are not in order");
    if (problems_.size() > problems) return false;
    if (least <= 0) {
      dataset_.below_noise.push_back({dataset_.file, line_, 1, point.experiment,
                                      "is set aside: a sample of " + line["least"].dump() +
                                          " ns is a difference of two runs that lies below their noise"});
      return false;
    }
    if (!read_counted(line, point)) return false;
    if (!line.contains("bytes")) return true;
    point.bytes = static_cast<std::int64_t>(positive(line, "bytes"));
    unit(line, "rate_unit", "GB/s");
    const auto rate = positive(line, "rate");
    if (rate > 0 && std::abs(rate / point.rate() - 1) > rate_tolerance)
      problem("rate", std::to_string(rate) + " GB/s is not " + std::to_string(point.bytes) + " B in " +
                          std::to_string(point.median) + " ns: the units differ from those declared");
    return problems_.size() == problems;
  }

  bool read_counted(const json& line, Point& point) {
    const auto counted = line.find("counted");
    if (counted != line.end())
      for (const auto& [name, value] : counted->items())
        if (value.is_number()) point.counted[name] = value;
    if (!point.experiment.starts_with("link_bytes_")) return true;
    for (const auto* name : {"read_bytes", "write_bytes"})
      if (!point.counted.contains(name) || !(point.counted[name] > 0))
        return problem("counted", std::string{name} + " is missing or not above 0"), false;
    if (!point.settings.contains("request") || !line.contains("bytes"))
      return problem("settings", "request or bytes is missing"), false;
    return true;
  }

  void check_plan() {
    if (!ended_) return;
    for (const auto& [experiment, points] : planned_)
      if (seen_[experiment] != points)
        problem("plan",
                experiment + " has " + std::to_string(seen_[experiment]) + " of " + std::to_string(points) + " points");
  }

  Dataset dataset_;
  Problems problems_;
  int line_ = 0, number_ = 0;
  bool ended_ = false, refused_ = false;
  std::map<std::string, int> planned_, seen_;
  std::set<std::pair<std::string, std::map<std::string, std::int64_t>>> places_;
};

}  // namespace

tl::expected<Dataset, Problems> read_dataset(std::string_view text, const std::string& file) {
  Reader reader{file};
  reader.read(text);
  return reader.finish();
}

tl::expected<Dataset, Problems> load_dataset(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) return tl::unexpected{Problems{{file, 0, 0, "", "cannot be read"}}};
  std::ostringstream text;
  text << in.rdbuf();
  return read_dataset(text.str(), file);
}

}  // namespace peerpath::compare
