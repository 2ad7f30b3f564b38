#include "core/pcie/function_address.hpp"

#include <algorithm>

namespace peerpath::pcie {

bool is_function_address(std::string_view text) {
  constexpr std::string_view form = ":hh:hh.o";
  if (text.size() < form.size() + 4 || text.size() > form.size() + 8) return false;
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  const auto domain = text.size() - form.size();
  if (!std::ranges::all_of(text.substr(0, domain), hex)) return false;
  for (std::size_t n = 0; n < form.size(); ++n) {
    const char c = text[domain + n];
    if (form[n] == 'h' ? !hex(c) : form[n] == 'o' ? c < '0' || c > '7' : c != form[n]) return false;
  }
  return true;
}

}  // namespace peerpath::pcie
