#include "core/pcie/config_space.hpp"

#include "peerpath/base/fail.hpp"

namespace peerpath::pcie {
namespace {

constexpr int capability_pointer = 0x34;
constexpr int status_register = 0x06;
constexpr std::uint32_t status_has_list = 0x10;
constexpr int capabilities_end = 0x100;

void check(int offset, int bytes) {
  require(bytes == 1 || bytes == 2 || bytes == 4, "configuration accesses have 1, 2 or 4 bytes");
  require(offset >= 0 && offset % bytes == 0 && offset + bytes <= ConfigSpace::size,
          "a configuration access is misaligned or outside the 4 KiB");
}

}  // namespace

std::uint32_t ConfigSpace::read(int offset, int bytes) const {
  check(offset, bytes);
  std::uint32_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | value_[static_cast<std::size_t>(offset + i)];
  return value;
}

void ConfigSpace::write(int offset, int bytes, std::uint32_t value) {
  check(offset, bytes);
  for (int i = 0; i < bytes; ++i, value >>= 8) {
    const auto at = static_cast<std::size_t>(offset + i);
    const auto byte = static_cast<unsigned>(value & 0xff);
    const unsigned kept = value_[at] & ~unsigned{writable_[at]} & ~(byte & clearable_[at]);
    value_[at] = static_cast<std::uint8_t>(kept | (byte & writable_[at]));
  }
}

void ConfigSpace::set(int offset, int bytes, std::uint32_t value) { store(value_, offset, bytes, value); }

void ConfigSpace::allow(int offset, int bytes, std::uint32_t writable) { store(writable_, offset, bytes, writable); }

void ConfigSpace::allow_clear(int offset, int bytes, std::uint32_t clearable) {
  store(clearable_, offset, bytes, clearable);
}

void ConfigSpace::store(std::array<std::uint8_t, size>& array, int offset, int bytes, std::uint32_t value) {
  check(offset, bytes);
  for (int i = 0; i < bytes; ++i, value >>= 8)
    array[static_cast<std::size_t>(offset + i)] = static_cast<std::uint8_t>(value & 0xff);
}

int ConfigSpace::add_capability(std::uint8_t id, int bytes) {
  const int at = next_;
  require(at + bytes <= capabilities_end, "no room for another capability");
  next_ = (at + bytes + 3) / 4 * 4;
  set(at, 1, id);
  set(last_ == 0 ? capability_pointer : last_ + 1, 1, static_cast<std::uint32_t>(at));
  set(status_register, 2, read(status_register, 2) | status_has_list);
  return last_ = at;
}

int ConfigSpace::add_extended_capability(std::uint16_t id, int version, int bytes) {
  const int at = next_extended_;
  require(at + bytes <= size, "no room for another extended capability");
  next_extended_ = (at + bytes + 3) / 4 * 4;
  set(at, 4, id | static_cast<std::uint32_t>(version) << 16);
  if (last_extended_ != 0)
    set(last_extended_, 4, (read(last_extended_, 4) & 0xfffff) | static_cast<std::uint32_t>(at) << 20);
  return last_extended_ = at;
}

std::optional<int> ConfigSpace::find_capability(std::uint8_t id) const {
  for (auto at = static_cast<int>(read(capability_pointer, 1)); at != 0; at = static_cast<int>(read(at + 1, 1)))
    if (read(at, 1) == id) return at;
  return {};
}

std::optional<int> ConfigSpace::find_extended_capability(std::uint16_t id) const {
  for (int at = capabilities_end; at != 0 && read(at, 4) != 0; at = static_cast<int>(read(at, 4) >> 20))
    if ((read(at, 4) & 0xffff) == id) return at;
  return {};
}

}  // namespace peerpath::pcie
