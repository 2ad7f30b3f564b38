// What a dump does not say of a host with two sockets.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace peerpath::import {

/// The entry of `inter_socket` that joins rc0 and rc1, with the links that processors of this vendor usually have, and
/// the note that says so.
nlohmann::ordered_json assumed_inter_socket(bool amd, std::vector<std::string>& notes);

}  // namespace peerpath::import
