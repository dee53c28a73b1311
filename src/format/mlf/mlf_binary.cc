// A file has "MLF", a version of two bytes, and utterances. An utterance has a key, the number of
// its frames (4 bytes), the number of its ranges (2), and for each range a label and its number of
// frames (2 each). A key of version 1 is a number of 4 bytes. A key of version 2 is its size, in 2
// bytes, and a text. All numbers are unsigned and little-endian.

#include "format/mlf/mlf_binary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/mlf/mlf_errors.h"
#include "format/mlf/mlf_frames.h"
#include "format/mlf/mlf_lines.h"
#include "format/text/text_chunks.h"
#include "index/units.h"

namespace sheaf::mlf {
namespace {

constexpr std::string_view kBinaryMark = "MLF";
constexpr std::int64_t kKeySizeMax = 256;
constexpr std::int64_t kRunSize = 4;

template <typename Number>
[[nodiscard]] Number number_at(const char* p) noexcept {
  Number number = 0;
  std::memcpy(&number, p, sizeof number);
  return number;
}

class BinaryScanner final : public internal::Scanner {
 public:
  BinaryScanner(const ByteSource& source, int version, const internal::TextSchema& schema,
                const Options& options, FirstLocations& locations, std::int64_t file,
                const internal::ScanPart& part)
      : source_(source),
        options_(options),
        locations_(locations),
        file_(file),
        warnings_(source),
        reader_(source, version, part.begin, part.end, schema.read_size_bytes),
        builder_(schema, part),
        number_(part.first_line) {}

  std::optional<internal::ScannedChunk> next() override {
    BinaryUtterance utterance;
    while (reader_.next(utterance)) {
      const std::int64_t number = number_++;
      const std::optional<SequenceKey> key = key_of_name(utterance.key_text, options_);
      const ErrorKind* reason = reason_to_leave_out(utterance);
      if (reason == nullptr && !key) throw_no_key(utterance);
      if (reason == nullptr && is_repeated(utterance, *key)) reason = &kRepeated;
      if (reason != nullptr) {
        warnings_.left_out(*reason, utterance.offset, 0, utterance.key_text);
        continue;
      }
      const bool has_length = !utterance.is_cut && utterance.frame_count <= options_.frames_max;
      const std::int64_t frames = has_length ? utterance.frame_count : 0;
      std::optional<internal::ScannedChunk> chunk =
          builder_.add({.key = *key,
                        .offset = utterance.offset,
                        .end = utterance.offset + std::ssize(utterance.bytes),
                        .line = number,
                        .sample_count = frames,
                        .key_text_size = std::ssize(utterance.key_text)},
                       std::array{internal::StreamCounts{frames, frames}});
      if (chunk) return chunk;
    }
    return builder_.finish();
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const override { return warnings_.list(); }

 private:
  [[nodiscard]] const ErrorKind* reason_to_leave_out(const BinaryUtterance& utterance) const {
    if (!options_.is_cntk) return nullptr;
    if (utterance.is_cut) return &kCut;
    if (!utterance.has_key) return &kBinaryKey;
    return utterance.frame_count == 0 ? &kEmpty : nullptr;
  }

  // Returns whether the key is repeated. read_binary() reports an utterance without a key.
  [[nodiscard]] bool is_repeated(const BinaryUtterance& utterance, const SequenceKey& key) {
    return utterance.has_key && !locations_.add(key, {file_, utterance.offset});
  }

  [[noreturn]] void throw_no_key(const BinaryUtterance& utterance) const {
    Diagnostic diagnostic;
    diagnostic.severity = Severity::fatal;
    diagnostic.path = source_.name();
    diagnostic.byte_offset = utterance.offset;
    const ErrorKind& kind = utterance.is_cut ? kBinaryCut : kNumericKey;
    diagnostic.code = kind.code;
    diagnostic.expected = kind.expected;
    diagnostic.found =
        utterance.is_cut ? "the end of the file" : quoted(std::string_view(utterance.key_text));
    if (!utterance.is_cut) diagnostic.hint = internal::kTextKeysHint;
    throw DataError({std::move(diagnostic)});
  }

  const ByteSource& source_;
  const Options& options_;
  FirstLocations& locations_;
  std::int64_t file_;
  internal::ScanWarnings warnings_;
  BinaryReader reader_;
  internal::ChunkBuilder builder_;
  std::int64_t number_;
};

/// Reads one range of a chunk, and checks it against the index.
class BinaryParser {
 public:
  BinaryParser(const ByteSource& source, int version, const Reading& reading,
               const internal::ScannedIndex& index, const ChunkRange& range,
               Diagnostics& diagnostics)
      : source_(source),
        reading_(reading),
        index_(index),
        diagnostics_(diagnostics),
        stream_(reading.schema.streams.front()),
        dim_(reading.options.gives_ids ? kIdCount : stream_.sample_shape.size()),
        table_(index.sequences(range.chunk)),
        chunk_(*index.chunk(range.chunk)),
        notes_(index.notes(range.chunk)),
        units_(chunk_),
        first_(range.first),
        last_(first_ + std::min(range.count, table_->size() - first_)),
        next_(first_),
        reader_(source, version, offset_of(first_), offset_of(last_),
                reading.schema.read_size_bytes),
        frames_(stream_, reading.options.marks_boundaries) {
    std::int64_t frames = 0;
    for (std::int64_t i = first_; i < last_; ++i) frames += table_->sample_count(i);
    frames_.reserve(frames, last_ - first_);
    key_texts_.reserve(static_cast<std::size_t>(last_ - first_));
  }

