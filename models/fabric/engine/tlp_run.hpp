// Equal TLPs that follow one another: the unit in which the engine moves traffic.
#pragma once

#include <bit>
#include <cstdint>

#include "core/pcie/split.hpp"
#include "fabric/engine/time.hpp"

namespace peerpath::fabric::engine {

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// The double words and credits of a TLP.
struct TlpShape {
  std::uint16_t dw = 0, data_dw = 0, units = 0;

  bool operator==(const TlpShape&) const = default;
};

/// Equal TLPs that wait in one FIFO: the first may start at `e`, each further one `slope` later.
struct TlpRun : TlpShape {
  Femto e = 0, slope = 0;
  std::uint64_t address = 0;
  std::int64_t mark = 0;  ///< posted TLPs of the lane that must have left before the first starts
  std::int32_t count = 0;
  std::int32_t step = 0;       ///< bytes of the access in each
  std::uint32_t record = 0;    ///< transaction
  std::uint32_t answered = 0;  ///< completions: the request that they answer
  // Completions of whole steps may belong to several answers, one after the other (Answer::next).
  std::uint16_t per = 0;     ///< completions of each answer; 0: all belong to `answered`
  std::uint16_t offset = 0;  ///< completions of the first answer that have gone ahead
  std::uint32_t tail = 0;    ///< the answer of the last one

  Femto last_e() const { return e + (count - 1) * slope; }

  void set_size(const pcie::Run& run) {
    count = static_cast<std::int32_t>(run.count);
    address = run.first.address;
    step = static_cast<std::int32_t>(run.first.bytes.count());
    dw = static_cast<std::uint16_t>(run.first.dw);
    data_dw = static_cast<std::uint16_t>(run.first.data_dw);
    units = static_cast<std::uint16_t>(run.first.units);
  }
};

/// The TLPs of accesses that are cut at the multiples of a step, a power of two, where all are equal.
struct WholeSteps {
  std::uint64_t below = ~std::uint64_t{};  ///< step - 1; all ones if no access is cut into steps
  std::int32_t shift = 0, step = 0;        ///< step = 1 << shift
  TlpShape each;                           ///< without header

  WholeSteps() = default;
  WholeSteps(Bytes bytes, bool has_data, bool ecrc) {
    const auto size = static_cast<std::uint64_t>(bytes.count());
    if (!std::has_single_bit(size)) return;
    below = size - 1;
    shift = std::countr_zero(size);
    step = static_cast<std::int32_t>(size);
    each.data_dw = static_cast<std::uint16_t>(has_data ? size / 4 : 0);
    each.dw = static_cast<std::uint16_t>(each.data_dw + (ecrc ? 1 : 0));
    each.units = static_cast<std::uint16_t>((each.data_dw + 3) / 4);
  }

  /// Whether an access is whole steps, all below or all above 4 GiB.
  bool whole(std::uint64_t address, Bytes bytes) const {
    const auto size = static_cast<std::uint64_t>(bytes.count());
    return ((address | size) & below) == 0 && size != 0 && (address ^ (address + size - 1)) >> 32 == 0;
  }
  /// Whether an access is whole steps or one TLP.
  bool cover(std::uint64_t address, Bytes bytes) const {
    const auto size = static_cast<std::uint64_t>(bytes.count());
    return (size - 1 < static_cast<std::uint64_t>(step) &&
            (address & below) + size <= static_cast<std::uint64_t>(step)) ||
           whole(address, bytes);
  }
  void cut(int header, std::uint64_t address, Bytes bytes, TlpRun& run) const {
    static_cast<TlpShape&>(run) = each;
    run.dw = static_cast<std::uint16_t>(each.dw + header);
    run.address = address;
    run.count = static_cast<std::int32_t>(bytes.count() >> shift);
    run.step = step;
    if (run.count > 0) return;
    run.count = 1;
    run.step = static_cast<std::int32_t>(bytes.count());
    if (each.data_dw == 0) return;
    run.data_dw = static_cast<std::uint16_t>(pcie::data_double_words(address, bytes));
    run.dw = static_cast<std::uint16_t>(run.dw - each.data_dw + run.data_dw);
    run.units = static_cast<std::uint16_t>((run.data_dw + 3) / 4);
  }
};

}  // namespace peerpath::fabric::engine
