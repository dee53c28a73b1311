// Makes RIFF files for tests, field by field.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sheaf::testing {

/// The parts of a RIFF file. Sizes that are not given are right.
struct RiffBytes {
  using Chunk = std::pair<std::string, std::string>;

  bool is_big_endian = false;
  std::uint32_t format = 1;
  std::uint32_t channels = 1;
  std::uint32_t rate = 16000;
  std::uint32_t bits = 16;
  std::optional<std::uint32_t> align = {};
  bool is_extensible = false;
  std::vector<Chunk> before = {};  // before the data chunk
  std::string data = {};
  std::vector<Chunk> behind = {};
  std::optional<std::uint32_t> riff_size = {};
  std::optional<std::uint32_t> data_size = {};

  [[nodiscard]] std::string number(std::uint32_t value, int size) const {
    std::string bytes;
    for (int i = 0; i < size; ++i) {
      const int shift = 8 * (is_big_endian ? size - 1 - i : i);
      bytes += static_cast<char>(value >> shift & 0xFFU);
    }
    return bytes;
  }

  [[nodiscard]] std::string chunk(const std::string& id, const std::string& bytes,
                                  std::optional<std::uint32_t> size = {}) const {
    const auto own_size = static_cast<std::uint32_t>(bytes.size());
    return id + number(size.value_or(own_size), 4) + bytes + std::string(own_size % 2, '\0');
  }

  [[nodiscard]] std::string format_fields() const {
    const std::uint32_t own_align = align.value_or(channels * bits / 8);
    std::string fields = number(is_extensible ? 0xFFFE : format, 2) + number(channels, 2) +
                         number(rate, 4) + number(rate * own_align, 4) + number(own_align, 2) +
                         number(bits, 2);
    if (!is_extensible) return fields;
    return fields + number(22, 2) + number(bits, 2) + number(3, 4) + number(format, 2) +
           std::string("\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B\x71", 14);
  }

  [[nodiscard]] std::string bytes() const {
    std::string chunks = "WAVE" + chunk("fmt ", format_fields());
    for (const Chunk& each : before) chunks += chunk(each.first, each.second);
    chunks += chunk("data", data, data_size);
    for (const Chunk& each : behind) chunks += chunk(each.first, each.second);
    const auto size = static_cast<std::uint32_t>(chunks.size());
    return (is_big_endian ? "RIFX" : "RIFF") + number(riff_size.value_or(size), 4) + chunks;
  }
};

}  // namespace sheaf::testing
