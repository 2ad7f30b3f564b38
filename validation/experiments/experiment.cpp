#include "validation/experiments/experiment.hpp"

#include <stdexcept>

namespace peerpath::experiments {

std::int64_t Settings::at(std::string_view name) const {
  for (const auto& [key, value] : values)
    if (key == name) return value;
  throw std::logic_error{"no setting " + std::string{name}};
}

std::vector<Settings> sweep(std::string_view name, std::int64_t least, std::int64_t most, int factor) {
  std::vector<Settings> all;
  for (auto value = least; value <= most; value *= factor) all.push_back({{{name, value}}});
  return all;
}

}  // namespace peerpath::experiments
