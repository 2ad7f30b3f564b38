#include "validation/pcie_bench/preset.hpp"

#include <gtest/gtest.h>

namespace peerpath::pcie_bench {
namespace {

TEST(Preset, ComesBackAsItWasWritten) {
  CardConstants card;
  card.read_beat = 4.321;
  const auto back = parse_card(card_to_json(card, "a test"), "f.json");
  ASSERT_TRUE(back);
  for (const auto& constant : card_constants) EXPECT_DOUBLE_EQ((*back).*constant.member, card.*constant.member);
}

TEST(Preset, RefusesWhatIsMissingUnknownOrOutOfBounds) {
  const auto good = card_to_json({}, "a test");
  const auto changed = [&](const std::string& from, const std::string& to) {
    auto text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_TRUE(parse_card(good, "f"));
  EXPECT_FALSE(parse_card("", "f"));
  EXPECT_FALSE(parse_card("[]", "f"));
  EXPECT_FALSE(parse_card(changed("\"setup\"", "\"setu\""), "f"));
  EXPECT_FALSE(parse_card(changed("16.0", "-1"), "f"));
  EXPECT_FALSE(parse_card(changed("16.0", "\"16.0\""), "f"));
}

}  // namespace
}  // namespace peerpath::pcie_bench
