// The blocks of a chunk lie stream by stream, so a chunk is written when it is complete. Until
// then, batches keep its encoded blocks. The file does not depend on where batches end.

#include "format/cbf/cbf_serializer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"

#include "base/text.h"
#include "base/utf8.h"
#include "format/cbf/cbf_bytes.h"
#include "format/cbf/cbf_errors.h"
#include "format/cbf/cbf_options.h"
#include "format/sample_shape.h"
#include "format/writing.h"
#include "index/units.h"

namespace sheaf::cbf {
namespace {

constexpr std::int64_t kCountMax = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kEntriesMax = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kBufferSize = std::size_t{1} << 20;
constexpr std::size_t kDirectMin = std::size_t{128} << 10;  // written without a copy

FileStream checked_stream(const Stream& stream, bool has_utf8_names) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(formatted("stream {}: {}", quoted(stream.name), why));
  };
  const auto is_ascii = [](char c) { return c > 0; };
  if (stream.name.empty() || stream.name.find('\0') != std::string::npos) {
    refuse("cbf has names of one byte or more, none of them 0");
  }
  if (std::ssize(stream.name) > kNameSizeMax) {
    refuse(
        formatted("names in cbf have at most {} bytes, got {}", kNameSizeMax, stream.name.size()));
  }
  if (has_utf8_names && !internal::is_utf8(stream.name)) {
    refuse("cbf.names=utf-8 writes names that are UTF-8, which this one is not");
  }
  if (!has_utf8_names && !std::ranges::all_of(stream.name, is_ascii)) {
    refuse("names in cbf are ASCII; cbf.names=utf-8 writes others, which not every reader takes");
  }
  if (stream.element_type != ElementType::f32 && stream.element_type != ElementType::f64) {
    const bool is_number = stream.element_type != ElementType::bytes;
    refuse(formatted("cbf holds f32 or f64, not {}{}", to_string(stream.element_type),
                     is_number ? "; the dtype float32 or float64 of what is written, or the "
                                 "transform cast, makes these of it"
                               : ": leave the stream out, or make one of these types of it by a "
                                 "transform"));
  }
  if (!stream.sample_shape.is_fixed()) {
    refuse(
        formatted("cbf has samples of fixed shape only, not {}: leave the stream out, or make "
                  "samples of one shape of it by a transform",
                  to_string(stream.sample_shape)));
  }
  internal::check_sample_shape(stream.name, stream.sample_shape, stream.storage, stream.index_type);
  const std::int64_t dim = stream.sample_shape.size();
  const bool is_sparse = stream.storage == Storage::sparse;
  const std::int64_t dim_max = is_sparse ? kEntriesMax : kCountMax;
  if (dim > dim_max) refuse(formatted("the dim in cbf is at most {}, got {}", dim_max, dim));
  return {.name = stream.name,
          .storage = stream.storage,
          .element_type = stream.element_type,
          .dim = dim};
}

std::vector<FileStream> checked_streams(std::span<const Stream> streams, bool has_utf8_names) {
  internal::check_written_streams("cbf", streams);
  std::vector<FileStream> checked;
  for (const Stream& stream : streams) checked.push_back(checked_stream(stream, has_utf8_names));
  return checked;
}

std::int64_t find_defining(std::span<const Stream> streams) {
  const auto found = std::ranges::find(streams, true, &Stream::defines_minibatch_size);
  return found == streams.end() ? -1 : found - streams.begin();
}

template <typename T>
std::byte* put_number(std::byte* at, T value) noexcept {
  std::memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

std::byte* put_bytes(std::byte* at, const std::byte* bytes, std::int64_t size) noexcept {
  if (size > 0) std::memcpy(at, bytes, static_cast<std::size_t>(size));
  return at + size;
}

bool is_sorted(const std::byte* indices, std::int64_t count) noexcept {
  std::int32_t before = load<std::int32_t>(indices);
  for (std::int64_t i = 1; i < count; ++i) {
    const auto index = load<std::int32_t>(indices + i * kIndexSize);
    if (index < before) return false;
    before = index;
  }
  return true;
}

// Sorts the entries of one sample by index, and keeps the order of entries with equal indices.
void sort_entries(std::byte* values, std::byte* indices, std::int64_t count,
                  std::int64_t value_size) {
  if (count < 2 || is_sorted(indices, count)) return;
  std::vector<std::int32_t> keys(static_cast<std::size_t>(count));
  std::memcpy(keys.data(), indices, keys.size() * sizeof(std::int32_t));
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; });
  const std::vector<std::byte> old(values, values + count * value_size);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t from = order[static_cast<std::size_t>(i)];
    std::memcpy(indices + i * kIndexSize, &keys[static_cast<std::size_t>(from)],
                sizeof(std::int32_t));
    std::memcpy(values + i * value_size, old.data() + from * value_size,
                static_cast<std::size_t>(value_size));
  }
}

