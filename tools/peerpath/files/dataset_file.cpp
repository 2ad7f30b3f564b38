#include "tools/peerpath/files/dataset_file.hpp"

namespace peerpath::cli {

std::optional<compare::Dataset> load_dataset(const std::string& file, const Terminal& terminal) {
  auto dataset = compare::load_dataset(file);
  if (!dataset) {
    terminal.report(dataset.error());
    return std::nullopt;
  }
  for (const auto& point : dataset->below_noise) terminal.warn(to_string(point));
  return std::move(*dataset);
}

}  // namespace peerpath::cli
