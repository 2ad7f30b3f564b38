// TCP sockets of one stream.
#pragma once

#include <sys/socket.h>

#include "validation/agent/file_handle.hpp"
#include "validation/agent/traffic.hpp"

namespace peerpath::agent {

/// The traffic's address and port; IPv4 as such.
Expected<sockaddr_storage> address_of(const Traffic& traffic);
/// A socket that listens there, and says so on standard error.
Expected<FileHandle> listen_at(const Traffic& traffic);
/// The first connection to it.
Expected<FileHandle> accept_one(const FileHandle& listener);
/// Tries until somebody listens, for timeout_s.
Expected<FileHandle> connect_to(const Traffic& traffic);

/// Bytes that TCP has sent more than once on a connection.
std::uint64_t retransmitted(const FileHandle& connection);

/// Seconds since some time, for differences.
double now();

}  // namespace peerpath::agent