template <typename Index>
std::int64_t find_wrong_index(const SequenceView& view, std::int64_t dim) noexcept {
  std::uint64_t is_wrong = 0;  // no branch, so that the loop is vectorised
  const auto wrong = [&](std::int64_t i) {
    using Unsigned = std::make_unsigned_t<Index>;
    return load<Unsigned>(view.indices + i * std::int64_t{sizeof(Index)}) >=
           static_cast<Unsigned>(dim);
  };
  for (std::int64_t i = 0; i < view.value_count; ++i) is_wrong |= wrong(i) ? 1U : 0U;
  if (is_wrong == 0) return view.value_count;
  std::int64_t i = 0;
  while (!wrong(i)) ++i;
  return i;
}

/// Returns a message about the first index of a sparse sequence that is not in [0, dim). Returns an
/// empty text if all are good.
std::string wrong_index_of(const SequenceView& view, ElementType index_type, std::int64_t dim) {
  const bool is_short = index_type == ElementType::i32;
  const std::int64_t wrong = is_short ? find_wrong_index<std::int32_t>(view, dim)
                                      : find_wrong_index<std::int64_t>(view, dim);
  if (wrong == view.value_count) return "";
  const std::int64_t index =
      is_short ? load<std::int32_t>(view.indices + wrong * std::int64_t{sizeof(std::int32_t)})
               : load<std::int64_t>(view.indices + wrong * std::int64_t{sizeof(std::int64_t)});
  std::int64_t sample = 0;
  while (view.sample_offsets[sample + 1] - view.sample_offsets[0] <= wrong) ++sample;
  return formatted("{} in sample {}", index, sample);
}

/// Estimates the bytes of a block like the original converter.
std::int64_t estimate_of(const FileStream& stream, const std::byte* block) noexcept {
  const std::int64_t samples = load<std::uint32_t>(block);
  if (stream.storage == Storage::dense) return samples * stream.sample_size();
  return load<std::int32_t>(block + kCountSize) * (stream.value_size() + kIndexSize) +
         samples * kCountSize;
}

}  // namespace

WriteOptions write_options(const SerializerOptions& options) {
  WriteOptions result{.chunk_size_bytes = options.chunk_size_bytes};
  if (options.chunk_size_bytes < 1) {
    throw ConfigError(formatted("chunk_size_bytes: at least 1, got {}", options.chunk_size_bytes));
  }
  check_format_options("cbf", kWriteOptions, options.extra, "for writing");
  result.has_checks = value_of(kChecksOption, options.extra) == "on";
  result.estimates_like_cntk = value_of(kChunksOption, options.extra) == "cntk";
  result.refuses_missing = value_of(kMissingOption, options.extra) == "refuse";
  result.has_utf8_names = value_of(kNamesOption, options.extra) == "utf-8";
  return result;
}

/// The encoded blocks of some sequences.
class CbfSerializer::EncodedBatch final : public Serializer::Block {
 public:
  struct StreamBlocks {
    Buffer bytes;
    std::vector<std::int64_t> starts = {0};  // start of each sequence; then the size
  };

  std::vector<std::uint32_t> lengths;
  std::vector<StreamBlocks> streams;
  bool ends_chunk = false;  // whether a chunk of the input ends here

  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    auto bytes = static_cast<std::int64_t>(lengths.capacity() * sizeof(std::uint32_t));
    for (const StreamBlocks& stream : streams) {
      bytes += stream.bytes.capacity_bytes() +
               static_cast<std::int64_t>(stream.starts.capacity() * sizeof(std::int64_t));
    }
    return bytes;
  }

  [[nodiscard]] std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(lengths.size());
  }

  [[nodiscard]] const std::byte* block(std::size_t stream, std::int64_t i) const noexcept {
    const StreamBlocks& blocks = streams[stream];
    return blocks.bytes.data() + blocks.starts[static_cast<std::size_t>(i)];
  }

  /// Returns the bytes of the sequence in its chunk.
  [[nodiscard]] std::int64_t size_bytes(std::int64_t i) const noexcept {
    std::int64_t size = kCountSize;
    for (std::size_t stream = 0; stream < streams.size(); ++stream) {
      size += block(stream, i + 1) - block(stream, i);
    }
    return size;
  }
};

