#include "validation/import/xml.hpp"

#include <gtest/gtest.h>

namespace peerpath::import {
namespace {

constexpr std::string_view document =
    "<?xml version=\"1.0\"?>\n"
    "<!-- what\n follows -->\n"
    "<system version='1' name=\"a &lt;b&gt; &amp; c\">\n"
    "  <cpu>\n"
    "    <pci busid=\"0000:15:00.0\"\n"
    "         class = \"0x060400\"/><!-- a switch -->\n"
    "    <pci/>\n"
    "  </cpu>\n"
    "</system>\n";

TEST(Xml, ReadsElementsWithTheirLines) {
  const auto system = parse_xml(document, "t.xml");
  ASSERT_TRUE(system) << to_string(system.error());
  EXPECT_EQ(system->name, "system");
  EXPECT_EQ(system->line, 4);
  EXPECT_EQ((*system)["version"], "1");
  EXPECT_EQ((*system)["name"], "a <b> & c");
  EXPECT_EQ((*system)["other"], "");
  ASSERT_EQ(system->children.size(), 1U);
  const auto& cpu = system->children[0];
  ASSERT_EQ(cpu.children.size(), 2U);
  EXPECT_EQ(cpu.children[0]["class"], "0x060400");
  EXPECT_EQ(cpu.children[1].line, 8);
}

std::string xml_problem(std::string_view text) {
  const auto read = parse_xml(text, "t.xml");
  return read ? "" : to_string(read.error());
}

TEST(Xml, SaysWhereADocumentIsBroken) {
  EXPECT_EQ(xml_problem(""), "t.xml:1:1: no element in this file");
  EXPECT_EQ(xml_problem("<a>\n<b>\n</a>"), "t.xml:3:1: </a> closes <b> of line 2");
  EXPECT_EQ(xml_problem("<a>\n<b>"), "t.xml:2:1: ends within <b> of line 2");
  EXPECT_EQ(xml_problem("\n</a>"), "t.xml:2:1: </a> closes nothing");
  EXPECT_EQ(xml_problem("<a x>"), "t.xml:1:1: a has an attribute \"x\" without a value");
  EXPECT_EQ(xml_problem("<a x=1>"), "t.xml:1:1: the value of a's x is not in quotes");
  EXPECT_EQ(xml_problem("<a x=\"1\" x=\"2\"/>"), "t.xml:1:1: a has two attributes \"x\"");
  EXPECT_EQ(xml_problem("<a\n/>\n<b/>"), "t.xml:3:1: text after the end of the document");
  EXPECT_NE(xml_problem("<a x=\"&nbsp;\"/>").find("&nbsp;"), std::string::npos);
  EXPECT_NE(xml_problem("<a>word</a>").find("text between elements"), std::string::npos);
  EXPECT_NE(xml_problem("<!DOCTYPE a []><a/>").find("declarations"), std::string::npos);
  EXPECT_NE(xml_problem("<a><!-- \n b</a>").find("ends before -->"), std::string::npos);
}

TEST(Xml, RefusesWhatIsTooDeepOrTooLarge) {
  std::string deep, many = "<a>";
  for (int i = 0; i <= deepest_element; ++i) deep += "<a>";
  for (int i = 0; i <= most_elements; ++i) many += "<b/>";
  EXPECT_NE(xml_problem(deep).find("64 deep"), std::string::npos);
  EXPECT_NE(xml_problem(many).find("more than 100000 elements"), std::string::npos);
}

TEST(Xml, EveryTruncationIsRefused) {
  const auto end = document.rfind('>');
  for (std::size_t size = 0; size < end; ++size) EXPECT_NE(xml_problem(document.substr(0, size)), "") << size;
}

}  // namespace
}  // namespace peerpath::import