  Chunk parse() {
    BinaryUtterance utterance;
    while (reader_.next(utterance)) {
      const bool is_next = utterance.offset >= offset_of(next_);
      if (is_next) {
        if (next_ == last_ || utterance.offset != offset_of(next_) ||
            key_of_name(utterance.key_text, reading_.options) != table_->key(next_)) {
          throw_changed();
        }
        begin_unit();
      }
      if (is_hashing_) {
        XXH3_64bits_update(&hash_, utterance.bytes.data(), utterance.bytes.size());
      }
      if (!is_next) continue;  // the index left it out
      read_utterance(utterance);
      ++next_;
    }
    if (next_ != last_) throw_changed();
    if (last_ == units_.first(units_.of(last_ - 1) + 1)) check_hash();
    std::vector<Column> columns;
    columns.push_back(frames_.finish());
    Chunk chunk(reading_.schema.streams, last_ - first_, std::move(columns), std::move(holes_));
    if (reading_.options.has_text_keys) chunk.set_key_texts(std::move(key_texts_));
    return chunk;
  }

 private:
  [[nodiscard]] std::int64_t offset_of(std::int64_t sequence) const noexcept {
    return chunk_.offset_bytes +
           (sequence == table_->size() ? chunk_.size_bytes : table_->offset_bytes(sequence));
  }

  // Starts the hash of the next unit. The index has a hash for each whole unit.
  void begin_unit() {
    if (notes_->unit_hashes.empty() || units_.first(units_.of(next_)) != next_) return;
    check_hash();
    XXH3_64bits_reset(&hash_);
    is_hashing_ = true;
  }

  void check_hash() {
    if (!is_hashing_) return;
    const auto unit = static_cast<std::size_t>(units_.of(next_ - 1));
    if (XXH3_64bits_digest(&hash_) != notes_->unit_hashes[unit]) throw_changed();
  }

  void read_utterance(const BinaryUtterance& utterance) {
    if (reading_.options.has_text_keys) key_texts_.push_back(utterance.key_text);
    if (!is_good(utterance)) {
      holes_.push_back(next_ - first_);
      frames_.add_hole();
      return;
    }
    if (utterance.frame_count != table_->sample_count(next_)) throw_changed();
    frames_.add(utterance.frame_count, runs_);
  }

