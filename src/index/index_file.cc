// The blocks come first, and then the footer, which describes them. Every byte is under exactly one
// checksum. A block is under its own checksum, which is in the footer. All other bytes are under
// the checksum of the footer. So a reader compares no byte twice, and a writer writes the file from
// front to back.

#include "index/index_file.h"

#define XXH_INLINE_ALL
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <xxhash.h>

#include "sheaf/error.h"

#include "base/int_codec.h"
#include "base/text.h"
#include "index/chunk_infos.h"
#include "index/memory_sizes.h"
#include "index/table_codec.h"

namespace sheaf::internal {
namespace {

constexpr std::string_view kExtension = ".sheaf-index";
constexpr std::string_view kMagic = "\x89SHEAFI\n";     // neither text nor another file type
constexpr std::string_view kEndMagic = "\x89SHEAFE\n";  // missing in a file that was cut short
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kVersionWithPoints = 2;
constexpr std::uint64_t kVersionWithSources = 3;
constexpr std::size_t kSourceSizeMin = 32;  // of a source in the footer, in bytes
constexpr std::int64_t kHeadSize = 16;      // magic, version
constexpr std::int64_t kTailSize = 24;      // size of the footer, checksum, end magic
constexpr std::size_t kEntrySize = 72;      // of a chunk in the footer, in bytes

void append_number(std::int64_t value, std::string& into) {
  append_word(static_cast<std::uint64_t>(value), into);
}

void append_text(std::string_view text, std::string& into) {
  append_word(std::uint64_t{text.size()}, into);
  into += text;
}

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

/// Takes words and texts off the front of bytes. If the bytes do not suffice, this and all later
/// results are 0 or empty.
class WordReader {
 public:
  explicit WordReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t word() {
    const std::optional<std::uint64_t> value = ok_ ? take_word(bytes_) : std::nullopt;
    ok_ = value.has_value();
    return value.value_or(0);
  }

  /// Takes a size or an offset, which must not be negative.
  std::int64_t number() {
    const std::uint64_t value = word();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) ok_ = false;
    return static_cast<std::int64_t>(value);
  }

  std::string text() {
    const std::uint64_t size = word();
    ok_ = ok_ && size <= bytes_.size();
    if (!ok_) return {};
    std::string text(static_cast<std::size_t>(size), '\0');
    if (size > 0) std::memcpy(text.data(), bytes_.data(), text.size());
    bytes_ = bytes_.subspan(text.size());
    return text;
  }

