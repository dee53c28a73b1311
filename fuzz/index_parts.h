// Index files taken apart and put together, as docs/formats/index-file.md says; none of the
// library's own code does it.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::fuzz {

/// How many bytes in front of an index file say how it is tried; see fuzz_index.cc.
inline constexpr std::size_t kIndexControlBytes = 4;

struct IndexParts {
  struct Chunk {
    std::array<std::uint64_t, 7> words{};  // of the footer, up to the hash
    std::string block;
  };

  std::string options;
  std::uint64_t data_size = 0;
  std::uint64_t data_hash = 0;
  std::uint64_t modified = 0;
  std::string notes;
  std::vector<Chunk> chunks;
};

/// Whether checksums are computed, or are 0.
enum class Checksums : std::uint8_t { right, zero };

/// Bytes that need not be an index file: what is not there is empty, what is too long is cut.
[[nodiscard]] IndexParts take_apart(std::string_view bytes);

[[nodiscard]] std::string put_together(const IndexParts& parts, Checksums checksums);

/// Set the checksums alone, as far as the bytes say where they are and what they are made of.
void mend_checksums(std::string& bytes);

}  // namespace sheaf::fuzz
