#include "format/sheaf/block_maker.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

namespace sheaf::container {
namespace {

/// The values of an array, in one piece. If one batch has all of them, the array refers to the
/// batch.
struct JoinedArray {
  std::span<const std::byte> bytes = {};
  Buffer own = {};
};

using PieceBytes = std::function<std::span<const std::byte>(const BatchPiece&)>;

JoinedArray join(std::span<const BatchPiece> pieces, const PieceBytes& bytes_of) {
  JoinedArray joined;
  if (pieces.size() == 1) {
    joined.bytes = bytes_of(pieces.front());
    return joined;
  }
  std::int64_t size = 0;
  for (const BatchPiece& piece : pieces) size += std::ssize(bytes_of(piece));
  joined.own.reserve(size);
  joined.own.resize(size);
  std::byte* at = joined.own.mutable_data();
  for (const BatchPiece& piece : pieces) {
    const std::span<const std::byte> bytes = bytes_of(piece);
    if (bytes.empty()) continue;
    std::memcpy(at, bytes.data(), bytes.size());
    at += bytes.size();
  }
  joined.bytes = {joined.own.data(), static_cast<std::size_t>(size)};
  return joined;
}

template <typename T>
std::span<const std::byte> part(const std::vector<T>& values, std::int64_t first,
                                std::int64_t end) {
  return std::as_bytes(std::span(values).subspan(static_cast<std::size_t>(first),
                                                 static_cast<std::size_t>(end - first)));
}

std::span<const std::byte> part(const Buffer& values, std::int64_t size_each, std::int64_t first,
                                std::int64_t end) {
  return {values.data() + first * size_each, static_cast<std::size_t>((end - first) * size_each)};
}

/// Finds the arrays of one column in batches.
class ColumnParts {
 public:
  ColumnParts(std::int64_t number, const Stream* stream, std::span<const BatchPiece> pieces)
      : number_(static_cast<std::size_t>(number)), stream_(stream), pieces_(pieces) {}

  [[nodiscard]] JoinedArray array(ArrayKind kind) const {
    switch (kind) {
      case ArrayKind::presence:
        return presence();
      case ArrayKind::key_sizes:
      case ArrayKind::lengths:
        return join(pieces_, [this](const BatchPiece& piece) {
          return part(column(piece).lengths, piece.first, piece.end);
        });
      case ArrayKind::extents:
      case ArrayKind::entries: {
        const std::int64_t each = kind == ArrayKind::entries ? 1 : stream_->sample_shape.rank();
        return join(pieces_, [this, each](const BatchPiece& piece) {
          const auto& [first, end] = range(column(piece).samples_before, piece);
          return part(column(piece).counts, first * each, end * each);
        });
      }
      case ArrayKind::indices:
        return values_of(&BatchColumn::indices, kind);
      case ArrayKind::key_text:
      case ArrayKind::values:
        break;
    }
    return values_of(&BatchColumn::values, kind);
  }

 private:
  [[nodiscard]] const BatchColumn& column(const BatchPiece& piece) const {
    return piece.batch->columns[number_];
  }

  [[nodiscard]] static std::pair<std::int64_t, std::int64_t> range(
      const std::vector<std::int64_t>& before, const BatchPiece& piece) {
    return {before[static_cast<std::size_t>(piece.first)],
            before[static_cast<std::size_t>(piece.end)]};
  }

  [[nodiscard]] JoinedArray values_of(Buffer BatchColumn::*values, ArrayKind kind) const {
    const std::int64_t size_each = element_size(type_of(kind, stream_));
    return join(pieces_, [&](const BatchPiece& piece) {
      const auto& [first, end] = range(column(piece).values_before, piece);
      return part(column(piece).*values, size_each, first, end);
    });
  }

  // A batch has no presence if all of its sequences have the stream, and neither has a block.
  [[nodiscard]] JoinedArray presence() const {
    std::vector<std::uint8_t> all;
    for (const BatchPiece& piece : pieces_) {
      const std::vector<std::uint8_t>& given = column(piece).presence;
      if (given.empty()) {
        all.insert(all.end(), static_cast<std::size_t>(piece.end - piece.first), 1);
      } else {
        all.insert(all.end(), given.begin() + piece.first, given.begin() + piece.end);
      }
    }
    JoinedArray joined;
    if (std::ranges::find(all, 0) == all.end()) return joined;
    joined.own.resize(std::ssize(all));
    std::memcpy(joined.own.mutable_data(), all.data(), all.size());
    joined.bytes = {joined.own.data(), all.size()};
    return joined;
  }

