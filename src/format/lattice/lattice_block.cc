// A block of version 2 has "LAT ", the version, a header of 32 bytes, and then nodes, edges and
// tokens, each after a tag and a count, and "END ". All numbers are little-endian.

#include "format/lattice/lattice_block.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/text.h"
#include "base/unaligned.h"

namespace sheaf::lattice {
namespace {

constexpr std::int64_t kTagSize = 4;
constexpr std::int64_t kWordSize = 4;
constexpr std::int64_t kNodeCountOffset = 8;
constexpr std::int64_t kEdgeCountOffset = 12;
constexpr std::int64_t kFrameCountOffset = 32;
constexpr std::int64_t kPartsOffset = 40;  // after the header
constexpr std::int64_t kNodeSize = 2;
constexpr std::int64_t kEdgeSize = 8;
constexpr std::int64_t kTokenSize = 4;

/// Checks a block from its start to the first fault.
class BlockCheck {
 public:
  explicit BlockCheck(std::span<const std::byte> block) : block_(block), size_(std::ssize(block)) {}

  std::optional<BlockFault> run() {
    if (text_at(0) != "LAT ") return wrong(kTag, 0, quoted_tag(0));
    if (size_ < kNodeCountOffset) return wrong(kVersion, kTagSize, size_text());
    const std::int64_t version = static_cast<std::int32_t>(word_at(kTagSize));
    if (version != 1 && version != 2) {
      return wrong(kVersion, kTagSize, formatted("version {}", version));
    }
    if (version == 1) return std::nullopt;
    if (size_ < kPartsOffset) return wrong(kHeader, size_, size_text());
    if (auto fault = check_nodes()) return fault;
    if (auto fault = check_part("EDGS", kEdgesTag, kEdgeSize, kEdgeCount, kEdgeCountOffset)) {
      return fault;
    }
    if (auto fault = check_part("ALNS", kTokensTag, kTokenSize, kTokenCount, 0)) return fault;
    if (text_at(at_) != "END ") return wrong(kEndTag, at_, quoted_tag(at_));
    at_ += kTagSize;
    if (at_ == size_) return std::nullopt;
    return wrong(kEnd, at_, formatted("{} more bytes", size_ - at_));
  }

 private:
  std::optional<BlockFault> check_nodes() {
    if (auto fault = check_part("NODS", kNodesTag, kNodeSize, kNodeCount, kNodeCountOffset)) {
      return fault;
    }
    if (word_at(kNodeCountOffset) == 0) return wrong(kNoNode, kNodeCountOffset, "none");
    const std::int64_t last = internal::load<std::uint16_t>(block_.data() + at_ - kNodeSize);
    const std::int64_t frame_count = word_at(kFrameCountOffset);
    if (last == frame_count) return std::nullopt;
    return wrong(kFrames, at_ - kNodeSize,
                 formatted("time {}, where the lattice has {} frames", last, frame_count));
  }

  // Checks a part, which begins with a tag and a count. The header may repeat the count at
  // `count_offset`.
  std::optional<BlockFault> check_part(std::string_view tag, const ErrorKind& tag_kind,
                                       std::int64_t element_size, const ErrorKind& count_kind,
                                       std::int64_t count_offset) {
    if (text_at(at_) != tag) return wrong(tag_kind, at_, quoted_tag(at_));
    if (size_ - at_ < kTagSize + kWordSize) {
      return wrong(tag_kind, at_, "the end of the lattice behind the tag");
    }
    const std::int64_t count = word_at(at_ + kTagSize);
    if (count_offset > 0 && count != word_at(count_offset)) {
      return wrong(count_kind, at_ + kTagSize,
                   formatted("{}, where the header has {}", count, word_at(count_offset)));
    }
    if (count_offset == 0 && static_cast<std::int32_t>(count) < 0) {
      return wrong(count_kind, at_ + kTagSize, formatted("{}", static_cast<std::int32_t>(count)));
    }
    at_ += kTagSize + kWordSize;
    if (count > (size_ - at_) / element_size) {
      return wrong(kCut, size_,
                   formatted("{}, where {} of {} bytes each begin at {}", size_text(), count,
                             element_size, at_));
    }
    at_ += count * element_size;
    return std::nullopt;
  }

  [[nodiscard]] std::string_view text_at(std::int64_t at) const {
    const std::int64_t size = std::clamp<std::int64_t>(size_ - at, 0, kTagSize);
    return {reinterpret_cast<const char*>(block_.data()) + at, static_cast<std::size_t>(size)};
  }

  // Pre: the block has these bytes.
  [[nodiscard]] std::uint32_t word_at(std::int64_t at) const {
    return internal::load<std::uint32_t>(block_.data() + at);
  }

  [[nodiscard]] std::string quoted_tag(std::int64_t at) const {
    return at >= size_ ? "the end of the lattice" : quoted(text_at(at));
  }
  [[nodiscard]] std::string size_text() const { return formatted("a lattice of {} bytes", size_); }

  static BlockFault wrong(const ErrorKind& kind, std::int64_t at, std::string found) {
    return {.kind = &kind, .byte_offset = at, .found = std::move(found)};
  }

  std::span<const std::byte> block_;
  std::int64_t size_;
  std::int64_t at_ = kPartsOffset;
};

}  // namespace

std::optional<BlockFault> fault_of_block(std::span<const std::byte> block) {
  return BlockCheck(block).run();
}

// Both versions have the header.
std::optional<std::int64_t> frame_count_of(std::span<const std::byte> block) {
  if (std::ssize(block) < kPartsOffset || std::memcmp(block.data(), "LAT ", kTagSize) != 0) {
    return std::nullopt;
  }
  return internal::load<std::uint32_t>(block.data() + kFrameCountOffset);
}

bool has_parts(std::span<const std::byte> block) {
  return internal::load<std::uint32_t>(block.data() + kTagSize) == 2;
}

}  // namespace sheaf::lattice
