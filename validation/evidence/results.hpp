// The errors as they were last measured, kept beside evidence.json: the tables of the documents are made of them.
#pragma once

#include <span>

#include "validation/evidence/rows.hpp"

namespace peerpath::evidence {

/// One row a line.
std::string results_json(std::span<const Row> rows);
tl::expected<std::vector<Row>, Problems> read_results(const std::string& text, const std::string& file);

const Row* find(std::span<const Row> rows, std::string_view set, std::string_view name);

/// A row that differs from the kept results; without a kept value it is new.
struct Change {
  Row now;
  std::optional<double> kept;
};
std::vector<Change> changes(std::span<const Row> kept, std::span<const Row> now);

}  // namespace peerpath::evidence