namespace {

bool has_counts_of_32_bits(const FileStream& stream, const SequenceView& view) noexcept {
  return view.sample_count <= kCountMax &&
         (stream.storage == Storage::dense || view.value_count <= kEntriesMax);
}

std::int64_t block_size(const FileStream& stream, const SequenceView& view) noexcept {
  if (stream.storage == Storage::dense) {
    return kCountSize + view.sample_count * stream.sample_size();
  }
  return 2 * kCountSize + view.value_count * (stream.value_size() + kIndexSize) +
         view.sample_count * kCountSize;
}

// The next functions write a block of block_size() bytes and return its end.

std::byte* put_dense(const FileStream& stream, const SequenceView& view, std::byte* at) noexcept {
  at = put_number(at, static_cast<std::uint32_t>(view.sample_count));
  return put_bytes(at, view.values, view.sample_count * stream.sample_size());
}

std::byte* put_sparse(const FileStream& stream, ElementType index_type, const SequenceView& view,
                      std::byte* at) {
  const std::int64_t value_size = stream.value_size();
  at = put_number(at, static_cast<std::uint32_t>(view.sample_count));
  at = put_number(at, static_cast<std::int32_t>(view.value_count));
  std::byte* values = at;
  at = put_bytes(at, view.values, view.value_count * value_size);
  std::byte* indices = at;
  if (index_type == ElementType::i32) {
    at = put_bytes(at, view.indices, view.value_count * kIndexSize);
  } else {
    for (std::int64_t i = 0; i < view.value_count; ++i) {
      const auto index = load<std::int64_t>(view.indices + i * std::int64_t{sizeof(std::int64_t)});
      at = put_number(at, static_cast<std::int32_t>(index));
    }
  }
  for (std::int64_t i = 0; i < view.sample_count; ++i) {
    const std::int64_t count = view.sample_offsets[i + 1] - view.sample_offsets[i];
    at = put_number(at, static_cast<std::int32_t>(count));
    sort_entries(values, indices, count, value_size);
    values += count * value_size;
    indices += count * kIndexSize;
  }
  return at;
}

}  // namespace

CbfSerializer::CbfSerializer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
                             const SerializerOptions& options)
    : options_(write_options(options)),
      streams_(checked_streams(streams, options_.has_utf8_names)),
      defining_stream_(find_defining(streams)),
      sink_(std::move(sink)) {
  for (const Stream& stream : streams) index_types_.push_back(stream.index_type);
  cbf::append(buffer_, kMagic);
  cbf::append(buffer_, kVersion);
  written_ = kPrefixSize;
  if (options_.has_checks) append_checks_head(checks_);
}

// Throws: DataError if CBF cannot hold a sequence of a batch in a stream.
void CbfSerializer::check(const SequenceBatch& batch, std::size_t sequence,
                          std::size_t stream_number) const {
  const FileStream& stream = streams_[stream_number];
  const auto refuse = [&](std::string_view code, std::string_view expected, std::string found) {
    const std::string key = batch.key_texts.empty() ? to_string(batch.keys[sequence])
                                                    : std::string(batch.key_texts[sequence]);
    internal::throw_unwritable({.path = sink_name(), .key = key, .stream = stream.name},
                               {code, expected}, std::move(found));
  };
  const SequenceView& view = batch.views[stream_number][sequence];
  if (!has_counts_of_32_bits(stream, view)) {
    refuse("cbf-cannot-say", "counts of 32 bits",
           formatted("{} samples of {} values", view.sample_count, view.value_count));
  }
  if (view.sample_count == 0 && options_.refuses_missing) {
    refuse("cbf-cannot-say", kMissingStream.expected, "none");
  }
  if (stream.storage != Storage::sparse) return;
  std::string found = wrong_index_of(view, index_types_[stream_number], stream.dim);
  if (found.empty()) return;
  refuse(kIndexRange.code, formatted("{} {}", kIndexRange.expected, stream.dim), std::move(found));
}