  // Reports the first error of an utterance.
  bool is_good(const BinaryUtterance& utterance) {
    const auto fail = [&](const ErrorKind& kind, std::string expected, std::string found,
                          std::int64_t location = 0) {
      this->fail(kind, utterance.offset + location, std::move(expected), std::move(found));
      return false;
    };
    const auto as_expected = [](const ErrorKind& kind) { return std::string(kind.expected); };
    if (utterance.is_cut) return fail(kBinaryCut, as_expected(kBinaryCut), "the end of the file");
    if (!utterance.has_key) {
      return fail(kBinaryKey, as_expected(kBinaryKey),
                  formatted("one of {} bytes", utterance.key_text.size()));
    }
    const std::int64_t max = reading_.options.frames_max;
    if (utterance.frame_count > max) {
      return fail(kLong, formatted("{} {} frames (mlf.frames_max)", kLong.expected, max),
                  std::to_string(utterance.frame_count));
    }
    if (utterance.frame_count == 0) return fail(kEmpty, as_expected(kEmpty), "none");
    runs_.clear();
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < utterance.run_count; ++i) {
      const Run run = utterance.run(i);
      if (run.id >= static_cast<std::uint64_t>(dim_)) {
        return fail(kDim, formatted("{} {}", kDim.expected, dim_), std::to_string(run.id),
                    utterance.runs + i * kRunSize - utterance.bytes.data());
      }
      sum += run.count;
      runs_.push_back(run);
    }
    if (sum == utterance.frame_count) return true;
    return fail(kBinaryFrames, formatted("{} {}", kBinaryFrames.expected, utterance.frame_count),
                std::to_string(sum));
  }

  // CNTK ended the run for a label beyond the dim. If frames and ranges differed, it read outside
  // its memory. So these errors are fatal under CNTK's rules.
  void fail(const ErrorKind& kind, std::int64_t offset, std::string expected, std::string found) {
    Diagnostic diagnostic;
    const bool is_mild = &kind == &kLong;
    diagnostic.severity = reading_.options.is_cntk && !is_mild ? Severity::fatal : Severity::error;
    diagnostic.byte_offset = offset;
    if (diagnostics_.wants_text(diagnostic.severity)) {
      diagnostic.path = source_.name();
      diagnostic.sequence_key =
          key_texts_.empty() ? to_string(table_->key(next_)) : key_texts_.back();
      diagnostic.stream = stream_.name;
      diagnostic.code = kind.code;
      diagnostic.expected = std::move(expected);
      diagnostic.found = std::move(found);
    }
    diagnostics_.add(next_, std::move(diagnostic));
  }

  [[noreturn]] void throw_changed() const {
    index_.forget_file();
    throw IoError(
        formatted("{}: near byte {}: not what was there when it was indexed; the file has "
                  "changed since, here or before: index it anew (sheaf index {})",
                  source_.name(), offset_of(std::min(next_, last_)), source_.name()));
  }

