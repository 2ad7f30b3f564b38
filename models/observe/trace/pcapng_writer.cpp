#include "observe/trace/pcapng_writer.hpp"

namespace peerpath::trace {
namespace {

constexpr std::uint32_t section_header = 0x0a0d0d0a, interface_description = 1, enhanced_packet = 6;
enum : unsigned {
  opt_comment = 1,
  if_name = 2,
  if_description = 3,
  if_speed = 8,
  if_tsresol = 9,
  shb_userappl = 4,
  epb_flags = 2
};

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

constexpr Duration longest_in_picoseconds = std::chrono::milliseconds{18};

}  // namespace

int timestamp_digits(Instant end) { return end - Instant{} > longest_in_picoseconds ? 9 : 12; }

std::uint64_t timestamp(Instant when, int digits) {
  return static_cast<std::uint64_t>(femtoseconds(when) / (digits == 12 ? 1'000 : 1'000'000));
}

void PcapngWriter::begin() { block_.clear(); }
void PcapngWriter::put16(unsigned value) { block_ += little_endian(value, 2); }
void PcapngWriter::put32(std::uint32_t value) { block_ += little_endian(value, 4); }
void PcapngWriter::put64(std::uint64_t value) { block_ += little_endian(value, 8); }
void PcapngWriter::pad() { block_.resize((block_.size() + 3) / 4 * 4); }

void PcapngWriter::option(unsigned code, std::string_view value) {
  if (value.empty()) return;
  put16(code);
  put16(static_cast<unsigned>(value.size()));
  block_ += value;
  pad();
}

void PcapngWriter::end(std::uint32_t type) {
  put32(0);  // opt_endofopt
  const auto size = static_cast<std::uint32_t>(block_.size() + 12);
  out_ << little_endian(type, 4) << little_endian(size, 4) << block_ << little_endian(size, 4);
}

PcapngWriter::PcapngWriter(std::ostream& out, std::string_view application, std::string_view comment, int digits)
    : out_{out}, digits_{digits} {
  begin();
  put32(0x1a2b3c4d);  // byte order
  put16(1), put16(0);
  put64(~std::uint64_t{0});  // length of the section: not said
  option(opt_comment, comment);
  option(shb_userappl, application);
  end(section_header);
}

std::uint32_t PcapngWriter::add(const PcapngInterface& interface) {
  begin();
  put16(static_cast<unsigned>(interface.type));
  put16(0);
  put32(interface.most_captured);
  option(if_name, interface.name);
  option(if_description, interface.description);
  if (interface.bits_per_second != 0) option(if_speed, little_endian(interface.bits_per_second, 8));
  option(if_tsresol, little_endian(static_cast<unsigned>(digits_), 1));
  end(interface_description);
  return interfaces_++;
}

void PcapngWriter::packet(std::uint32_t interface, std::uint64_t time, std::span<const std::uint8_t> captured,
                          std::uint32_t length, PacketDirection direction, std::string_view comment) {
  begin();
  put32(interface);
  put32(static_cast<std::uint32_t>(time >> 32));
  put32(static_cast<std::uint32_t>(time));
  put32(static_cast<std::uint32_t>(captured.size()));
  put32(length);
  block_.append(captured.begin(), captured.end());
  pad();
  option(opt_comment, comment);
  option(epb_flags, little_endian(static_cast<unsigned>(direction), 4));
  end(enhanced_packet);
}

}  // namespace peerpath::trace
