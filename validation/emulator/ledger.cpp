#include "validation/emulator/ledger.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "validation/emulator/purpose.hpp"

namespace peerpath::emulator {
namespace {

using Json = nlohmann::json;
using observe::Direction;

observe::LedgerRow row_of(const Json& row) {
  observe::LedgerRow out;
  out.requester = row.at("requester").get<std::string>();
  out.purpose = purpose_of(row.at("purpose").get<std::string>());
  out.tlps = row.at("tlps").get<std::int64_t>();
  out.payload = Bytes{row.at("data_bytes").get<std::int64_t>()};
  out.overhead = Bytes{row.value("overhead_bytes", std::int64_t{0})};
  return out;
}

}  // namespace

tl::expected<std::vector<observe::LinkResult>, std::string> read_ledger(const std::string& document) {
  std::vector<observe::LinkResult> links;
  try {
    const auto all = Json::parse(document);
    for (const auto& side : all.at("ledger")) {
      const auto name = side.at("link").get<std::string>();
      auto link = std::ranges::find(links, name, &observe::LinkResult::name);
      if (link == links.end()) {
        links.emplace_back();
        link = links.end() - 1;
        link->name = name;
        link->nearer = side.at("nearer").get<std::string>();
        link->farther = side.at("farther").get<std::string>();
      }
      auto& direction = side.at("direction").get<std::string>() == "up" ? link->up : link->down;
      for (const auto& row : side.at("rows")) direction.rows.push_back(row_of(row));
    }
  } catch (const std::exception& e) {
    return tl::unexpected{std::string{"the emulator's ledger cannot be read: "} + e.what()};
  }
  return links;
}

}  // namespace peerpath::emulator
