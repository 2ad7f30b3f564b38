#include "validation/import/xml.hpp"

#include <gtest/gtest.h>

namespace peerpath::import {
namespace {

constexpr std::string_view document =
    "\xef\xbb\xbf<?xml version=\"1.0\"?>\n"
    "<!-- what\n follows -->\n"
    "<system version='1' name=\"a &lt;b&gt; &amp; c\">\n"
    "  <cpu>\n"
    "    <pci busid=\"0000:15:00.0\"\n"
    "         class = \"0x060400\"/><!-- a switch -->\n"
    "    <pci/>\n"
    "  </cpu>\n"
    "</system>\n";

TEST(Xml, ReadsElementsWithTheirLines) {
  const auto xml = Xml::read(document, "t.xml");
  ASSERT_TRUE(xml) << to_string(xml.error());
  const auto system = xml->root();
  EXPECT_STREQ(system.name(), "system");
  EXPECT_EQ(xml->line_of(system), 4);
  EXPECT_EQ(value(system, "version"), "1");
  EXPECT_EQ(value(system, "name"), "a <b> & c");
  EXPECT_EQ(value(system, "other"), "");
  const auto first = system.child("cpu").first_child();
  EXPECT_EQ(value(first, "class"), "0x060400");
  EXPECT_EQ(xml->line_of(first), 6);
  EXPECT_EQ(xml->line_of(first.next_sibling()), 8);
}

std::string xml_problem(std::string_view text) {
  const auto read = Xml::read(text, "t.xml");
  return read ? "" : to_string(read.error());
}

TEST(Xml, SaysWhereADocumentIsBroken) {
  EXPECT_EQ(xml_problem(""), "t.xml:1:1: no well-formed XML: No document element found");
  EXPECT_EQ(xml_problem("<a>\n<b>\n</a>"), "t.xml:3:1: no well-formed XML: Start-end tags mismatch");
  EXPECT_EQ(xml_problem("<a>\n<b>"), "t.xml:2:1: no well-formed XML: Start-end tags mismatch");
  EXPECT_EQ(xml_problem("\n</a>"), "t.xml:2:1: no well-formed XML: Start-end tags mismatch");
  EXPECT_EQ(xml_problem("<a x>"), "t.xml:1:1: no well-formed XML: Error parsing element attribute");
  EXPECT_EQ(xml_problem("<a x=1>"), "t.xml:1:1: no well-formed XML: Error parsing element attribute");
  EXPECT_EQ(xml_problem("<a><!-- \n b</a>"), "t.xml:2:1: no well-formed XML: Error parsing comment");
  EXPECT_EQ(xml_problem("<a\n x=\"1\" x=\"2\"/>"), "t.xml:1:1: a has two attributes \"x\"");
  EXPECT_EQ(xml_problem("<a\n/>\n<b/>"), "t.xml:3:1: a second root element; a dump has one");
  EXPECT_EQ(xml_problem("<a>\n<b/>\nword</a>"), "t.xml:2:1: text between elements; this is no topology of NCCL");
  EXPECT_EQ(xml_problem(std::string_view{"<a/>\n\0", 6}), "t.xml:2:1: a zero byte; this is no XML");
}

TEST(Xml, AnEntityOfADocumentTypeIsNotExpanded) {
  const auto xml = Xml::read("<!DOCTYPE a [<!ENTITY b \"bb\">]><a x=\"&b;&b;\"/>", "t.xml");
  ASSERT_TRUE(xml) << to_string(xml.error());
  EXPECT_EQ(value(xml->root(), "x"), "&b;&b;");
}

TEST(Xml, RefusesWhatIsTooDeepOrTooLarge) {
  std::string deep, closed, many = "<a>";
  for (int i = 0; i <= deepest_element; ++i) deep += "<a>\n", closed += "</a>";
  for (int i = 0; i <= most_elements; ++i) many += "<b/>";
  EXPECT_EQ(xml_problem(deep + closed), "t.xml:65:1: elements are nested more than 64 deep");
  EXPECT_NE(xml_problem(many + "</a>").find("more than 100000 elements"), std::string::npos);
}

TEST(Xml, EveryTruncationIsRefused) {
  const auto end = document.rfind('>');
  for (std::size_t size = 0; size < end; ++size) EXPECT_NE(xml_problem(document.substr(0, size)), "") << size;
}

}  // namespace
}  // namespace peerpath::import
