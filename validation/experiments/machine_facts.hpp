// What the dataset says about the machine: processor, memory, kernel, and the PCIe function of each GPU. No host name.
#pragma once

#include <cstdint>
#include <string>

namespace peerpath::experiments {

/// {"processor": ..., "cores": ..., "memory_MiB": ..., "kernel": ..., "virtual": ...} as JSON.
std::string host_facts();

/// Of this process's memory, what lies in huge pages, in MiB; 0 where the kernel does not say.
std::int64_t huge_pages();

/// Link, MPS, MRRS and what else the function at `bus_id` and the bridges above it say of themselves in configuration
/// space, as JSON; from /sys/bus/pci.
std::string pcie_facts(const std::string& bus_id);

/// What `lspci -vvv` says of the function, or nothing if there is no lspci.
std::string lspci_text(const std::string& bus_id);

/// First line of the kernel driver's version file, or nothing.
std::string kernel_driver();

}  // namespace peerpath::experiments
