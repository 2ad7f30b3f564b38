// Fields in network order, most significant byte first, one behind the other. The caller has checked the bounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>

#include "peerpath/base/byte_order.hpp"

namespace peerpath::net {

class FieldWriter {
 public:
  explicit FieldWriter(std::uint8_t* at) : at_{at} {}

  /// The lowest `bytes` of a number.
  template <int bytes>
  FieldWriter& put(std::uint64_t value) {
    store_be({at_, bytes}, 0, bytes, value);
    at_ += bytes;
    return *this;
  }
  FieldWriter& copy(std::span<const std::uint8_t> bytes) {
    at_ = std::ranges::copy(bytes, at_).out;
    return *this;
  }
  std::uint8_t* at() const { return at_; }

 private:
  std::uint8_t* at_;
};

class FieldReader {
 public:
  explicit FieldReader(const std::uint8_t* at) : at_{at} {}

  /// A number of so many bytes, in the smallest type that holds it.
  template <int bytes>
  auto take() {
    using Number = std::conditional_t<
        bytes == 1, std::uint8_t,
        std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes <= 4, std::uint32_t, std::uint64_t>>>;
    const auto value = static_cast<Number>(load_be({at_, bytes}, 0, bytes));
    at_ += bytes;
    return value;
  }
  FieldReader& copy(std::span<std::uint8_t> into) {
    std::ranges::copy_n(at_, std::ssize(into), into.begin());
    at_ += into.size();
    return *this;
  }
  FieldReader& skip(int bytes) {
    at_ += bytes;
    return *this;
  }

 private:
  const std::uint8_t* at_;
};

}  // namespace peerpath::net
