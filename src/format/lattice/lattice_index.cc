// A lattice ends where the next one of its archive begins, so each line is kept until the next one
// is read.

#include "format/lattice/lattice_index.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "base/key_set.h"
#include "base/saturated.h"
#include "base/text.h"
#include "core/numeric_key.h"
#include "format/lattice/lattice_block.h"
#include "format/lattice/lattice_errors.h"
#include "format/lattice/lattice_toc.h"
#include "format/named_file.h"
#include "format/text/row_reader.h"
#include "format/text/text_format.h"

namespace sheaf::lattice {
namespace {

/// A line of a file, for messages.
struct LineLocation {
  const ByteSource* file = nullptr;
  std::string_view text;
  std::int64_t number = 0;  // counted from 1
  std::int64_t offset_bytes = 0;
};

[[noreturn]] void refuse(const LineLocation& line, const LinePart& part, const ErrorKind& kind,
                         std::string found, std::string hint = "") {
  const auto begin = static_cast<std::int64_t>(part.begin);
  Diagnostic diagnostic;
  diagnostic.path = line.file->name();
  diagnostic.line = line.number;
  diagnostic.column = begin + 1;
  diagnostic.byte_offset = line.offset_bytes + begin;
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  diagnostic.hint = std::move(hint);
  set_excerpt(diagnostic, line.text, begin, static_cast<std::int64_t>(part.size));
  throw DataError({std::move(diagnostic)});
}

bool is_blank(std::string_view line) { return without_trailing_blanks(line).empty(); }

void check_is_text(const ByteSource& file) {
  std::string head(static_cast<std::size_t>(std::min(file.size(), kRecognizedBytes)), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(head)));
  const std::size_t zero = head.find('\0');
  if (zero == std::string::npos) return;
  static_cast<void>(internal::skip_byte_order_mark(file, kUtf16));  // UTF-16 has zeros
  Diagnostic diagnostic;
  diagnostic.path = file.name();
  diagnostic.byte_offset = static_cast<std::int64_t>(zero);
  diagnostic.code = kNoText.code;
  diagnostic.expected = kNoText.expected;
  diagnostic.found = "a byte of value 0";
  diagnostic.hint = "an archive of lattices is read through the table that names it";
  throw DataError({std::move(diagnostic)});
}

// Returns whether the first line of a file names a table. A path may look like a line of a table.
bool is_list_line(std::string_view line, const ByteSource& list, FileSystem& files) {
  const bool has_equals = line.find('=') != std::string_view::npos;
  const bool has_bracket = line.find('[') != std::string_view::npos;
  if (has_equals && has_bracket) return false;
  if (!has_equals && !has_bracket) return true;
  return internal::open_named_file(without_trailing_blanks(line), internal::folder_of(list),
                                   files) != nullptr;
}

}  // namespace

/// Reads the tables and fills the index.
class LatticeIndex::Scan {
 public:
  Scan(LatticeIndex& index, const ReadOptions& options, FileSystem& files)
      : index_(index), options_(options), files_(files) {}

  void run(const std::shared_ptr<const ByteSource>& file) {
    check_is_text(*file);
    if (is_list(*file)) {
      read_list(*file);
    } else {
      read_toc(*file);
    }
    end_chunk();
    if (repeated_.count > 0) add_warning();
    if (index_.chunks_.chunk(ChunkIndex{})) return;
    Diagnostic diagnostic;
    diagnostic.path = file->name();
    diagnostic.line = 1;
    diagnostic.code = kNoLattice.code;
    diagnostic.expected = kNoLattice.expected;
    diagnostic.found = file->size() == 0 ? "an empty file" : "none";
    throw DataError({std::move(diagnostic)});
  }

 private:
  /// A lattice whose end is not yet known.
  struct Pending {
    std::string text;  // of the line
    TocLine parts;
    std::int64_t line_number = 0;
    std::int64_t line_offset = 0;
  };

  // Calls `visit` with each line that is not blank, until `visit` returns false.
  template <typename Visit>
  void visit_lines(const ByteSource& file, const Visit& visit) const {
    const std::int64_t begin = internal::skip_byte_order_mark(file, kUtf16);
    internal::RowReader rows(file, begin, file.size(), 1, options_.read_size_bytes,
                             options_.row_size_max_bytes);
    internal::Row row;
    while (rows.next(row)) {
      if (is_blank(row.text())) continue;
      const LineLocation line = {
          .file = &file, .text = row.text(), .number = row.line, .offset_bytes = row.offset};
      if (!visit(line)) return;
    }
  }

  [[nodiscard]] bool is_list(const ByteSource& file) const {
    bool is_list = false;
    visit_lines(file, [&](const LineLocation& line) {
      is_list = is_list_line(line.text, file, files_);
      return false;
    });
    return is_list;
  }

