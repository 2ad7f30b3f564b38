#include "tools/peerpath/command_line/catalogue.hpp"
#include "tools/peerpath/command_line/manual_page.hpp"

namespace peerpath::cli {

Exit manual(const Arguments&, Terminal& terminal) {
  terminal.data(manual_page(catalogue()));
  return Exit::done;
}

}  // namespace peerpath::cli
