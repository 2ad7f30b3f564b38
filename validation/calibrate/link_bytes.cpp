#include "validation/calibrate/link_bytes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "peerpath/base/fail.hpp"
#include "peerpath/pcie/tlp.hpp"
#include "peerpath/platform/run.hpp"
#include "peerpath/scenario/load.hpp"

namespace peerpath::calibrate {
namespace {

using nlohmann::json;

constexpr std::int64_t offered_per_ns = 1;  // requests: more than any link takes
constexpr auto stores = "link_bytes_write", loads = "link_bytes_read";

/// TLPs without their framing, which the GPU does not count.
double bytes_of(const observe::LinkDirectionResult& way) {
  double bytes = 0;
  for (const auto& row : way.rows)
    bytes += static_cast<double>((row.payload + row.overhead).count() - row.tlps * pcie::link_framing.count());
  return bytes;
}

double payload_of(const observe::LinkDirectionResult& way) {
  double bytes = 0;
  for (const auto& row : way.rows) bytes += static_cast<double>(row.payload.count());
  return bytes;
}

LinkBytes play(const compare::Point& point, const std::string& preset) {
  auto document = json::parse(preset);
  document["traffic"] = {{{"kind", point.experiment == stores ? "write" : "read"},
                          {"from", "gpu0"},
                          {"to", "dram"},
                          {"sizes", std::to_string(point.at("request")) + "B"},
                          {"rate", std::to_string(point.at("request") * 8 * offered_per_ns) + "Gbps"},
                          {"outstanding", 1024},
                          {"flows", 1}}};
  document["run"] = {{"warmup", "10us"}, {"measure", "40us"}};
  const auto loaded = scenario::load_text(document.dump(), "preset.json");
  require(loaded.has_value(), loaded ? "" : to_string(loaded.error().front()));
  const auto results = platform::run(loaded->scenario);
  require(results.has_value(), results ? "" : to_string(results.error().front()));
  const auto link = std::ranges::find(results->links, "gpu0", &observe::LinkResult::farther);
  require(link != results->links.end(), "the preset's GPU has a link");
  const auto payload = point.experiment == stores ? payload_of(link->up) : payload_of(link->down);
  return {bytes_of(link->up) / payload, bytes_of(link->down) / payload};
}

}  // namespace

double LinkBytesRow::error() const {
  const auto sent_error = model.sent / measured.sent - 1;
  if (experiment == stores) return sent_error;
  const auto received_error = model.received / measured.received - 1;
  return std::abs(sent_error) > std::abs(received_error) ? sent_error : received_error;
}

std::vector<LinkBytesRow> compare_link_bytes(const compare::Dataset& dataset, const std::string& preset) {
  std::vector<LinkBytesRow> rows;
  for (const auto& point : dataset.points) {
    if (point.experiment != stores && point.experiment != loads) continue;
    const auto payload = static_cast<double>(point.bytes);
    const LinkBytes measured{point.counted.at("write_bytes") / payload, point.counted.at("read_bytes") / payload};
    rows.push_back({point.experiment, point.at("request"), measured, play(point, preset)});
  }
  return rows;
}

std::string to_text(const std::vector<LinkBytesRow>& rows) {
  if (rows.empty()) return "";
  std::string text =
      "\nbytes on the GPU's link for each byte of payload, by its counters and by the ledger\n"
      "  access   request   sent: GPU   ledger   received: GPU   ledger    error\n";
  for (const auto& row : rows)
    text += fmt::format("  {:<8} {:>5} B {:>11.4f} {:>8.4f} {:>15.4f} {:>8.4f} {:>+7.2f}%\n",
                        row.experiment == stores ? "store" : "load", row.request, row.measured.sent, row.model.sent,
                        row.measured.received, row.model.received, 100 * row.error());
  return text;
}

}  // namespace peerpath::calibrate