  void read_list(const ByteSource& list) {
    visit_lines(list, [&](const LineLocation& line) {
      const std::string_view path = without_trailing_blanks(line.text);
      const auto toc = internal::open_named_file(path, internal::folder_of(list), files_);
      if (toc == nullptr) {
        refuse(line, {.begin = 0, .size = path.size()}, kMissingToc, quoted(path),
               "a line of a table of contents is KEY=ARCHIVE[OFFSET]");
      }
      index_.paths_.push_back(internal::named_file_path(path, internal::folder_of(list), files_));
      check_is_text(*toc);
      read_toc(*toc);
      return true;
    });
  }

  void read_toc(const ByteSource& toc) {
    index_.toc_fingerprints_.push_back(to_string(toc.fingerprint()));
    toc_ = &toc;
    archive_ = nullptr;
    visit_lines(toc, [&](const LineLocation& line) {
      take_line(line);
      return true;
    });
    end_archive();
  }

  void take_line(const LineLocation& line) {
    const TocLine parts = parse_toc_line(line.text);
    if (parts.fault != nullptr) {
      refuse(line, parts.fault_part, *parts.fault,
             parts.fault == &kZeroByte    ? "a byte of value 0"
             : parts.fault_part.size == 0 ? "the end of the line"
                                          : quoted(parts.fault_part.of(line.text)));
    }
    const std::string_view path = parts.archive.of(line.text);
    if (path.empty() && archive_ == nullptr) refuse(line, parts.archive, kNoArchive, "none");
    if (path.empty() || (archive_ != nullptr && path == path_)) {
      if (parts.offset_bytes <= pending_.parts.offset_bytes) {
        refuse(line, parts.offset, kOrder,
               formatted("{}, where the line before has {}", parts.offset_bytes,
                         pending_.parts.offset_bytes));
      }
      check_within(line, parts);
      end_lattice(parts.offset_bytes);
    } else {
      end_archive();
      begin_archive(line, parts);
    }
    pending_.text = line.text;
    pending_.parts = parts;
    pending_.line_number = line.number;
    pending_.line_offset = line.offset_bytes;
  }

  void begin_archive(const LineLocation& line, const TocLine& parts) {
    path_ = parts.archive.of(line.text);
    archive_ = internal::open_named_file(path_, internal::folder_of(*toc_), files_);
    if (archive_ == nullptr) {
      refuse(line, parts.archive, kMissingArchive, quoted(std::string_view(path_)));
    }
    index_.archives_.push_back(archive_);
    index_.paths_.push_back(internal::named_file_path(path_, internal::folder_of(*toc_), files_));
    if (parts.offset_bytes != 0) {
      refuse(line, parts.offset, kFirstOffset, formatted("{}", parts.offset_bytes));
    }
    check_within(line, parts);
  }

  void check_within(const LineLocation& line, const TocLine& parts) const {
    if (parts.offset_bytes < archive_->size()) return;
    refuse(line, parts.offset, kBeyond,
           formatted("{}, where {} has {} bytes", parts.offset_bytes, archive_->name(),
                     archive_->size()));
  }

  void end_archive() {
    if (archive_ == nullptr) return;
    end_lattice(archive_->size());
    archive_ = nullptr;
  }

  void end_lattice(std::int64_t end) {
    const LineLocation line = {.file = toc_,
                               .text = pending_.text,
                               .number = pending_.line_number,
                               .offset_bytes = pending_.line_offset};
    const TocLine& parts = pending_.parts;
    const std::int64_t size = end - parts.offset_bytes;
    if (size > kLatticeSizeMax) {
      refuse(line, parts.offset, kTooLarge, formatted("{} bytes up to {}", size, end));
    }
    const SequenceKey key = key_of(line, parts.key);
    if (!keys_.insert({.low = key.low, .high = key.high})) {
      note_repeated(line, parts);
      return;
    }
    add(key, parts.key.of(line.text), parts.offset_bytes, size);
  }

  [[nodiscard]] SequenceKey key_of(const LineLocation& line, const LinePart& part) const {
    const std::string_view text = part.of(line.text);
    if (options_.has_text_keys) return key_of_text(text);
    const std::optional<SequenceKey> key = internal::numeric_key_of(text);
    if (!key) refuse(line, part, kNumericKey, quoted(text), std::string(internal::kTextKeysHint));
    return *key;
  }