  std::size_t number_;
  const Stream* stream_;
  std::span<const BatchPiece> pieces_;
};

std::vector<std::int64_t> sums_of(std::span<const std::byte> counts) {
  std::vector<std::int64_t> sums = {0};
  sums.reserve(counts.size() / sizeof(std::int64_t) + 1);
  for (std::size_t i = 0; i < counts.size(); i += sizeof(std::int64_t)) {
    std::int64_t count = 0;
    std::memcpy(&count, counts.data() + i, sizeof count);
    sums.push_back(sums.back() + count);
  }
  return sums;
}

bool has_scalars(const Stream& stream) noexcept {
  return stream.storage == Storage::dense && stream.sample_shape.is_fixed() &&
         stream.sample_shape.size() == 1;
}

std::byte* put_word(std::byte* at, std::uint64_t word) noexcept {
  std::memcpy(at, &word, sizeof word);
  return at + sizeof word;
}

std::byte* put_zeros(std::byte* at, std::int64_t count) noexcept {
  std::memset(at, 0, static_cast<std::size_t>(count));
  return at + count;
}

/// Writes the heads of all arrays of a column, and then the arrays. `content` has the number of
/// values and the hash of each array.
void write_arrays(std::span<const JoinedArray> joined, std::span<const EncodedArray> encoded,
                  std::span<const std::uint64_t> content, std::int64_t size, Buffer& bytes) {
  bytes.reserve(size);
  bytes.resize(size);
  std::byte* at = bytes.mutable_data();
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const bool is_raw = encoded[i].codec == Codec::raw;
    at = put_word(at, content[2 * i]);
    at = put_word(at, static_cast<std::uint64_t>(is_raw ? std::ssize(joined[i].bytes)
                                                        : encoded[i].bytes.size_bytes()));
    at = put_word(at, static_cast<std::uint64_t>(encoded[i].codec));
  }
  at = put_zeros(at, padding_of(std::ssize(joined) * kArrayHeadSize));
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const bool is_raw = encoded[i].codec == Codec::raw;
    const std::byte* from = is_raw ? joined[i].bytes.data() : encoded[i].bytes.data();
    const std::int64_t stored_size =
        is_raw ? std::ssize(joined[i].bytes) : encoded[i].bytes.size_bytes();
    if (stored_size > 0) std::memcpy(at, from, static_cast<std::size_t>(stored_size));
    at = put_zeros(at + stored_size, padding_of(stored_size));
  }
}

}  // namespace

MadeColumn make_column(std::int64_t number, const Stream* stream,
                       std::span<const BatchPiece> pieces, Compression compression) {
  const ColumnParts parts(number, stream, pieces);
  const std::span<const ArrayKind> kinds = arrays_of(stream);
  std::vector<JoinedArray> joined;
  std::vector<EncodedArray> encoded;
  std::vector<std::uint64_t> content;
  std::vector<std::int64_t> runs;  // PlainArray::runs of the next indices or values
  MadeColumn made;
  std::int64_t samples = 0;
  std::int64_t size = std::ssize(kinds) * kArrayHeadSize;
  size += padding_of(size);
  for (const ArrayKind kind : kinds) {
    const JoinedArray& array = joined.emplace_back(parts.array(kind));
    const bool is_value = kind == ArrayKind::indices || kind == ArrayKind::values;
    PlainArray plain{.type = type_of(kind, stream), .bytes = array.bytes, .runs = {}};
    const bool has_runs =
        kind == ArrayKind::indices || (kind == ArrayKind::values && has_scalars(*stream));
    if (has_runs) plain.runs = runs;
    // Arrays other than values are always compressed, because lengths are small numbers and take
    // too much room as raw numbers.
    const Compression tried =
        !is_value && compression == Compression::none ? Compression::fast : compression;
    const EncodedArray& stored = encoded.emplace_back(encode_array(plain, tried));
    const std::int64_t stored_size =
        stored.codec == Codec::raw ? std::ssize(array.bytes) : stored.bytes.size_bytes();
    size += stored_size + padding_of(stored_size);
    content.push_back(static_cast<std::uint64_t>(plain.count()));
    content.push_back(hash_of(array.bytes));
    if (plain.count() > 0) {
      made.sizes[{number, kind, stored.codec}] = {
          .array_count = 1, .content_bytes = std::ssize(array.bytes), .stored_bytes = stored_size};
    }
    if (kind == ArrayKind::lengths || kind == ArrayKind::entries) runs = sums_of(array.bytes);
    if (kind == ArrayKind::lengths) samples = runs.back();
  }

  for (std::size_t i = 0; i < kinds.size(); ++i) {
    // Presence does not count as content, because most blocks have none.
    if (kinds[i] != ArrayKind::presence) made.content += std::ssize(joined[i].bytes);
  }
  made.sample_count = stream == nullptr ? static_cast<std::int64_t>(content[0]) : samples;
  write_arrays(joined, encoded, content, size, made.bytes);
  made.stored = {.size = static_cast<std::uint64_t>(size),
                 .hash = hash_of(std::span(made.bytes.data(), static_cast<std::size_t>(size))),
                 .content_hash = hash_of(content)};
  return made;
}

}  // namespace sheaf::container
