#include "study/kinds.hpp"

#include <array>

#include "study/network/subject.hpp"
#include "study/pcie/subject.hpp"

namespace peerpath::study {

std::span<const Kind> kinds() {
  static constexpr std::array all{network_kind, pcie_kind};
  return all;
}

}  // namespace peerpath::study