  /// Notes that the bytes are invalid.
  void fail() { ok_ = false; }

  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

/// A chunk as the footer describes it.
struct Entry {
  ChunkInfo info;
  std::int64_t block_offset = 0;  // offset in the file
  std::int64_t block_size = 0;
  std::uint64_t block_checksum = 0;
};

void append_entry(const Entry& entry, std::string& into) {
  append_number(entry.info.offset_bytes, into);
  append_number(entry.info.size_bytes, into);
  append_number(entry.info.first_line, into);
  append_number(entry.info.sequence_count, into);
  append_number(entry.info.sample_count, into);
  append_number(entry.info.decoded_size_bytes, into);
  append_word(entry.info.hash, into);
  append_number(entry.block_size, into);
  append_word(entry.block_checksum, into);
}

Entry take_entry(WordReader& words, std::int64_t block_offset) {
  Entry entry;
  entry.info.offset_bytes = words.number();
  entry.info.size_bytes = words.number();
  entry.info.first_line = words.number();
  entry.info.sequence_count = words.number();
  entry.info.sample_count = words.number();
  entry.info.decoded_size_bytes = words.number();
  entry.info.hash = words.word();
  entry.block_offset = block_offset;
  entry.block_size = words.number();
  entry.block_checksum = words.word();
  return entry;
}

std::string encode_block(const IndexRecord& record) {
  std::string block;
  block.reserve(static_cast<std::size_t>(record.sequences->size_bytes()) + 64);
  append_table(*record.sequences, block);
  append_varint(record.extra.size(), block);
  PackedInts::Builder extra;
  for (const std::int64_t value : record.extra) extra.push_back(value);
  append_ints(extra.finish(), block);
  return block;
}

/// Returns nothing if the bytes are no valid block.
std::optional<IndexRecord> decode_block(const ChunkInfo& info, std::span<const std::byte> block) {
  std::optional<SequenceTable> table = take_table(block, info.sequence_count);
  if (!table) return std::nullopt;
  const std::optional<std::uint64_t> extra_count = take_varint(block);
  // Two bytes give at most 64 numbers, except for a list on a line, which takes few bytes for any
  // number of numbers. A format's own numbers lie on a line only if they are few.
  constexpr std::uint64_t kOnLineMax = std::uint64_t{1} << 20;
  if (!extra_count || *extra_count > kOnLineMax + 64 * block.size()) return std::nullopt;
  const auto extra = take_ints(block, static_cast<std::int64_t>(*extra_count));
  if (!extra || !block.empty()) return std::nullopt;

  IndexRecord record{.info = info,
                     .sequences = std::make_shared<const SequenceTable>(*std::move(table)),
                     .extra = {}};
  record.extra.reserve(static_cast<std::size_t>(extra->size()));
  for (std::int64_t i = 0; i < extra->size(); ++i) record.extra.push_back((*extra)[i]);
  return record;
}

/// Returns whether each sequence lies in one of the sources. Without sources, tables have no
/// offsets in them.
bool fits(const ChunkInfo& info, const SequenceTable& table,
          const std::vector<IndexedSource>& sources) {
  for (std::int64_t i = 0; i < table.size(); ++i) {
    const std::optional<SourceLocation> location = table.location(i);
    if (location.has_value() == sources.empty()) return false;
    if (!location) return true;  // then no sequence has one
    if (location->source < 0 || location->source >= std::ssize(sources)) return false;
    const std::int64_t end = i + 1 < table.size() ? table.offset_bytes(i + 1) : info.size_bytes;
    const std::int64_t begin = table.offset_bytes(i);
    const std::int64_t size = sources[static_cast<std::size_t>(location->source)].data.size_bytes;
    if (begin < 0 || end < begin || location->offset_bytes < 0 || location->offset_bytes > size ||
        end - begin > size - location->offset_bytes) {
      return false;
    }
  }
  return true;
}

void append_sources(const std::vector<IndexedSource>& sources, std::string& into) {
  append_word(std::uint64_t{sources.size()}, into);
  for (const IndexedSource& source : sources) {
    append_text(source.name, into);
    append_number(source.data.size_bytes, into);
    append_word(source.data.hash, into);
    append_number(source.modified_ns, into);
  }
}

std::vector<IndexedSource> take_sources(WordReader& words) {
  std::vector<IndexedSource> sources;
  const std::uint64_t count = words.word();
  if (count == 0 || count > words.left() / kSourceSizeMin) {
    words.fail();
    return sources;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    IndexedSource& source = sources.emplace_back();
    source.name = words.text();
    source.data.size_bytes = words.number();
    source.data.hash = words.word();
    source.modified_ns = static_cast<std::int64_t>(words.word());
  }
  return sources;
}

// Throws if `path` is not an index file, since its content could not be made again. An empty file,
// or an index file that was cut short, may be replaced.
void check_is_replaceable(FileSystem& files, const std::string& path) {
  if (!files.exists(path)) return;
  const std::shared_ptr<const ByteSource> source = files.open(path);
  std::string head(static_cast<std::size_t>(std::min(source->size(), std::ssize(kMagic))), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(head)));
  if (kMagic.starts_with(head)) return;
  throw IoError(formatted("{}: not an index file, so it is not replaced: move or remove it", path));
}

}  // namespace

bool is_index_path(std::string_view path) noexcept { return path.ends_with(kExtension); }

