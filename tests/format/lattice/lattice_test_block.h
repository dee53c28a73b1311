/// \file
/// Makes lattices for tests.

#pragma once

#include <cstdint>
#include <string>

namespace sheaf::lattice::testing {

inline void append_number(std::string& to, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) to += static_cast<char>(value >> 8 * i & 0xFF);
}

struct BlockSizes {
  std::uint64_t frames = 5;
  std::uint64_t nodes = 3;
  std::uint64_t edges = 2;
  std::uint64_t tokens = 4;
};

/// Returns a block of version 2: 68 bytes, plus 2 for each node, 8 for each edge and 4 for each
/// token.
inline std::string block(const BlockSizes& sizes = {}) {
  std::string bytes = "LAT ";
  append_number(bytes, 2, 4);
  append_number(bytes, sizes.nodes, 4);
  append_number(bytes, sizes.edges, 4);
  append_number(bytes, 0xBF80'0000, 4);            // -1: no language-model factor
  append_number(bytes, 0, 4);                      // word penalty
  append_number(bytes, 0x3F84'7AE1'47AE'147B, 8);  // 0.01 s
  append_number(bytes, sizes.frames, 4);
  append_number(bytes, 0x7FFF'FFFF, 4);  // no implied phonetic unit
  bytes += "NODS";
  append_number(bytes, sizes.nodes, 4);
  for (std::uint64_t i = 0; i < sizes.nodes; ++i) {
    append_number(bytes, i + 1 == sizes.nodes ? sizes.frames : i, 2);
  }
  bytes += "EDGS";
  append_number(bytes, sizes.edges, 4);
  for (std::uint64_t i = 0; i < sizes.edges; ++i) append_number(bytes, i << 20U, 8);
  bytes += "ALNS";
  append_number(bytes, sizes.tokens, 4);
  for (std::uint64_t i = 0; i < sizes.tokens; ++i) append_number(bytes, i, 4);
  return bytes + "END ";
}

/// Returns the block with other bytes at offset `at`.
inline std::string with(std::string block, std::size_t at, const std::string& bytes) {
  return block.replace(at, bytes.size(), bytes);
}

/// Returns a number as four bytes.
inline std::string word(std::uint64_t value) {
  std::string bytes;
  append_number(bytes, value, 4);
  return bytes;
}

}  // namespace sheaf::lattice::testing
