#include "validation/evidence/judge.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace peerpath::evidence {

std::vector<Judged> judge(const Evidence& evidence, std::span<const Row> rows) {
  std::vector<Judged> judged;
  for (const auto& row : rows) {
    auto& j = judged.emplace_back(Judged{row});
    const auto* set = evidence.find(row.set);
    if (!set) {
      j.verdict = Verdict::fail;
      continue;
    }
    if (!j.row.most) j.row.most = evidence.bound(set->kind, row.name);
    j.listed = set->find(row.name);
    if (!j.row.most) continue;
    j.verdict = row.value <= *j.row.most              ? Verdict::pass
                : !j.listed                           ? Verdict::fail
                : row.value > j.listed->size + growth ? Verdict::grown
                                                      : Verdict::known;
  }
  return judged;
}

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 5> names{"", "pass", "known", "FAIL", "GROWN"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string to_text(const Judged& j) {
  auto text = fmt::format("{:<5} {:<22} {:<66} {:>7.2f}{}", name_of(j.verdict), j.row.set, j.row.name, j.row.value,
                          j.row.most ? fmt::format(", at most {:g}", *j.row.most) : "");
  if (j.row.points > 0) text += fmt::format(" ({} points)", j.row.points);
  if (j.verdict == Verdict::grown) text += fmt::format("; listed with {:g}", j.listed->size);
  if (j.verdict == Verdict::known) text += "; " + j.listed->reason;
  if (j.verdict == Verdict::pass && j.listed) text += "; no deviation any more: take it out of evidence.json";
  return text + "\n";
}

std::string to_json(std::span<const Judged> rows) {
  nlohmann::ordered_json document{{"passed", std::ranges::none_of(rows, &Judged::failed)},
                                  {"rows", nlohmann::ordered_json::array()}};
  for (const auto& j : rows) {
    nlohmann::ordered_json item{{"set", j.row.set}, {"row", j.row.name}, {"value", j.row.value}};
    if (j.row.most) item["at_most"] = *j.row.most;
    item["points"] = j.row.points;
    if (j.verdict != Verdict::reported) item["verdict"] = name_of(j.verdict);
    if (j.listed) item["listed"] = {{"size", j.listed->size}, {"reason", j.listed->reason}};
    document["rows"].push_back(std::move(item));
  }
  return document.dump(2) + "\n";
}

}  // namespace peerpath::evidence