std::string IndexIdentity::difference(const IndexIdentity& wanted) const {
  if (options != wanted.options) {
    return formatted("made with options \"{}\", not \"{}\"", options, wanted.options);
  }
  if (data != wanted.data) {
    return formatted("made from data {}, not {}", to_string(data), to_string(wanted.data));
  }
  if (sources.size() != wanted.sources.size()) {
    return formatted("made from {} sources, not {}", sources.size(), wanted.sources.size());
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const IndexedSource& own = sources[i];
    const IndexedSource& other = wanted.sources[i];
    if (own.name != other.name) {
      return formatted("made from the source {}, not {}", own.name, other.name);
    }
    if (own.data != other.data) {
      return formatted("made from data {} of {}, not {}", to_string(own.data), own.name,
                       to_string(other.data));
    }
  }
  return {};
}

struct IndexFileWriter::State {
  std::unique_ptr<ByteSink> file;
  IndexIdentity identity;
  std::string entries;  // in the form of the footer
  std::string access_points;
  std::uint64_t chunk_count = 0;

  [[nodiscard]] std::string head() const {
    std::string bytes(kMagic);
    append_word(!identity.sources.empty() ? kVersionWithSources
                : access_points.empty()   ? kVersion
                                          : kVersionWithPoints,
                bytes);
    return bytes;
  }
};

IndexFileWriter::IndexFileWriter(FileSystem& files, const std::string& path, IndexIdentity identity,
                                 std::string access_points) {
  if (!identity.sources.empty() && !access_points.empty()) {
    throw InternalError("index file: several sources have no access points");
  }
  check_is_replaceable(files, path);
  state_.reset(new State{.file = files.create(path),
                         .identity = std::move(identity),
                         .entries = {},
                         .access_points = std::move(access_points)});
  const std::string head = state_->head();
  state_->file->write(std::as_bytes(std::span(head)));
}

IndexFileWriter::~IndexFileWriter() = default;

void IndexFileWriter::add(const IndexRecord& record) {
  if (record.sequences->size() != record.info.sequence_count) {
    throw InternalError(formatted("index file: a table of {} sequences for a chunk of {}",
                                  record.sequences->size(), record.info.sequence_count));
  }
  const std::string block = encode_block(record);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(block));
  state_->file->write(bytes);
  append_entry({.info = record.info,
                .block_size = static_cast<std::int64_t>(block.size()),
                .block_checksum = checksum_of(bytes)},
               state_->entries);
  ++state_->chunk_count;
}

void IndexFileWriter::finish(std::string_view notes) {
  const std::span<const std::byte> points = std::as_bytes(std::span(state_->access_points));
  state_->file->write(points);
  const std::string head = state_->head();
  std::string bytes = head;  // included in the checksum
  append_text(state_->identity.options, bytes);
  append_number(state_->identity.data.size_bytes, bytes);
  append_word(state_->identity.data.hash, bytes);
  append_number(state_->identity.modified_ns, bytes);
  append_text(notes, bytes);
  if (!state_->identity.sources.empty()) append_sources(state_->identity.sources, bytes);
  if (!points.empty()) {
    append_word(std::uint64_t{points.size()}, bytes);
    append_word(checksum_of(points), bytes);
  }
  append_word(state_->chunk_count, bytes);
  bytes += state_->entries;
  append_word(std::uint64_t{bytes.size() - head.size()}, bytes);
  append_word(checksum_of(std::as_bytes(std::span(bytes))), bytes);
  bytes += kEndMagic;
  state_->file->write(std::as_bytes(std::span(bytes)).subspan(head.size()));
  state_->file->finish();
}

struct IndexFile::State {
  std::shared_ptr<const ByteSource> source;
  IndexIdentity identity;
  std::string notes;
  ChunkInfos infos;
  PackedInts block_offsets;  // of each chunk, and the end of the last block
  std::vector<std::uint64_t> block_checksums;
  bool has_points = false;
  bool has_sources = false;
  Entry points;  // block of the access points

