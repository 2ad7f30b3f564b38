#include "validation/evidence/tables.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace peerpath::evidence {
namespace {

class Tables {
 public:
  Tables(const Evidence& evidence, std::span<const Judged> rows) : evidence_{evidence}, rows_{rows} {}

  Blocks all() const {
    return {{"sets", sets()},           {"gpu", gpu()},     {"sockets", sockets()},  {"pcie_bench", pcie_bench()},
            {"published", published()}, {"known", known()}, {"accuracy", accuracy()}};
  }

 private:
  const Judged* find(const Set& set, std::string_view name) const {
    const auto found =
        std::ranges::find_if(rows_, [&](const Judged& j) { return j.row.set == set.name && j.row.name == name; });
    return found == rows_.end() ? nullptr : &*found;
  }

  /// One decimal, bold where it misses its bound; empty where there is no such row.
  std::string cell(const Set& set, std::string_view name) const {
    const auto* j = find(set, name);
    if (!j) return "";
    const bool misses = j->failed() || j->verdict == Verdict::known;
    return fmt::format(fmt::runtime(misses ? "**{:.1f}**" : "{:.1f}"), j->row.value);
  }

  std::size_t points(const Set& set, std::string_view name) const {
    const auto* j = find(set, name);
    return j ? j->row.points : 0;
  }

  std::string bound(Kind kind, std::string_view name) const {
    const auto most = evidence_.bound(kind, name);
    return most ? fmt::format(" ({:g})", *most) : "";
  }

  std::string sets() const {
    std::string text = "| set | measured on | protocol | fitted to it |\n|---|---|---|---|\n";
    for (const auto& set : evidence_.sets)
      text += fmt::format("| `{}` | {} | {} | {} |\n", set.name, set.machine,
                          set.protocol > 0 ? std::to_string(set.protocol) : "", set.split);
    return text;
  }

  std::string gpu() const {
    std::string head = "| set | points | median", line = "|---|---|---";
    head += bound(Kind::gpu, gpu_row::median);
    using Column = std::pair<std::string_view, const char*>;
    constexpr std::array<Column, 7> columns{{{gpu_row::p95, "95 % below"},
                                             {gpu_row::worst, "largest"},
                                             {gpu_row::together, "several at once"},
                                             {gpu_row::from_laws, "scenarios to laws"},
                                             {gpu_row::mixed_median, "mixed: median"},
                                             {gpu_row::mixed_worst, "mixed: largest"},
                                             {gpu_row::link_bytes, "bytes on the link"}}};
    for (const auto& [name, title] : columns) {
      head += fmt::format(" | {}{}", title, bound(Kind::gpu, name));
      line += "|---";
    }
    auto text = head + " |\n" + line + "|\n";
    for (const auto& set : evidence_.sets) {
      if (set.kind != Kind::gpu) continue;
      text += fmt::format("| `{}` | {} | {}", set.name, points(set, gpu_row::median), cell(set, gpu_row::median));
      for (const auto& [name, title] : columns) text += " | " + cell(set, name);
      text += " |\n";
    }
    return text;
  }

  std::string sockets() const {
    constexpr std::array groups{"echo, unix", "echo, tcp", "stream, unix", "stream, tcp"};
    auto text = "| set | points | median" + bound(Kind::sockets, socket_row::all) + " | largest";
    for (const auto* group : groups) text += std::string{" | "} + group;
    text += " |\n|---|---|---|---|---|---|---|---|\n";
    for (const auto& set : evidence_.sets) {
      if (set.kind != Kind::sockets) continue;
      text += fmt::format("| `{}` | {} | {} | {}", set.name, points(set, socket_row::all), cell(set, socket_row::all),
                          cell(set, socket_row::largest));
      for (const auto* group : groups) text += " | " + cell(set, std::string{group} + ": median error");
      text += " |\n";
    }
    return text;
  }

  struct Count {
    int held = 0, all = 0;
    void add(const Judged& j) {
      ++all;
      held += j.verdict == Verdict::pass ? 1 : 0;
    }
    std::string text() const { return all == 0 ? "" : fmt::format("{} of {}", held, all); }
  };

  /// Text before the colon of a pcie-bench row, and whether its criterion is about windows.
  static std::string host_of(const std::string& name) { return name.substr(0, name.find(": ")); }
  static bool is_of_sizes(const std::string& name) {
    const auto criterion = std::string_view{name}.substr(name.find(": ") + 2);
    return criterion.starts_with("reads") || criterion.starts_with("writes") || criterion.starts_with("DMA") ||
           criterion.starts_with("command");
  }

  std::string pcie_bench() const {
    std::string text = "| host | criteria of sizes | of windows, caches and translation |\n|---|---|---|\n";
    for (const auto& set : evidence_.sets) {
      if (set.kind != Kind::pcie_bench) continue;
      std::vector<std::string> hosts;
      std::map<std::string, std::pair<Count, Count>> counts;
      for (const auto& j : rows_) {
        if (j.row.set != set.name) continue;
        const auto host = host_of(j.row.name);
        if (!counts.contains(host)) hosts.push_back(host);
        (is_of_sizes(j.row.name) ? counts[host].first : counts[host].second).add(j);
      }
      for (const auto& host : hosts)
        text += fmt::format("| `{}` | {} | {} |\n", host, counts[host].first.text(), counts[host].second.text());
    }
    return text;
  }

