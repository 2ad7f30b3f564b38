#include "core/pcie/split.hpp"

#include <algorithm>

namespace peerpath::pcie {
namespace {

constexpr std::uint64_t four_gib = std::uint64_t{1} << 32;

/// What the pieces of one access have in common.
struct Form {
  bool carries_data = false;
  bool completion = false;
  Operation op{};
  int digest = 0;
};

Piece piece_of(const Form& form, std::uint64_t address, Bytes bytes) {
  const int data = form.carries_data ? data_double_words(address, bytes) : 0;
  const int header = form.completion ? completion_header_double_words : request_header_double_words(form.op, address);
  return {address, bytes, data, header + form.digest + data, (data + 3) / 4};
}

Runs one(const Form& form, std::uint64_t address, Bytes bytes) {
  Runs runs;
  runs.push({piece_of(form, address, bytes), 1});
  return runs;
}

Runs cut(const Form& form, std::uint64_t address, Bytes bytes, Bytes step) {
  if (bytes.count() == 0) return one(form, address, bytes);
  const auto stride = static_cast<std::uint64_t>(step.count());
  auto left = static_cast<std::uint64_t>(bytes.count());
  Runs runs;
  const auto take = [&](std::uint64_t size, std::uint64_t count) {
    if (count == 0) return;
    runs.push({piece_of(form, address, Bytes{static_cast<std::int64_t>(size)}), static_cast<std::int64_t>(count)});
    address += size * count;
    left -= size * count;
  };
  if (address % stride != 0) take(std::min(left, stride - address % stride), 1);
  // The header grows at 4 GiB, so whole steps before and after it are two runs.
  if (!form.completion && address < four_gib) take(stride, std::min(left / stride, (four_gib - address) / stride));
  take(stride, left / stride);
  if (left > 0) take(left, 1);
  return runs;
}

}  // namespace

Runs split_request(const SplitRules& rules, Operation op, std::uint64_t address, Bytes bytes) {
  const Form form{request_has_data(op), false, op, rules.ecrc ? 1 : 0};
  if (request_class(op) == TlpClass::posted) return cut(form, address, bytes, rules.max_payload);
  if (op == Operation::memory_read) return cut(form, address, bytes, rules.max_read_request);
  return one(form, address, bytes);
}

Runs split_completion(const SplitRules& rules, Operation op, Status status, std::uint64_t address, Bytes bytes) {
  const bool data = completion_has_data(op) && status == Status::success;
  const Form form{data, true, op, rules.ecrc ? 1 : 0};
  return data ? cut(form, address, bytes, rules.max_completion) : one(form, address, Bytes{0});
}

}  // namespace peerpath::pcie
