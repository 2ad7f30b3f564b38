// The part of XML that topology dumps use: elements with attributes, and comments. Texts, entities but the five that
// XML names, document types and processing instructions within the document are refused.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "peerpath/base/problem.hpp"

namespace peerpath::import {

struct Element {
  std::string name;
  int line = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Element> children;

  /// The value of an attribute; "" if there is none.
  std::string_view operator[](std::string_view attribute) const;
};

/// Deeper documents are refused, and so are those with more elements.
inline constexpr int deepest_element = 64;
inline constexpr int most_elements = 100'000;

/// The root element of a document. The first problem ends it.
tl::expected<Element, Problem> parse_xml(std::string_view text, const std::string& file);

}  // namespace peerpath::import
