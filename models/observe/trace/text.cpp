#include "observe/trace/text.hpp"

#include <algorithm>

#include "observe/trace/header.hpp"
#include "peerpath/base/field.hpp"

namespace peerpath::trace {

std::string tlp_type(const Tlp& tlp) {
  using pcie::Operation;
  const bool data = tlp.record.payload.count() > 0;
  if (tlp.record.tlp_class == pcie::TlpClass::completion) return data ? "CplD" : "Cpl";
  switch (tlp.record.op) {
    case Operation::memory_write:
      return "MWr";
    case Operation::memory_read:
      return "MRd";
    case Operation::atomic:
      return "FetchAdd";
    case Operation::config_read:
      return "CfgRd0";
    case Operation::config_write:
      return "CfgWr0";
    case Operation::message:
      return data ? "MsgD" : "Msg";
  }
  return "TLP";
}

std::string purpose_text(pcie::Purpose purpose) {
  std::string text{name_of(purpose)};
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string function_name(fabric::NodeId node) {
  constexpr char digits[] = "0123456789abcdef";
  const unsigned id = function_id(node);
  const unsigned bus = id >> 8, device = id >> 3 & 31U;
  return {digits[bus >> 4], digits[bus & 15U], ':', digits[device >> 4], digits[device & 15U], '.', '0'};
}

}  // namespace peerpath::trace