  void add(const SequenceKey& key, std::string_view text, std::int64_t offset, std::int64_t size) {
    if (table_.size() > 0 && size > options_.chunk_size_bytes - chunk_.size_bytes) end_chunk();
    const std::int64_t value_bytes = options_.value_bytes(size);
    table_.push_back({.key = key,
                      .offset_bytes = chunk_.size_bytes,
                      .sample_count = options_.gives_bytes() ? 1 : value_bytes / 4,
                      .location = SourceLocation{.source = std::ssize(index_.archives_) - 1,
                                                 .offset_bytes = offset}});
    chunk_.size_bytes += size;
    // Offsets of sequence and sample, extent, place, number of frames, and the key, which may lie
    // inside its string.
    constexpr auto kSequenceBytes =
        static_cast<std::int64_t>(5 * sizeof(std::int64_t) + sizeof(std::string));
    constexpr std::int64_t kTextSizeMin = 15;
    chunk_.decoded_size_bytes +=
        value_bytes + kSequenceBytes + std::max<std::int64_t>(kTextSizeMin, std::ssize(text));
    if (!options_.has_text_keys) return;
    texts_.text += text;
    ends_.push_back(std::ssize(texts_.text));
  }

  void end_chunk() {
    if (table_.size() == 0) return;
    const std::int64_t end = internal::saturated_sum(chunk_.offset_bytes, chunk_.size_bytes);
    chunk_.decoded_size_bytes += static_cast<std::int64_t>(2 * sizeof(std::int64_t));
    index_.chunks_.add(chunk_, table_.finish());
    if (options_.has_text_keys) {
      texts_.text.shrink_to_fit();
      texts_.ends = ends_.finish();
      index_.key_texts_.push_back(std::exchange(texts_, {}));
    }
    chunk_ = {};
    chunk_.offset_bytes = end;
  }

  void note_repeated(const LineLocation& line, const TocLine& parts) {
    if (repeated_.count++ > 0) return;
    repeated_.path = toc_->name();
    repeated_.line = line.number;
    repeated_.column = 1;
    repeated_.byte_offset = line.offset_bytes;
    repeated_.sequence_key = parts.key.of(line.text);
    set_excerpt(repeated_, line.text, 0, static_cast<std::int64_t>(parts.key.size));
  }

  void add_warning() {
    repeated_.severity = Severity::warning;
    repeated_.code = kRepeatedKey.code;
    repeated_.expected = kRepeatedKey.expected;
    repeated_.found = repeated_.count == 1
                          ? "a lattice with the key of an earlier one: the later one is left out"
                          : formatted(
                                "{} lattices with the key of an earlier one; they are left out, "
                                "the first is here",
                                repeated_.count);
    index_.warnings_.push_back(std::move(repeated_));
  }

  LatticeIndex& index_;
  const ReadOptions& options_;
  FileSystem& files_;

  const ByteSource* toc_ = nullptr;
  std::shared_ptr<const ByteSource> archive_;  // null until one is named
  std::string path_;                           // path of the archive in the table
  Pending pending_;                            // valid while there is an archive
  WideKeySet keys_;
  Diagnostic repeated_ = {.count = 0};

  ChunkInfo chunk_;
  SequenceTable::Builder table_;
  KeyTexts texts_;
  PackedInts::Builder ends_;
};

LatticeIndex::LatticeIndex(const std::shared_ptr<const ByteSource>& file,
                           const ReadOptions& options, FileSystem& files) {
  Scan(*this, options, files).run(file);
}

LatticeIndex::~LatticeIndex() = default;

std::string_view LatticeIndex::key_text(ChunkIndex chunk, std::int64_t sequence) const {
  if (key_texts_.empty()) return {};
  const KeyTexts& texts = key_texts_[static_cast<std::size_t>(chunk)];
  const std::int64_t begin = sequence == 0 ? 0 : texts.ends[sequence - 1];
  return std::string_view(texts.text)
      .substr(static_cast<std::size_t>(begin),
              static_cast<std::size_t>(texts.ends[sequence] - begin));
}

bool LatticeIndex::has_fast_random_access() const {
  return std::ranges::all_of(archives_,
                             [](const auto& each) { return each->has_fast_random_access(); });
}

void LatticeIndex::visit_paths(const std::function<void(const std::string& path)>& visit) const {
  for (const std::string& path : paths_) visit(path);
}

std::string LatticeIndex::fingerprint() const {
  std::string all;
  for (const std::string& each : toc_fingerprints_) all += each + '\n';
  for (const auto& each : archives_) all += to_string(each->fingerprint()) + '\n';
  return to_string(key_of_text(all));
}

std::int64_t LatticeIndex::memory_bytes() const {
  std::int64_t sum = chunks_.memory_bytes() + static_cast<std::int64_t>(sizeof *this);
  for (const KeyTexts& each : key_texts_) {
    sum += static_cast<std::int64_t>(sizeof each + each.text.capacity()) + each.ends.size_bytes();
  }
  for (const std::string& path : paths_) sum += static_cast<std::int64_t>(path.capacity());
  return sum + static_cast<std::int64_t>(archives_.capacity() * sizeof(archives_[0]) +
                                         paths_.capacity() * sizeof(std::string));
}

}  // namespace sheaf::lattice