  /// Returns the footer with the bytes of its head and size, over which the checksum is made.
  /// Returns nothing in case of an error, and says why in `why`.
  [[nodiscard]] std::vector<std::byte> read_footer(std::string& why);

  /// Returns whether the footer is valid.
  [[nodiscard]] bool take_footer(std::span<const std::byte> footer);
};

std::vector<std::byte> IndexFile::State::read_footer(std::string& why) {
  const std::int64_t size = source->size();
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(size, kHeadSize)));
  source->read_at(0, bytes);
  const std::string_view magic(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!magic.starts_with(kMagic)) {
    why = "not an index file";
    return {};
  }
  if (size < kHeadSize + kTailSize) {
    why = "cut short";
    return {};
  }
  const std::uint64_t version =
      WordReader(std::span<const std::byte>(bytes).subspan(kMagic.size())).word();
  if (version < kVersion || version > kVersionWithSources) {
    why = formatted("of version {}; this sheaf reads versions {} to {}", version, kVersion,
                    kVersionWithSources);
    return {};
  }
  has_points = version == kVersionWithPoints;
  has_sources = version == kVersionWithSources;
  std::array<std::byte, kTailSize> tail{};
  source->read_at(size - kTailSize, tail);
  if (std::memcmp(tail.data() + 16, kEndMagic.data(), kEndMagic.size()) != 0) {
    why = "cut short";
    return {};
  }
  WordReader words{std::span<const std::byte>(tail)};
  const std::uint64_t footer_size = words.word();
  if (footer_size > static_cast<std::uint64_t>(size - kHeadSize - kTailSize)) {
    why = "damaged";
    return {};
  }
  bytes.resize(bytes.size() + footer_size + sizeof(footer_size));
  const std::span<std::byte> rest = std::span(bytes).subspan(kHeadSize);
  source->read_at(size - kTailSize - static_cast<std::int64_t>(footer_size), rest);
  if (checksum_of(bytes) != words.word()) {
    why = "damaged";
    return {};
  }
  return bytes;
}

bool IndexFile::State::take_footer(std::span<const std::byte> footer) {
  WordReader words(footer);
  identity.options = words.text();
  identity.data.size_bytes = words.number();
  identity.data.hash = words.word();
  identity.modified_ns = static_cast<std::int64_t>(words.word());
  notes = words.text();
  if (has_sources) identity.sources = take_sources(words);
  if (has_points) {
    points.block_size = words.number();
    points.block_checksum = words.word();
  }
  const std::uint64_t chunk_count = words.word();
  if (!words.ok() || words.left() % kEntrySize != 0 || words.left() / kEntrySize != chunk_count) {
    return false;
  }
  block_checksums.reserve(static_cast<std::size_t>(chunk_count));
  PackedInts::Builder offsets;
  const std::int64_t blocks_end =
      source->size() - kTailSize - static_cast<std::int64_t>(footer.size());
  std::int64_t offset = kHeadSize;
  for (std::uint64_t i = 0; i < chunk_count; ++i) {
    const Entry entry = take_entry(words, offset);
    if (!words.ok() || entry.block_size > blocks_end - offset) return false;
    infos.push_back(entry.info);
    offsets.push_back(offset);
    block_checksums.push_back(entry.block_checksum);
    offset += entry.block_size;
  }
  offsets.push_back(offset);
  block_offsets = offsets.finish();
  infos.shrink_to_fit();
  points.block_offset = offset;
  return points.block_size == blocks_end - offset;
}

IndexFile::IndexFile(std::unique_ptr<State> state) : state_(std::move(state)) {}

IndexFile::~IndexFile() = default;

