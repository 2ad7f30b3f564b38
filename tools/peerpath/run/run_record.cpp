#include "tools/peerpath/run/run_record.hpp"

#include <fmt/chrono.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tools/peerpath/command_line/version.hpp"
#include "tools/peerpath/files/output_file.hpp"

namespace peerpath::cli {
namespace {

using Json = nlohmann::ordered_json;

Json host() {
  utsname names{};
  if (uname(&names) != 0) return Json::object();
  return {{"name", names.nodename},
          {"system", std::string{names.sysname} + " " + names.release},
          {"machine", names.machine},
          {"cpus", std::thread::hardware_concurrency()}};
}

/// argv of this process, as the kernel keeps it.
Json command() {
  Json words = Json::array();
  const auto text = read_file("/proc/self/cmdline").value_or("");
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) words.push_back(text.c_str() + at);
  return words;
}

Json inputs(const RunRecord& record) {
  Json list = Json::array();
  for (const auto& file : record.inputs) list.push_back({{"file", file.path.string()}, {"sha256", file.sha256}});
  return list;
}

std::string utc(std::chrono::system_clock::time_point when) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(when)));
}

}  // namespace

std::string run_json(const RunRecord& record) {
  const double wall = static_cast<double>(record.wall.count()) * 1e-9;
  const double simulated = static_cast<double>(record.simulated.count()) * 1e-15;
  std::error_code error;
  Json json;
  json["command"] = command();
  json["folder"] = std::filesystem::current_path(error).string();
  json["scenario_file"] = std::filesystem::absolute(record.scenario_file, error).string();
  json["inputs"] = inputs(record);
  json["started"] = utc(record.started);
  json["wall_seconds"] = wall;
  json["times_real_time"] = wall > 0 ? simulated / wall : 0;
  json["exit"] = record.exit;
  json["backend"] = record.backend;
  if (!record.fabric.empty()) json["fabric"] = record.fabric;
  if (!record.loop.empty()) json["loop"] = record.loop;
  if (!record.processor.empty()) json["guest_processor"] = record.processor;
  if (!record.kernel.empty()) json["guest_kernel"] = record.kernel;
  if (!record.quantum.empty()) json["quantum"] = record.quantum;
  if (record.protocol) json["protocol"] = {{"checked", true}, {"violations", *record.protocol}};
  for (const auto& trace : record.traces) json["traces"].push_back({{"file", trace.name}, {"holds", trace.what}});
  json["host"] = host();
  json["peerpath"] = version();
  if (!commit().empty()) json["commit"] = commit();
  json["compiler"] = compiler();
  json["build_type"] = build_type();
  json["systemc"] = systemc_version();
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace peerpath::cli