  /// Three cases a line.
  std::string published() const {
    constexpr std::size_t columns = 3;
    std::string text, line = "|";
    for (std::size_t n = 0; n < columns; ++n) {
      text += "| case | error | tolerance ";
      line += "---|---|---|";
    }
    text += "|\n" + line + "\n";
    std::size_t cells = 0;
    for (const auto& set : evidence_.sets) {
      if (set.kind != Kind::published) continue;
      for (const auto& j : rows_) {
        if (j.row.set != set.name) continue;
        text += fmt::format("| {} | {} | {:g} ", j.row.name, cell(set, j.row.name), j.row.most.value_or(0));
        if (++cells % columns == 0) text += "|\n";
      }
    }
    return cells % columns == 0 ? text : text + "|\n";
  }

  std::string known() const {
    std::string text = "| set | row | error | bound | reason |\n|---|---|---|---|---|\n";
    for (const auto& j : rows_)
      if (j.verdict == Verdict::known)
        text += fmt::format("| `{}` | {} | {:.1f} | {:g} | {} |\n", j.row.set, j.row.name, j.row.value, *j.row.most,
                            j.listed->reason);
    return text;
  }

  /// "1.0 to 1.8" of the rows with that name.
  std::string range(Kind kind, std::string_view name) const {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const auto& set : evidence_.sets)
      if (const auto* j = set.kind == kind ? find(set, name) : nullptr) {
        least = std::min(least, j->row.value);
        most = std::max(most, j->row.value);
      }
    return fmt::format("{:.1f} to {:.1f} %", least, most);
  }

  std::size_t sets_with(Kind kind, std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        evidence_.sets, [&](const Set& set) { return set.kind == kind && find(set, name) != nullptr; }));
  }

  std::size_t points_of(Kind kind, std::string_view name) const {
    std::size_t sum = 0;
    for (const auto& set : evidence_.sets)
      if (set.kind == kind) sum += points(set, name);
    return sum;
  }

  std::string accuracy() const {
    Count criteria, cases;
    std::set<std::string> hosts;
    for (const auto& j : rows_) {
      const auto* set = evidence_.find(j.row.set);
      if (set && set->kind == Kind::pcie_bench) criteria.add(j), hosts.insert(host_of(j.row.name));
      if (set && set->kind == Kind::published) cases.add(j);
    }
    std::string text = "| Compared with | Result |\n|---|---|\n";
    text += fmt::format("| copies and kernel accesses, {} GPU datasets, {} points | median error {}, 95 % below {} |\n",
                        sets_with(Kind::gpu, gpu_row::median), points_of(Kind::gpu, gpu_row::median),
                        range(Kind::gpu, gpu_row::median), range(Kind::gpu, gpu_row::p95));
    text += fmt::format("| copies by several GPUs at once, {} datasets | largest error {} |\n",
                        sets_with(Kind::gpu, gpu_row::together), range(Kind::gpu, gpu_row::together));
    if (sets_with(Kind::gpu, gpu_row::mixed_median) > 0)
      text += fmt::format("| mixed traffic, {} datasets, {} points | median error {}, largest {} |\n",
                          sets_with(Kind::gpu, gpu_row::mixed_median), points_of(Kind::gpu, gpu_row::mixed_median),
                          range(Kind::gpu, gpu_row::mixed_median), range(Kind::gpu, gpu_row::mixed_worst));
    text += fmt::format("| sockets of GPU programs, {} datasets, {} points | median error {} |\n",
                        sets_with(Kind::sockets, socket_row::all), points_of(Kind::sockets, socket_row::all),
                        range(Kind::sockets, socket_row::all));
    text += fmt::format("| pcie-bench, {} hosts | {} criteria met |\n", hosts.size(), criteria.text());
    return text + fmt::format("| published figures | {} cases within tolerance |\n", cases.text());
  }

  const Evidence& evidence_;
  std::span<const Judged> rows_;
};

}  // namespace

Blocks tables(const Evidence& evidence, std::span<const Judged> rows) { return Tables{evidence, rows}.all(); }

tl::expected<std::string, Problems> with_tables(const std::string& document, const std::string& file,
                                                const Blocks& blocks) {
  constexpr std::string_view begin = "<!-- evidence: ", close = " -->\n", end = "<!-- end -->";
  std::string text;
  std::size_t done = 0;
  Problems problems;
  for (auto at = document.find(begin); at != std::string::npos; at = document.find(begin, done)) {
    const auto name_at = at + begin.size(), name_end = document.find(close, name_at);
    const auto ends = document.find(end, name_at);
    const auto name = document.substr(name_at, std::min(name_end, document.size()) - name_at);
    const auto block = blocks.find(name);
    if (ends == std::string::npos || block == blocks.end()) {
      problems.push_back({file, 0, 0, name, block == blocks.end() ? "there is no such table" : "the block has no end"});
      break;
    }
    text += document.substr(done, name_end + close.size() - done) + block->second;
    done = ends;
  }
  if (!problems.empty()) return tl::unexpected{problems};
  return text + document.substr(done);
}

}  // namespace peerpath::evidence
