/// \file
/// Makes HTK parameter files for tests.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sheaf::htk::testing {

inline void append_number(std::string& to, std::uint64_t value, int size, bool is_big_endian) {
  for (int i = 0; i < size; ++i) {
    const int shift = 8 * (is_big_endian ? size - 1 - i : i);
    to += static_cast<char>(value >> shift & 0xFF);
  }
}

inline void append_float(std::string& to, float value, bool is_big_endian = true) {
  append_number(to, std::bit_cast<std::uint32_t>(value), 4, is_big_endian);
}

struct HeaderFields {
  std::uint64_t samples = 1;
  std::uint64_t period = 100'000;
  std::uint64_t frame_size = 4;
  std::uint64_t kind = 9;
  bool is_big_endian = true;
};

inline std::string header(const HeaderFields& fields) {
  std::string bytes;
  append_number(bytes, fields.samples, 4, fields.is_big_endian);
  append_number(bytes, fields.period, 4, fields.is_big_endian);
  append_number(bytes, fields.frame_size, 2, fields.is_big_endian);
  append_number(bytes, fields.kind, 2, fields.is_big_endian);
  return bytes;
}

/// Returns a file of frames with `dim` values.
inline std::string file(const std::vector<float>& values, std::uint64_t dim,
                        HeaderFields fields = {}) {
  fields.samples = values.size() / dim;
  fields.frame_size = 4 * dim;
  std::string bytes = header(fields);
  for (const float value : values) append_float(bytes, value, fields.is_big_endian);
  return bytes;
}

/// Appends the checksum of the bytes after the header, word by word.
inline void append_checksum(std::string& bytes, bool is_big_endian = true) {
  std::uint32_t sum = 0;
  for (std::size_t i = 12; i + 1 < bytes.size(); i += 2) {
    const auto first = static_cast<unsigned char>(bytes[i + (is_big_endian ? 0U : 1U)]);
    const auto second = static_cast<unsigned char>(bytes[i + (is_big_endian ? 1U : 0U)]);
    sum = (sum * 65536U + first * 256U + second) % 36897U;
  }
  append_number(bytes, sum, 2, is_big_endian);
}

}  // namespace sheaf::htk::testing