std::unique_ptr<Serializer::Block> CbfSerializer::encode(const SequenceBatch& batch) const {
  auto encoded = std::make_unique<EncodedBatch>();
  encoded->streams.resize(streams_.size());
  encoded->lengths.reserve(batch.keys.size());
  encoded->ends_chunk = batch.ends_chunk;
  std::vector<std::byte*> ends;  // [stream]: after the last byte written
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    std::int64_t size = 0;
    for (const SequenceView& view : batch.views[k]) {
      // Blocks with larger counts are refused below.
      if (has_counts_of_32_bits(streams_[k], view)) size += block_size(streams_[k], view);
    }
    EncodedBatch::StreamBlocks& blocks = encoded->streams[k];
    blocks.bytes.reserve(size);
    blocks.bytes.resize(size);
    blocks.starts.reserve(batch.keys.size() + 1);
    ends.push_back(blocks.bytes.mutable_data());
  }
  std::int64_t missing = 0;
  for (std::size_t i = 0; i < batch.keys.size(); ++i) {
    std::int64_t length = 0;
    for (std::size_t k = 0; k < streams_.size(); ++k) {
      const SequenceView& view = batch.views[k][i];
      const FileStream& stream = streams_[k];
      check(batch, i, k);
      if (view.sample_count == 0) ++missing;
      ends[k] = stream.storage == Storage::sparse
                    ? put_sparse(stream, index_types_[k], view, ends[k])
                    : put_dense(stream, view, ends[k]);
      EncodedBatch::StreamBlocks& blocks = encoded->streams[k];
      blocks.starts.push_back(ends[k] - blocks.bytes.data());
      if (defining_stream_ < 0 || defining_stream_ == static_cast<std::int64_t>(k)) {
        length = std::max(length, view.sample_count);
      }
    }
    encoded->lengths.push_back(static_cast<std::uint32_t>(length));
  }
  if (missing > 0) missing_count_ += missing;
  return encoded;
}

void CbfSerializer::append(std::unique_ptr<Block> block) {
  std::shared_ptr<const EncodedBatch> batch(static_cast<const EncodedBatch*>(block.release()));
  for (std::int64_t i = 0; i < batch->size(); ++i) {
    const std::int64_t length = batch->lengths[static_cast<std::size_t>(i)];
    if (sequence_count_ == kCountMax || sample_count_ + length > kCountMax) write_chunk();
    if (!pending_.empty() && pending_.back().batch == batch) {
      pending_.back().end = i + 1;
    } else {
      pending_.push_back({batch, i, i + 1});
    }
    ++sequence_count_;
    sample_count_ += length;
    chunk_size_ += batch->size_bytes(i);
    for (std::size_t k = 0; options_.estimates_like_cntk && k < streams_.size(); ++k) {
      estimate_ += estimate_of(streams_[k], batch->block(k, i));
    }
    const std::int64_t size = options_.estimates_like_cntk ? estimate_ : chunk_size_;
    if (size >= options_.chunk_size_bytes) write_chunk();
  }
  // The original converter does not know the chunks of its input.
  if (batch->ends_chunk && sequence_count_ > 0 && !options_.estimates_like_cntk) write_chunk();
}