  const ByteSource& source_;
  const Reading reading_;
  const internal::ScannedIndex& index_;
  Diagnostics& diagnostics_;
  const Stream& stream_;
  std::int64_t dim_;
  std::shared_ptr<const SequenceTable> table_;
  ChunkInfo chunk_;
  std::shared_ptr<const internal::ChunkNotes> notes_;
  internal::Units units_;
  std::int64_t first_;  // sequences in the chunk: [first_, last_)
  std::int64_t last_;
  std::int64_t next_;
  BinaryReader reader_;
  FrameWriter frames_;
  std::vector<Run> runs_;
  std::vector<std::int64_t> holes_;
  std::vector<std::string> key_texts_;
  bool is_hashing_ = false;
  XXH3_state_t hash_{};
};

}  // namespace

bool is_binary(std::string_view head) noexcept {
  return std::ssize(head) >= kBinaryHeadSize && head.starts_with(kBinaryMark) && head[4] == '\0';
}

int binary_version(std::string_view head) noexcept {
  const int version = number_at<std::uint16_t>(head.data() + kBinaryMark.size());
  return version <= 2 ? version : 0;
}

Run BinaryUtterance::run(std::int64_t i) const noexcept {
  const char* const at = runs + i * kRunSize;
  return {.count = number_at<std::uint16_t>(at + 2), .id = number_at<std::uint16_t>(at)};
}

BinaryReader::BinaryReader(const ByteSource& source, int version, std::int64_t begin,
                           std::int64_t end, std::int64_t read_size)
    : source_(source),
      version_(version),
      end_(end),
      read_size_(read_size),
      at_(begin),
      buffer_begin_(begin) {}

// Returns the next `size` bytes, or fewer at the end.
std::string_view BinaryReader::peek(std::int64_t size) {
  size = std::min(size, end_ - at_);
  std::int64_t have = buffer_begin_ + std::ssize(buffer_) - at_;
  if (have < size) {
    buffer_.erase(buffer_.begin(), buffer_.end() - have);
    buffer_begin_ = at_;
    while (have < size) {
      const std::int64_t piece = std::min(read_size_, end_ - at_ - have);
      buffer_.resize(static_cast<std::size_t>(have + piece));
      source_.read_at(
          at_ + have,
          std::as_writable_bytes(std::span(buffer_)).last(static_cast<std::size_t>(piece)));
      have += piece;
    }
  }
  return {buffer_.data() + (at_ - buffer_begin_), static_cast<std::size_t>(size)};
}

bool BinaryReader::cut(BinaryUtterance& utterance) {
  utterance.is_cut = true;
  utterance.bytes = peek(end_ - at_);
  at_ = end_;
  return true;
}

bool BinaryReader::next(BinaryUtterance& utterance) {
  if (at_ == end_) return false;
  utterance = {};
  utterance.offset = at_;
  constexpr std::int64_t kLengthSize = 2;
  constexpr std::int64_t kNumberSize = 4;
  constexpr std::int64_t kCountsSize = kNumberSize + 2;
  std::int64_t key_size = kNumberSize;
  std::int64_t key_end = kNumberSize;
  if (version_ == 2) {
    const std::string_view length = peek(kLengthSize);
    if (std::ssize(length) < kLengthSize) return cut(utterance);
    key_size = number_at<std::uint16_t>(length.data());
    key_end = kLengthSize + key_size;
  }
  const std::string_view head = peek(key_end + kCountsSize);
  if (std::ssize(head) >= key_end) {
    utterance.key_text =
        version_ == 2 ? std::string(head.substr(kLengthSize, static_cast<std::size_t>(key_size)))
                      : std::to_string(number_at<std::uint32_t>(head.data()));
    utterance.has_key = key_size > 0 && key_size <= kKeySizeMax;
  }
  if (std::ssize(head) < key_end + kCountsSize) return cut(utterance);
  utterance.frame_count = number_at<std::uint32_t>(head.data() + key_end);
  utterance.run_count = number_at<std::uint16_t>(head.data() + key_end + kNumberSize);
  const std::int64_t size = key_end + kCountsSize + utterance.run_count * kRunSize;
  utterance.bytes = peek(size);
  if (std::ssize(utterance.bytes) < size) return cut(utterance);
  utterance.runs = utterance.bytes.data() + key_end + kCountsSize;
  at_ += size;
  return true;
}

std::unique_ptr<internal::Scanner> make_binary_scanner(const ByteSource& source, int version,
                                                       const internal::TextSchema& schema,
                                                       const Options& options,
                                                       FirstLocations& locations, std::int64_t file,
                                                       const internal::ScanPart& part) {
  return std::make_unique<BinaryScanner>(source, version, schema, options, locations, file, part);
}

Chunk read_binary(const ByteSource& source, int version, const Reading& reading,
                  const internal::ScannedIndex& index, const ChunkRange& range,
                  Diagnostics& diagnostics) {
  return BinaryParser(source, version, reading, index, range, diagnostics).parse();
}

}  // namespace sheaf::mlf
