#include "format/arrow/flatbuffer.h"

#include <utility>

#include "base/text.h"
#include "format/arrow/arrow_errors.h"

namespace sheaf::arrow {
namespace {

constexpr std::int64_t kOffsetBytes = 4;

// Returns the target of the offset at `at`.
std::int64_t follow(const FlatBytes& bytes, std::int64_t at) {
  bytes.check(at, kOffsetBytes);
  const auto distance = bytes.load<std::uint32_t>(at);
  if (distance == 0) bytes.fail(at, "an offset of 0");
  const std::int64_t to = at + std::int64_t{distance};
  bytes.check(to, kOffsetBytes);
  return to;
}

}  // namespace

void FlatBytes::fail(std::int64_t at, std::string found) const {
  arrow::fail(*file, kMetadata, offset + at, std::move(found));
}

void FlatBytes::fail_beyond(std::int64_t at, std::int64_t size) const {
  fail(0, formatted("{} bytes at {}, where the metadata have {}", size, at, bytes.size()));
}

FlatTable flat_root(const FlatBytes& bytes) { return {bytes, follow(bytes, 0)}; }

FlatTable FlatVector::table(std::int64_t i) const {
  return {bytes_, follow(bytes_, at_ + i * element_bytes_)};
}

// A table begins with the distance back to the list of its fields. The list holds 16-bit numbers:
// its own size, the size of the table, and the offset of each field in the table.
FlatTable::FlatTable(const FlatBytes& bytes, std::int64_t at) : bytes_(bytes), at_(at) {
  bytes_.check(at_, kOffsetBytes);
  list_at_ = at_ - std::int64_t{bytes_.load<std::int32_t>(at_)};
  bytes_.check(list_at_, 4);
  list_bytes_ = bytes_.load<std::uint16_t>(list_at_);
  table_bytes_ = bytes_.load<std::uint16_t>(list_at_ + 2);
  bytes_.check(list_at_, list_bytes_);
  bytes_.check(at_, table_bytes_);
  if (list_bytes_ < 4 || list_bytes_ % 2 != 0 || table_bytes_ < kOffsetBytes) {
    bytes_.fail(list_at_, formatted("a table of {} bytes with a list of fields of {} bytes",
                                    table_bytes_, list_bytes_));
  }
}

std::int64_t FlatTable::offset_of(int field, std::int64_t size) const {
  const std::int64_t entry = 4 + 2 * std::int64_t{field};
  if (entry >= list_bytes_) return 0;  // the writer did not know the field
  const std::int64_t within = bytes_.load<std::uint16_t>(list_at_ + entry);
  if (within == 0) return 0;
  if (within < kOffsetBytes || within + size > table_bytes_) {
    bytes_.fail(list_at_ + entry, formatted("a field of {} bytes at {} of a table of {} bytes",
                                            size, within, table_bytes_));
  }
  return at_ + within;
}

std::optional<FlatTable> FlatTable::table(int field) const {
  const std::int64_t at = offset_of(field, kOffsetBytes);
  if (at == 0) return std::nullopt;
  return FlatTable(bytes_, follow(bytes_, at));
}

FlatVector FlatTable::vector(int field, std::int64_t element_bytes) const {
  const std::int64_t at = offset_of(field, kOffsetBytes);
  if (at == 0) return {};
  const std::int64_t begin = follow(bytes_, at);
  const std::int64_t size = bytes_.load<std::uint32_t>(begin);
  bytes_.check(begin + kOffsetBytes, size * element_bytes);
  return {bytes_, begin + kOffsetBytes, size, element_bytes};
}

std::string_view FlatTable::text(int field) const {
  const std::int64_t at = offset_of(field, kOffsetBytes);
  if (at == 0) return {};
  const std::int64_t begin = follow(bytes_, at);
  const std::int64_t size = bytes_.load<std::uint32_t>(begin);
  bytes_.check(begin + kOffsetBytes, size);
  return {reinterpret_cast<const char*>(bytes_.bytes.data()) + begin + kOffsetBytes,
          static_cast<std::size_t>(size)};
}

}  // namespace sheaf::arrow