void CbfSerializer::put(std::span<const std::byte> bytes) {
  written_ += std::ssize(bytes);
  const bool is_direct = bytes.size() >= kDirectMin;
  if (is_direct || buffer_.size() + bytes.size() > kBufferSize) flush();
  if (is_direct) {
    sink_->write(bytes);
    return;
  }
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void CbfSerializer::flush() {
  if (buffer_.empty()) return;
  sink_->write(as_bytes(buffer_));
  buffer_.clear();
}

void CbfSerializer::write_chunk() {
  chunks_.push_back({written_, static_cast<std::uint32_t>(sequence_count_),
                     static_cast<std::uint32_t>(sample_count_)});
  ChunkChecks checks;
  XXH3_state_t lengths;
  XXH3_64bits_reset(&lengths);
  for (const Pending& each : pending_) {
    const auto bytes = std::as_bytes(std::span(each.batch->lengths)
                                         .subspan(static_cast<std::size_t>(each.first),
                                                  static_cast<std::size_t>(each.end - each.first)));
    put(bytes);
    if (options_.has_checks) XXH3_64bits_update(&lengths, bytes.data(), bytes.size());
  }
  if (options_.has_checks) {
    checks.lengths_hash = XXH3_64bits_digest(&lengths);
    checks.layout.part_count = part_count(chunk_size_, sequence_count_);
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) write_stream(i, checks);
  if (options_.has_checks) append_chunk_checks(checks_, checks);
  pending_.clear();
  sequence_count_ = 0;
  sample_count_ = 0;
  chunk_size_ = 0;
}

// Writes the blocks of one stream, part by part if there are checks.
void CbfSerializer::write_stream(std::size_t stream, ChunkChecks& checks) {
  const internal::Units parts(sequence_count_, options_.has_checks ? checks.layout.part_count : 1);
  StreamTotals totals;
  std::int64_t part = 0;
  std::int64_t at = 0;  // sequences written so far
  XXH3_state_t hash;
  const auto end_part = [&] {
    if (!options_.has_checks) return;
    checks.layout.hashes.push_back(XXH3_64bits_digest(&hash));
  };
  for (const Pending& each : pending_) {
    for (std::int64_t i = each.first; i < each.end;) {
      if (part < parts.count() && at == parts.first(part)) {
        if (part > 0) end_part();
        XXH3_64bits_reset(&hash);
        checks.layout.starts.push_back(written_ - chunks_.back().offset);
        ++part;
      }
      const std::int64_t count = std::min(each.end - i, parts.first(part) - at);
      const std::byte* begin = each.batch->block(stream, i);
      const std::span bytes(begin, each.batch->block(stream, i + count));
      put(bytes);
      if (options_.has_checks) {
        XXH3_64bits_update(&hash, bytes.data(), bytes.size());
        for (std::int64_t k = i; k < i + count; ++k) {
          const std::byte* block = each.batch->block(stream, k);
          const std::int64_t samples = load<std::uint32_t>(block);
          totals.sample_count += samples;
          totals.value_count += streams_[stream].storage == Storage::dense
                                    ? samples * streams_[stream].dim
                                    : load<std::int32_t>(block + kCountSize);
        }
      }
      i += count;
      at += count;
    }
  }
  end_part();
  checks.totals.push_back(totals);
}

std::string CbfSerializer::header() const {
  std::string header;
  cbf::append(header, kMagic);
  cbf::append(header, static_cast<std::uint32_t>(chunks_.size()));
  cbf::append(header, static_cast<std::uint32_t>(streams_.size()));
  for (const FileStream& stream : streams_) {
    cbf::append(header, static_cast<std::uint8_t>(stream.storage == Storage::sparse ? 1 : 0));
    cbf::append(header, static_cast<std::uint32_t>(stream.name.size()));
    header += stream.name;
    cbf::append(header, static_cast<std::uint8_t>(stream.element_type == ElementType::f64 ? 1 : 0));
    cbf::append(header, static_cast<std::uint32_t>(stream.dim));
  }
  for (const WrittenChunk& chunk : chunks_) {
    cbf::append(header, chunk.offset);
    cbf::append(header, chunk.sequence_count);
    cbf::append(header, chunk.sample_count);
  }
  return header;
}

void CbfSerializer::finish() {
  if (sequence_count_ > 0) write_chunk();
  if (chunks_.empty()) {
    Diagnostic diagnostic;
    diagnostic.path = sink_name();
    diagnostic.byte_offset = Diagnostic::kNoOffset;
    diagnostic.code = kEmpty.code;
    diagnostic.expected = kEmpty.expected;
    diagnostic.found = "none to write";
    throw DataError({std::move(diagnostic)});
  }
  const std::int64_t header_offset = written_;
  const std::string head = header();
  put(as_bytes(head));
  if (options_.has_checks) {
    append_checks_end(checks_, head);
    put(as_bytes(checks_));
  }
  std::string trailer;
  cbf::append(trailer, header_offset);
  put(as_bytes(trailer));
  flush();
  sink_->finish();
}

std::vector<Diagnostic> CbfSerializer::warnings() const {
  const std::int64_t count = missing_count_;
  if (count == 0) return {};
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.path = sink_name();
  warning.byte_offset = Diagnostic::kNoOffset;
  warning.code = kMissingStream.code;
  warning.expected = kMissingStream.expected;
  warning.found = formatted("none {} times", count);
  warning.hint = "CNTK cannot read such sequences";
  return {warning};
}

}  // namespace sheaf::cbf
