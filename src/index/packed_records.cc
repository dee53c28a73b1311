#include "index/packed_records.h"

#include <iterator>

#include "base/int_codec.h"
#include "index/memory_sizes.h"

namespace sheaf::internal {
namespace {

/// Passes over `count` records. Returns the bytes behind them.
std::span<const std::byte> behind_records(std::span<const std::byte> bytes, std::int64_t count) {
  for (; count > 0; --count) {
    const std::uint64_t size = take_varint(bytes).value_or(0);
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
  return bytes;
}

}  // namespace

void PackedRecords::push_back(std::string_view record) {
  std::string added;
  append_varint(record.size(), added);
  added += record;
  if (std::ssize(blocks_) * kBlockSize == size_) blocks_.emplace_back();
  std::string& block = blocks_.back();
  const std::int64_t bytes_before = heap_bytes(block);
  block += added;
  ++size_;
  if (size_ % kBlockSize == 0) block.shrink_to_fit();
  bytes_ += heap_bytes(block) - bytes_before;
}

std::span<const std::byte> PackedRecords::operator[](std::int64_t i) const noexcept {
  const std::string& block = blocks_[static_cast<std::size_t>(i / kBlockSize)];
  std::span<const std::byte> bytes =
      behind_records(std::as_bytes(std::span(block)), i % kBlockSize);
  const std::uint64_t size = take_varint(bytes).value_or(0);
  return bytes.first(static_cast<std::size_t>(size));
}

void PackedRecords::truncate(std::int64_t count) {
  if (count == size_) return;
  const std::int64_t full = count / kBlockSize;
  const std::int64_t rest = count % kBlockSize;
  blocks_.resize(static_cast<std::size_t>(full + (rest > 0 ? 1 : 0)));
  if (rest > 0) {
    std::string& block = blocks_.back();
    const std::size_t behind = behind_records(std::as_bytes(std::span(block)), rest).size();
    block.resize(block.size() - behind);
  }
  size_ = count;
  bytes_ = 0;
  for (const std::string& block : blocks_) bytes_ += heap_bytes(block);
}

std::int64_t PackedRecords::memory_bytes() const noexcept { return bytes_ + heap_bytes(blocks_); }

}  // namespace sheaf::internal