std::unique_ptr<IndexFile> IndexFile::open(FileSystem& files, const std::string& path,
                                           const IndexIdentity& wanted, std::string& why) {
  std::unique_ptr<IndexFile> file = open(files, path, why);
  if (!file) return nullptr;
  const std::string difference = file->identity().difference(wanted);
  if (difference.empty()) return file;
  why = formatted("{}: {}", path, difference);
  return nullptr;
}

std::unique_ptr<IndexFile> IndexFile::open(FileSystem& files, const std::string& path,
                                           std::string& why) {
  auto state = std::make_unique<State>();
  std::string reason;
  try {
    state->source = files.open(path);
    const std::vector<std::byte> bytes = state->read_footer(reason);
    if (reason.empty()) {
      const auto footer =
          std::span(bytes).subspan(kHeadSize, bytes.size() - kHeadSize - sizeof(std::uint64_t));
      if (!state->take_footer(footer)) reason = "damaged";
    }
  } catch (const IoError& error) {
    why = error.what();
    return nullptr;
  }
  if (!reason.empty()) {
    why = formatted("{}: {}", path, reason);
    return nullptr;
  }
  return std::unique_ptr<IndexFile>(new IndexFile(std::move(state)));
}

const IndexIdentity& IndexFile::identity() const noexcept { return state_->identity; }

std::int64_t IndexFile::chunk_count() const noexcept { return state_->infos.size(); }

ChunkInfo IndexFile::info(std::int64_t chunk) const noexcept { return state_->infos[chunk]; }

IndexRecord IndexFile::record(std::int64_t chunk) const {
  const std::int64_t offset = state_->block_offsets[chunk];
  const std::int64_t block_size = state_->block_offsets[chunk + 1] - offset;
  std::vector<std::byte> block(static_cast<std::size_t>(block_size));
  state_->source->read_at(offset, block);
  std::optional<IndexRecord> record;
  if (checksum_of(block) == state_->block_checksums[static_cast<std::size_t>(chunk)]) {
    record = decode_block(info(chunk), block);
  }
  if (!record) {
    throw IoError(
        formatted("{}: damaged: chunk {} has a wrong checksum", state_->source->name(), chunk));
  }
  if (!fits(record->info, *record->sequences, state_->identity.sources)) {
    throw IoError(formatted("{}: damaged: chunk {} has sequences outside of their sources",
                            state_->source->name(), chunk));
  }
  return *std::move(record);
}

std::string_view IndexFile::notes() const noexcept { return state_->notes; }

std::string IndexFile::access_points() const {
  const Entry& points = state_->points;
  std::string bytes(static_cast<std::size_t>(points.block_size), '\0');
  const std::span<std::byte> block = std::as_writable_bytes(std::span(bytes));
  state_->source->read_at(points.block_offset, block);
  if (!bytes.empty() && checksum_of(block) != points.block_checksum) {
    throw IoError(
        formatted("{}: damaged: the access points have a wrong checksum", state_->source->name()));
  }
  return bytes;
}

std::int64_t IndexFile::memory_bytes() const noexcept {
  std::int64_t sources = heap_bytes(state_->identity.sources);
  for (const IndexedSource& source : state_->identity.sources) sources += heap_bytes(source.name);
  return allocated_bytes(sizeof(State)) + state_->infos.memory_bytes() +
         heap_bytes(state_->block_offsets) + heap_bytes(state_->block_checksums) +
         heap_bytes(state_->identity.options) + heap_bytes(state_->notes) + sources;
}

}  // namespace sheaf::internal

std::string sheaf::index_file_path(std::string_view data_path, const std::string& directory) {
  if (directory.empty()) return formatted("{}{}", data_path, internal::kExtension);
  const std::filesystem::path path(data_path);
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) absolute = path;  // the working folder was removed
  const std::string whole = absolute.lexically_normal().string();
  const std::uint64_t hash = XXH3_64bits(whole.data(), whole.size()) >> 32U;
  const std::string name =
      formatted("{}.{:08x}{}", path.filename().string(), hash, internal::kExtension);
  return (std::filesystem::path(directory) / name).string();
}
