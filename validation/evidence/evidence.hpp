// The measurements that the model is compared with, and how far off it may be: validation/evidence.json.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"

namespace peerpath::evidence {

enum class Kind : std::uint8_t {
  gpu,         ///< a dataset of `peerpath measure` with copies and kernels
  repeat,      ///< a second take of another set: shows what one prediction of both can reach
  sockets,     ///< a dataset of gpunet
  pcie_bench,  ///< a folder of hosts
  published,   ///< figures of other people
};

inline constexpr std::array<std::pair<std::string_view, Kind>, 5> kinds{{{"gpu", Kind::gpu},
                                                                         {"repeat", Kind::repeat},
                                                                         {"sockets", Kind::sockets},
                                                                         {"pcie_bench", Kind::pcie_bench},
                                                                         {"published", Kind::published}}};

/// A row that misses its bound, by how much, and why.
struct Deviation {
  std::string row;
  double size = 0;
  std::string reason;
};

struct Set {
  std::string name;  ///< "h200/one_gpu"
  Kind kind = Kind::gpu;
  std::string file;         ///< below the folder of evidence.json
  std::string machine;      ///< in a few words
  int protocol = 0;         ///< version of the way in which `peerpath measure` took it; 0: another program did
  std::string calibration;  ///< below the same folder: parameters fitted to a part of a GPU set; pcie-bench: the card
  bool played = false;      ///< of a GPU set: its points are run as scenarios as well, where all is asked for
  std::string split;        ///< points used by the fit
  std::string of;           ///< of a repeat: the set that was repeated
  std::vector<Deviation> known;

  const Deviation* find(std::string_view row) const;
};

struct Evidence {
  std::vector<Set> sets;
  /// Bounds of rows, by kind. Rows of pcie-bench and published figures bring their own.
  std::map<Kind, std::map<std::string, double, std::less<>>> held_to;

  const Set* find(std::string_view name) const;
  std::optional<double> bound(Kind kind, std::string_view row) const;
};

/// Refuses an unknown kind, a set without name, file or split or that is there twice, and a deviation without size or
/// reason.
tl::expected<Evidence, Problems> read_evidence(const std::string& text, const std::string& file);

}  // namespace peerpath::evidence
