// What each kind of event is declared with.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "peerpath/base/field.hpp"

namespace peerpath::scenario {
struct Event;
class EventCheck;
}  // namespace peerpath::scenario
