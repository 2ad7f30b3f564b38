#include "devices/gpu/blobs.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "peerpath/base/byte_order.hpp"

namespace peerpath::gpu {
namespace {

constexpr std::uint64_t vram = 1 << 20;

/// A driver's control queue. Fields are {offset, size, value} behind the command's number.
class ControlQueue : public testing::Test {
 protected:
  VirtioReply send(std::uint32_t command, std::initializer_list<std::array<std::uint64_t, 3>> fields) {
    std::vector<std::uint8_t> raw(64);
    store_le(raw, 0, 4, command);
    for (const auto& [at, size, value] : fields) store_le(raw, at, size, value);
    reply.assign(Blobs::max_reply, 0xff);
    reply.resize(blobs.execute(raw, reply));
    return static_cast<VirtioReply>(load_le(reply, 0, 4));
  }
  VirtioReply create(std::uint32_t id, std::uint64_t size, std::uint32_t memory = 2, std::uint32_t flags = 1) {
    return send(0x10c, {{24, 4, id}, {28, 4, memory}, {32, 4, flags}, {40, 8, 1}, {48, 8, size}});
  }
  VirtioReply map(std::uint32_t id, std::uint64_t offset) { return send(0x208, {{24, 4, id}, {32, 8, offset}}); }
  VirtioReply unmap(std::uint32_t id) { return send(0x209, {{24, 4, id}}); }
  VirtioReply destroy(std::uint32_t id) { return send(0x102, {{24, 4, id}}); }

  Blobs blobs{vram};
  std::vector<std::uint8_t> reply;
};

TEST_F(ControlQueue, ABlobLivesFromCreationToItsEndAndIsWhereItIsMapped) {
  EXPECT_EQ(create(1, 8192), VirtioReply::ok);
  EXPECT_EQ(blobs.mapped_at(1), std::nullopt);
  EXPECT_EQ(map(1, 4096), VirtioReply::ok_map_info);
  EXPECT_EQ(load_le(reply, 24, 4), 3u) << "write-combining";
  EXPECT_EQ(blobs.mapped_at(1), 4096u);
  EXPECT_EQ(unmap(1), VirtioReply::ok);
  EXPECT_EQ(unmap(1), VirtioReply::invalid_parameter);
  EXPECT_EQ(map(1, 0), VirtioReply::ok_map_info);
  EXPECT_EQ(destroy(1), VirtioReply::ok);
  EXPECT_EQ(destroy(1), VirtioReply::invalid_resource);
  EXPECT_EQ(create(2, vram), VirtioReply::ok);
  EXPECT_EQ(map(2, 0), VirtioReply::ok_map_info) << "what was destroyed occupies nothing";
}

TEST_F(ControlQueue, RefusesWhatLiesOutsideVramOrOverlaps) {
  EXPECT_EQ(create(1, vram + 4096), VirtioReply::out_of_memory);
  EXPECT_EQ(create(1, 0), VirtioReply::invalid_parameter);
  EXPECT_EQ(create(1, 4097), VirtioReply::invalid_parameter);
  EXPECT_EQ(create(1, ~std::uint64_t{0} << 12), VirtioReply::out_of_memory);
  EXPECT_EQ(create(1, 8192, 1), VirtioReply::invalid_parameter) << "guest memory is not VRAM";
  EXPECT_EQ(create(0, 8192), VirtioReply::invalid_resource);
  EXPECT_EQ(create(1, 8192), VirtioReply::ok);
  EXPECT_EQ(create(1, 8192), VirtioReply::invalid_resource);
  for (const std::uint64_t offset : {vram - 4096, vram, vram + 4096, ~std::uint64_t{0} - 4095, std::uint64_t{100}})
    EXPECT_EQ(map(1, offset), VirtioReply::invalid_parameter) << offset;
  EXPECT_EQ(map(1, vram - 8192), VirtioReply::ok_map_info);
  EXPECT_EQ(map(1, 0), VirtioReply::invalid_parameter) << "mapped already";
  EXPECT_EQ(create(2, 8192), VirtioReply::ok);
  EXPECT_EQ(map(2, vram - 12288), VirtioReply::invalid_parameter) << "overlaps the first";
  EXPECT_EQ(map(2, vram - 16384), VirtioReply::ok_map_info);
  EXPECT_EQ(create(3, 4096, 2, 0), VirtioReply::ok);
  EXPECT_EQ(map(3, 0), VirtioReply::invalid_parameter) << "not made mappable";
  EXPECT_EQ(blobs.counters().refused, 15);
}

TEST_F(ControlQueue, ContextsAndWhatIsAttachedToThem) {
  EXPECT_EQ(send(0x200, {{16, 4, 1}}), VirtioReply::ok);
  EXPECT_EQ(send(0x200, {{16, 4, 1}}), VirtioReply::invalid_context);
  EXPECT_EQ(send(0x202, {{16, 4, 1}, {24, 4, 9}}), VirtioReply::invalid_resource);
  EXPECT_EQ(create(9, 4096), VirtioReply::ok);
  EXPECT_EQ(send(0x202, {{16, 4, 2}, {24, 4, 9}}), VirtioReply::invalid_context);
  EXPECT_EQ(send(0x202, {{16, 4, 1}, {24, 4, 9}}), VirtioReply::ok);
  EXPECT_EQ(send(0x203, {{16, 4, 1}, {24, 4, 9}}), VirtioReply::ok);
  EXPECT_EQ(send(0x203, {{16, 4, 1}, {24, 4, 9}}), VirtioReply::invalid_context);
  EXPECT_EQ(send(0x201, {{16, 4, 1}}), VirtioReply::ok);
  EXPECT_EQ(send(0x201, {{16, 4, 1}}), VirtioReply::invalid_context);
}

TEST_F(ControlQueue, FencesComeBackAndNonsenseIsAnswered) {
  send(0x200, {{4, 4, 1}, {8, 8, 0x1122334455667788}, {16, 4, 5}});
  EXPECT_EQ(load_le(reply, 4, 4), 1u);
  EXPECT_EQ(load_le(reply, 8, 8), 0x1122334455667788u);
  EXPECT_EQ(load_le(reply, 16, 4), 5u);
  EXPECT_EQ(send(0x207, {}), VirtioReply::unspecified);
  EXPECT_EQ(send(0x100, {}), VirtioReply::ok_display_info);
  std::vector<std::uint8_t> out(Blobs::max_reply);
  EXPECT_EQ(blobs.execute({}, out), 24u);
  EXPECT_EQ(load_le(out, 0, 4), 0x1200u);
}

TEST_F(ControlQueue, AGuestCannotHaveItRememberWithoutEnd) {
  for (std::uint32_t i = 1; i <= 10'000; ++i) create(i, 4096);
  for (std::uint32_t i = 1; i <= 10'000; ++i) send(0x200, {{16, 4, i}});
  EXPECT_EQ(blobs.size(), Blobs::max_blobs);
  EXPECT_EQ(blobs.counters().refused, 20'000 - static_cast<std::int64_t>(Blobs::max_blobs + Blobs::max_contexts));
}

}  // namespace
}  // namespace peerpath::gpu
