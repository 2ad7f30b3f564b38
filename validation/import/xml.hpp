// The XML of topology dumps, read by pugixml: where each element stands, and what a dump of a machine never holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>
#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"

namespace peerpath::import {

/// Deeper documents are refused, and so are those with more elements.
inline constexpr int deepest_element = 64;
inline constexpr int most_elements = 100'000;

/// Whether text may stand between elements, where no importer reads it: hwloc has lists of numbers there.
enum class TextBetween : std::uint8_t { refused, ignored };

/// A document of one root element. Comments, declarations and document types are skipped; entities but the five that
/// XML names stay as they are written.
class Xml {
 public:
  /// Problems: no well-formed XML, text between elements, an attribute twice, too deep or too many elements. The first
  /// one ends it.
  static tl::expected<Xml, Problem> read(std::string_view text, const std::string& file,
                                         TextBetween text_between = TextBetween::refused);

  pugi::xml_node root() const { return document_.document_element(); }
  int line_of(const pugi::xml_node& node) const { return line_at(node.offset_debug()); }

 private:
  explicit Xml(std::string_view text);
  int line_at(std::ptrdiff_t offset) const;

  pugi::xml_document document_;
  std::vector<std::ptrdiff_t> line_ends_;
};

/// The value of an attribute; "" if there is none.
inline std::string_view value(const pugi::xml_node& element, const char* attribute) {
  return element.attribute(attribute).value();
}

}  // namespace peerpath::import
