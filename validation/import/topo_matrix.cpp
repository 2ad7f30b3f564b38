#include "validation/import/topo_matrix.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace peerpath::import {
namespace {

/// From near to far. What NVLinks hide has no relation.
enum class Near : std::uint8_t { self, pix, pxb, phb, node, sys };
constexpr std::array<std::pair<std::string_view, Near>, 6> words_of{{{"X", Near::self},
                                                                     {"PIX", Near::pix},
                                                                     {"PXB", Near::pxb},
                                                                     {"PHB", Near::phb},
                                                                     {"NODE", Near::node},
                                                                     {"SYS", Near::sys}}};

using Words = std::vector<std::string_view>;

/// Terminals underline the head; without these sequences a line is words.
std::string without_escapes(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      const auto end = line.find('m', i);
      if (end == line.npos) break;
      i = end;
    } else {
      out += line[i];
    }
  }
  return out;
}

Words words_in(std::string_view line) {
  constexpr std::string_view spaces = " \t\r";
  Words words;
  while (true) {
    const auto begin = line.find_first_not_of(spaces);
    if (begin == line.npos) return words;
    const auto end = std::min(line.find_first_of(spaces, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

bool is_relation(std::string_view word) {
  return word.starts_with("NV") || std::ranges::count(words_of, word, &std::pair<std::string_view, Near>::first) > 0;
}

bool is_gpu(std::string_view label) { return label.starts_with("GPU"); }

bool is_head(const Words& words) {
  return !words.empty() && words[0] == "GPU0" && (words.size() < 2 || !is_relation(words[1]));
}

class Matrix {
 public:
  explicit Matrix(const std::string& file) : file_{file} {}

  tl::expected<Machine, Problems> read(std::string_view text) {
    for (int line = 1; !text.empty() && !over_; ++line) {
      const auto end = text.find('\n');
      read_line(without_escapes(text.substr(0, end)), line);
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    if (labels_.empty()) add_problem(1, "no matrix with GPU0 at its head; expected the output of nvidia-smi topo -m");
    for (std::size_t i = 0; i < labels_.size(); ++i)
      if (is_gpu(labels_[i]) && rows_[i] == 0) add_problem(head_, "there is no row of " + labels_[i]);
    if (problems_.empty()) join();
    if (!problems_.empty()) return tl::unexpected{problems_};
    return machine();
  }

 private:
  void add_problem(int line, const std::string& what) { problems_.push_back({file_, line, 1, "", what}); }

  void read_line(const std::string& line, int number) {
    const auto words = words_in(line);
    if (labels_.empty()) {
      if (is_head(words)) read_head(words, number);
    } else if (!words.empty() && words[0] == "Legend:") {
      over_ = true;
    } else if (!words.empty()) {
      read_row(words, number);
    }
  }

  void read_head(const Words& words, int line) {
    head_ = line;
    std::size_t columns = 0;
    for (; columns < words.size() && words[columns] != "CPU" && words[columns] != "NUMA"; ++columns)
      labels_.emplace_back(words[columns]);
    // "CPU Affinity", "NUMA Affinity": where they stand among the words of a row.
    const bool has_cpus = columns < words.size() && words[columns] == "CPU";
    if (has_cpus) cpus_ = columns + 1;
    if (std::ranges::find(words, "NUMA") != words.end()) numa_ = columns + (has_cpus ? 2 : 1);
    if (labels_.size() > most_parts) {
      add_problem(line, "more than " + std::to_string(most_parts) + " devices");
      over_ = true;
    }
    relations_.assign(labels_.size(), std::vector<std::optional<Near>>(labels_.size()));
    rows_.assign(labels_.size(), 0);
    nodes_.assign(labels_.size(), "");
    cpu_sets_.assign(labels_.size(), "");
  }

  void read_row(const Words& words, int line) {
    const auto at = std::ranges::find(labels_, words[0]);
    if (at == labels_.end())
      return add_problem(line, "\"" + std::string{words[0].substr(0, 40)} + "\" is not at the head of the matrix");
    const auto row = static_cast<std::size_t>(at - labels_.begin());
    if (rows_[row] != 0) return add_problem(line, *at + " has a row already, at line " + std::to_string(rows_[row]));
    rows_[row] = line;
    if (words.size() <= labels_.size())
      return add_problem(line, *at + " has " + std::to_string(words.size() - 1) + " entries for " +
                                   std::to_string(labels_.size()) + " devices");
    for (std::size_t column = 0; column < labels_.size(); ++column) read_entry(row, column, words[column + 1], line);
    if (!is_gpu(*at)) return;  // for others the columns are empty, or missing
    if (cpus_ && words.size() > *cpus_) cpu_sets_[row] = words[*cpus_];
    if (numa_ && words.size() > *numa_) nodes_[row] = words[*numa_];
  }

  void read_entry(std::size_t row, std::size_t column, std::string_view word, int line) {
    if (!is_relation(word))
      return add_problem(line,
                         "\"" + std::string{word.substr(0, 20)} + "\" is none of X, PIX, PXB, PHB, NODE, SYS, NV#");
    if (word.starts_with("NV")) return;
    const auto near = std::ranges::find(words_of, word, &std::pair<std::string_view, Near>::first)->second;
    if ((near == Near::self) != (row == column)) return add_problem(line, "X is for a device and itself only");
    auto& other = relations_[column][row];
    if (other && *other != near && row != column)
      return add_problem(line, labels_[row] + " and " + labels_[column] + " are " + std::string{word} +
                                   " here, and something else the other way round");
    relations_[row][column] = other = near;
  }

  /// Devices that are as near as `near` to each other, or nearer, go to one group.
  void join() {
    for (std::size_t level = 0; level < groups_.size(); ++level) {
      auto& group = groups_[level];
      if (level == 0) {
        group.resize(labels_.size());
        std::iota(group.begin(), group.end(), std::size_t{0});
      } else {
        group = groups_[level - 1];
      }
      const auto near = static_cast<Near>(level + 1);
      for (std::size_t a = 0; a < labels_.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          if (relations_[a][b] && *relations_[a][b] <= near) merge(group, group[a], group[b]);
    }
    join_by_affinity(groups_.back());
    for (std::size_t a = 0; a < labels_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) check(a, b);
  }

  /// GPUs that NVLinks join are at one socket if they have the same NUMA node, or without one the same CPUs, unless the
  /// matrix says that others of the two groups are far from each other.
  void join_by_affinity(std::vector<std::size_t>& group) {
    for (std::size_t a = 0; a < labels_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (!relations_[a][b] && same_affinity(a, b) && !related(group, group[a], group[b]))
          merge(group, group[a], group[b]);
  }

  bool same_affinity(std::size_t a, std::size_t b) const {
    const auto known = [](const std::string& text) { return !text.empty() && text != "N/A"; };
    if (known(nodes_[a]) && known(nodes_[b])) return nodes_[a] == nodes_[b];
    return known(cpu_sets_[a]) && cpu_sets_[a] == cpu_sets_[b];
  }

  /// Whether the matrix says how near any of one group is to any of another.
  bool related(const std::vector<std::size_t>& group, std::size_t one, std::size_t other) const {
    for (std::size_t a = 0; a < labels_.size(); ++a)
      for (std::size_t b = 0; b < labels_.size(); ++b)
        if (group[a] == one && group[b] == other && relations_[a][b]) return true;
    return false;
  }

  /// The devices of the same socket of which nothing says whether they share a host bridge, or a switch, with this one.
  std::string hidden_from(std::size_t device) const {
    std::string names;
    for (std::size_t b = 0; b < labels_.size(); ++b) {
      if (groups_[3][b] != groups_[3][device] || groups_[2][b] == groups_[2][device]) continue;
      if (!related(groups_[2], groups_[2][device], groups_[2][b])) names += (names.empty() ? "" : ", ") + labels_[b];
    }
    return names;
  }

  static void merge(std::vector<std::size_t>& group, std::size_t from, std::size_t to) {
    for (auto& member : group)
      if (member == from) member = to;
  }

  /// A pair must not be nearer by way of others than it says itself.
  void check(std::size_t a, std::size_t b) {
    if (!relations_[a][b]) return;
    const auto own = static_cast<std::size_t>(*relations_[a][b]);
    for (std::size_t level = 0; level + 1 < own && level < groups_.size(); ++level) {
      if (groups_[level][a] != groups_[level][b]) continue;
      add_problem(std::max(rows_[a], rows_[b]),
                  labels_[b] + " and " + labels_[a] + " are " + std::string{words_of[own].first} +
                      ", but by way of other devices " + std::string{words_of[level + 1].first} + "; no tree has that");
      return;
    }
  }

  Machine machine() {
    Machine machine;
    machine.description = "GPUs, NICs and switches of a machine, from its nvidia-smi topo -m; no traffic";
    machine.source = "nvidia-smi topo -m: " + file_;
    std::vector<std::size_t> sockets, bridges;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const int socket = place(sockets, groups_[3][i]), bridge = place(bridges, groups_[2][i]);
      const int outer = switch_of(machine, 1, i, -1, socket, bridge);
      const int inner = switch_of(machine, 0, i, outer, socket, bridge);
      machine.parts.push_back(
          {.name = is_gpu(labels_[i]) ? "gpu" + std::to_string(gpus_++) : "nic" + std::to_string(nics_++),
           .kind = is_gpu(labels_[i]) ? "gpu" : "nic",
           .above = inner,
           .socket = socket,
           .host_bridge = bridge});
      note_hidden(machine.parts.back(), i);
      note_name(machine.parts.back().name, labels_[i]);
    }
    machine.sockets = static_cast<int>(sockets.size());
    if (!names_.empty()) machine.notes.push_back("in the matrix " + names_);
    if (!hidden_.empty())
      machine.notes.push_back("NVLinks hide how near GPUs are by PCIe: " + hidden_ +
                              " may share a switch or host bridge with others of their socket; here each has a root "
                              "port and host bridge of its own (assumed, see `source` of the links)");
    machine.notes.emplace_back(
        "devices with PIX between them are put below one switch, also ports of one card, which share its link in the "
        "same way");
    return machine;
  }

  void note_hidden(Part& part, std::size_t device) {
    const auto others = hidden_from(device);
    if (part.above >= 0 || others.empty()) return;
    part.assumed = "assumed: NVLinks hide how near it is to " + others + " by PCIe";
    hidden_ += (hidden_.empty() ? "" : ", ") + part.name;
  }

  /// "nic0 is mlx5_0", where the matrix has another name than GPU0 or NIC0.
  void note_name(const std::string& name, const std::string& label) {
    if (name.substr(3) == (label.starts_with("GPU") || label.starts_with("NIC") ? label.substr(3) : label)) return;
    names_ += (names_.empty() ? "" : ", ") + name + " is " + label;
  }

  /// Numbers groups as they come.
  static int place(std::vector<std::size_t>& known, std::size_t group) {
    const auto at = std::ranges::find(known, group);
    const auto index = static_cast<int>(at - known.begin());
    if (at == known.end()) known.push_back(group);
    return index;
  }

  /// The switch of a device's group, made when the first of the group comes; `above` where the group is one device, or
  /// the same devices as the group above it.
  int switch_of(Machine& machine, std::size_t level, std::size_t device, int above, int socket, int bridge) {
    const auto group = groups_[level][device];
    const auto members = std::ranges::count(groups_[level], group);
    const bool same = level == 0 && members == std::ranges::count(groups_[1], groups_[1][device]);
    if (members < 2 || same) return above;
    auto& made = switches_[level];
    made.resize(labels_.size(), -1);
    if (made[group] < 0) {
      made[group] = static_cast<int>(machine.parts.size());
      machine.parts.push_back({.name = "switch" + std::to_string(count_++),
                               .kind = "pcie_switch",
                               .above = above,
                               .socket = socket,
                               .host_bridge = bridge});
    }
    return made[group];
  }

  const std::string& file_;
  Problems problems_;
  bool over_ = false;
  int head_ = 0, gpus_ = 0, nics_ = 0, count_ = 0;
  std::optional<std::size_t> cpus_, numa_;
  std::vector<std::string> labels_, nodes_, cpu_sets_;
  std::vector<int> rows_;  ///< lines
  std::vector<std::vector<std::optional<Near>>> relations_;
  std::array<std::vector<std::size_t>, 4> groups_;  ///< PIX, PXB, PHB, NODE: the group of each device
  std::array<std::vector<int>, 2> switches_;        ///< of the groups of PIX and PXB
  std::string names_, hidden_;
};

}  // namespace

tl::expected<Machine, Problems> parse_topo_matrix(std::string_view text, const std::string& file) {
  return Matrix{file}.read(text);
}

bool has_topo_matrix(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = without_escapes(text.substr(0, end));
    if (is_head(words_in(line))) return true;
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return false;
}

}  // namespace peerpath::import
