// Small integers that name things and do not interchange.
#pragma once

#include <compare>
#include <cstdint>

namespace peerpath {

/// The number of one thing of the kind that `Tag` names.
template <class Tag, class Rep = std::uint16_t>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(Rep value) : value_{value} {}
  constexpr Rep value() const { return value_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  Rep value_ = 0;
};

}  // namespace peerpath
