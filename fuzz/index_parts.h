// Takes index files apart and puts them together, according to docs/formats/index-file.md and
// without code of the library.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::fuzz {

/// The number of control bytes in front of an index file; see fuzz_index.cc.
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

/// Whether put_together() computes checksums or writes 0.
enum class Checksums : std::uint8_t { right, zero };

/// Takes any bytes apart. A missing part is empty, and an overlong part is cut.
[[nodiscard]] IndexParts take_apart(std::string_view bytes);

[[nodiscard]] std::string put_together(const IndexParts& parts, Checksums checksums);

/// Corrects the checksums that can be found, and changes nothing else.
void mend_checksums(std::string& bytes);

}  // namespace sheaf::fuzz
