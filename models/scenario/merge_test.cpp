// The examples of RFC 7396, appendix A, with the places of what comes out.
#include "scenario/merge.hpp"

#include <gtest/gtest.h>

namespace peerpath::scenario {
namespace {

std::string text_of(const Node& node) {
  using Type = Node::Type;
  std::string out;
  if (node.is(Type::object)) {
    for (const Member& member : node.members)
      out += (out.empty() ? "" : ",") + member.key + ":" + text_of(member.value);
    return "{" + out + "}";
  }
  if (node.is(Type::array)) {
    for (const Node& item : node.items) out += (out.empty() ? "" : ",") + text_of(item);
    return "[" + out + "]";
  }
  return shown(node);
}

Node parsed(std::string_view text, int file = 0) {
  const Sources sources{{"a.json", "b.json"}, {}};
  Report report{sources};
  Node node;
  EXPECT_TRUE(parse(text, file, node, report)) << text;
  return node;
}

std::string merged(std::string_view target, std::string_view patch) {
  Node node = parsed(target);
  merge_patch(node, parsed(patch, 1));
  return text_of(node);
}

TEST(MergePatch, FollowsTheExamplesOfTheRfc) {
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":"c"})"), R"({a:"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"b":"c"})"), R"({a:"b",b:"c"})");
  EXPECT_EQ(merged(R"({"a":"b"})", R"({"a":null})"), "{}");
  EXPECT_EQ(merged(R"({"a":"b","b":"c"})", R"({"a":null})"), R"({b:"c"})");
  EXPECT_EQ(merged(R"({"a":["b"]})", R"({"a":"c"})"), R"({a:"c"})");
  EXPECT_EQ(merged(R"({"a":"c"})", R"({"a":["b"]})"), R"({a:["b"]})");
  EXPECT_EQ(merged(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"), R"({a:{b:"d"}})");
  EXPECT_EQ(merged(R"({"a":[{"b":"c"}]})", R"({"a":[1]})"), "{a:[1]}");
  EXPECT_EQ(merged(R"(["a","b"])", R"(["c","d"])"), R"(["c","d"])");
  EXPECT_EQ(merged(R"({"a":"b"})", R"(["c"])"), R"(["c"])");
  EXPECT_EQ(merged(R"([1,2])", R"({"a":"b","c":null})"), R"({a:"b"})");
  EXPECT_EQ(merged("{}", R"({"a":{"bb":{"ccc":null}}})"), "{a:{bb:{}}}");
}

TEST(MergePatch, KeepsThePlaceOfWhatStays) {
  Node node = parsed("{\n  \"a\": 1,\n  \"b\": 2\n}", 0);
  merge_patch(node, parsed("{ \"b\": 3 }", 1));
  EXPECT_EQ(locate(node, "/a").file, 0);
  EXPECT_EQ(locate(node, "/a").line, 2);
  EXPECT_EQ(locate(node, "/a").column, 8);
  EXPECT_EQ(locate(node, "/b").file, 1);
  EXPECT_EQ(locate(node, "/b").column, 8);
}

}  // namespace
}  // namespace peerpath::scenario
