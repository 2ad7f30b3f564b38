#include <gtest/gtest.h>

#include "devices/private_pages/aperture.hpp"
#include "devices/private_pages/contents.hpp"
#include "devices/private_pages/translations.hpp"

namespace peerpath::private_pages {
namespace {

Verdict verdict_of(const Contents& contents, Place place = Place::vram, const Content& open = {}) {
  Verdict verdict;
  for (Page page = 0; page < contents.pages(); ++page) contents.judge(page, place, open, verdict);
  return verdict;
}

TEST(PageContents, AreTheSameHoweverAMessageIsCut) {
  Contents contents{1};
  contents.expect(0, {7, 0, 100});
  contents.write(0, Place::vram, {7, 60, 100});
  contents.write(0, Place::vram, {7, 0, 17});
  contents.write(0, Place::vram, {7, 17, 60});
  EXPECT_EQ(verdict_of(contents), Verdict{});
}

TEST(PageContents, TellOfALostPiece) {
  Contents contents{1};
  contents.expect(0, {7, 0, 100});
  contents.write(0, Place::vram, {7, 0, 60});
  EXPECT_EQ(verdict_of(contents), (Verdict{Bytes{40}, Bytes{0}, 1}));
}

TEST(PageContents, TellOfARepeatedPiece) {
  Contents contents{1};
  contents.expect(0, {7, 0, 100});
  contents.write(0, Place::vram, {7, 0, 100});
  contents.write(0, Place::vram, {7, 20, 30});
  EXPECT_EQ(verdict_of(contents), (Verdict{Bytes{0}, Bytes{10}, 1}));
}

TEST(PageContents, TellOfOnePieceInAnothersPlace) {
  Contents contents{1};
  contents.expect(0, {7, 0, 100});
  contents.write(0, Place::vram, {7, 0, 50});
  contents.write(0, Place::vram, {7, 0, 50});
  EXPECT_EQ(verdict_of(contents), (Verdict{Bytes{0}, Bytes{0}, 1})) << "the right size, the wrong bytes";
}

TEST(PageContents, TellOfAWriteToTheCopyThatWasLeft) {
  Contents contents{1};
  contents.put(0, Place::host, contents.read(0, Place::vram));
  contents.expect(0, {7, 0, 8});
  contents.write(0, Place::vram, {7, 0, 8});  // late
  EXPECT_EQ(verdict_of(contents, Place::host), (Verdict{Bytes{8}, Bytes{0}, 1}));
}

TEST(PageContents, AllowForMessagesUnderWay) {
  Contents contents{1};
  Content open;
  open.add(Piece{7, 0, 8});
  contents.write(0, Place::vram, {7, 0, 8});
  EXPECT_EQ(verdict_of(contents, Place::vram, open), Verdict{});
  EXPECT_EQ(verdict_of(contents).repeated, Bytes{8});
}

TEST(PageAperture, HandsOutSlotsAndTakesThemBack) {
  Aperture aperture{2};
  EXPECT_FALSE(aperture.oldest().has_value());
  EXPECT_EQ(aperture.map(10), 0U);
  EXPECT_EQ(aperture.map(11), 1U);
  EXPECT_TRUE(aperture.full());
  EXPECT_EQ(aperture.oldest(), Page{10});
  aperture.unmap(10);
  EXPECT_EQ(aperture.oldest(), Page{11});
  EXPECT_EQ(aperture.map(12), 0U);
  EXPECT_EQ(aperture.slot_of(12), 0U);
  EXPECT_EQ(aperture.used(), 2U);
}

TEST(NicTranslations, InvalidationWaitsForDmaInFlight) {
  Translations translations{2};
  EXPECT_FALSE(translations.find(0).has_value());
  translations.fill(0, {Place::vram, 3});
  translations.begin(0);
  translations.begin(0);
  EXPECT_FALSE(translations.invalidate(0));
  EXPECT_FALSE(translations.find(0).has_value()) << "no new DMA";
  EXPECT_FALSE(translations.end(0));
  EXPECT_TRUE(translations.end(0));
}

TEST(NicTranslations, InvalidationOfAnIdlePageIsOverAtOnce) {
  Translations translations{2};
  translations.fill(0, {});
  translations.begin(0);
  EXPECT_FALSE(translations.end(0)) << "nobody waits";
  EXPECT_TRUE(translations.invalidate(0));
  EXPECT_TRUE(translations.invalidate(1));
}

}  // namespace
}  // namespace peerpath::private_pages
