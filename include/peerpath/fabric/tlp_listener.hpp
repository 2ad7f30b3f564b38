// Who is shown what crosses the links of a running domain, in order.
#pragma once

#include "peerpath/fabric/fabric.hpp"

namespace peerpath::fabric {

class TlpListener {
 public:
  virtual ~TlpListener() = default;
  /// Every TLP on every link, in the order of their starts. `tlp.cookie` is a number that its transaction alone has in
  /// the run; `asked` is that transaction as it was submitted, but for the cookie.
  virtual void see(const TlpRecord& tlp, const Transaction& asked) = 0;
  /// All that starts before `horizon` has been shown.
  virtual void reached(Instant /*horizon*/) {}
};

}  // namespace peerpath::fabric
