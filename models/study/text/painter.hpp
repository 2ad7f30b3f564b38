// Colour in text: the writer of a table asks for it, the reader's terminal decides.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace peerpath::study {

class Painter {
 public:
  enum class Paint : std::uint8_t { plain, bold, dim, red, green, yellow };
  virtual ~Painter() = default;
  /// `text` in a colour, or as it is where colours are not wanted.
  virtual std::string paint(Paint paint, std::string_view text) const = 0;
};

/// Text without colours.
class Plain final : public Painter {
 public:
  std::string paint(Paint /*paint*/, std::string_view text) const override { return std::string{text}; }
};

}  // namespace peerpath::study
