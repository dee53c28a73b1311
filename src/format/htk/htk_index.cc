// A scan cuts chunks while it reads the list, as if no key came twice. Where one does, or where
// lines do not say how many frames there are, the list is read again: 48 bytes of each line are
// kept, because chunks are cut behind the utterances that are left out. Then come the headers, and
// then the chunks.

#include "format/htk/htk_index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/parallel_for.h"

#include "base/permutation.h"
#include "base/saturated.h"
#include "base/text.h"
#include "format/htk/htk_repeated.h"
#include "format/htk/htk_scan.h"

namespace sheaf::htk {
namespace {

using internal::saturated_product;
using internal::saturated_sum;

constexpr std::int64_t kCntkFramesMax = 90'000;  // a chunk with more frames is full
constexpr std::int64_t kValueSize = 4;
constexpr std::int64_t kProbedMin = 256;  // headers that are worth an index file of their own
constexpr std::int64_t kProbesAtOnce = 64;

}  // namespace

std::int64_t ChunkLines::size_bytes() const {
  return static_cast<std::int64_t>(sizeof *this) + table->size_bytes() + offsets.size_bytes();
}

/// Cuts utterances into chunks.
class HtkIndex::ChunkMaker {
 public:
  /// Pre: the index knows the dim.
  explicit ChunkMaker(HtkIndex& index)
      : index_(index),
        chunk_size_(index.parts_.options->chunk_size_bytes),
        text_growth_(std::ssize(index.parts_.rules.prefix) +
                     std::ssize(index.parts_.rules.folder)) {}

  void add(const ListEntry& entry) {
    const std::int64_t size =
        saturated_product(std::int64_t{entry.count} * index_.dim_, kValueSize);
    const bool is_full =
        chunk_size_ == 0 ? frames_ > kCntkFramesMax : size > chunk_size_ - info_.size_bytes;
    if (table_.size() > 0 && is_full) finish();
    const std::int64_t line = std::int64_t{entry.line} + 1;
    if (table_.size() == 0) info_.first_line = line;
    table_.push_back({.key = entry.key,
                      .offset_bytes = info_.size_bytes,
                      .first_line = line - info_.first_line,
                      .sample_count = entry.count,
                      .place = SourcePlace{
                          .source = entry.source,
                          .offset_bytes = kHeaderSize + entry.first * index_.dim_ * kValueSize}});
    offsets_.push_back(entry.offset);
    info_.size_bytes = saturated_sum(info_.size_bytes, size);
    frames_ += entry.count;
    line_bytes_ += entry.size + text_growth_;
    end_ = entry.offset + entry.size;
  }

  /// Ends the chunk under way, which has an utterance.
  void finish() {
    info_.sample_count = frames_;
    info_.decoded_size_bytes = index_.decoded_bytes(frames_, line_bytes_);
    const std::int64_t next = saturated_sum(info_.offset_bytes, info_.size_bytes);
    index_.add_chunk(info_, table_, offsets_, end_);
    info_ = {.offset_bytes = next};
    frames_ = line_bytes_ = 0;
  }

 private:
  HtkIndex& index_;
  std::int64_t chunk_size_;
  std::int64_t text_growth_;  // of a key at most
  SequenceTable::Builder table_;
  PackedInts::Builder offsets_;
  ChunkInfo info_;
  std::int64_t frames_ = 0;
  std::int64_t line_bytes_ = 0;
  std::int64_t end_ = 0;  // of the last line
};

HtkIndex::HtkIndex(Parts parts) : parts_(std::move(parts)), keeper_(keeper_parts()) {
  check_is_list();
  keeper_.open([this](const internal::IndexFile& file) { return fault_of(file); });
  if (keeper_.file() != nullptr) {
    lines_.resize(static_cast<std::size_t>(keeper_.file()->chunk_count()));
  } else {
    scan();
  }
}

internal::IndexFileKeeper::Parts HtkIndex::keeper_parts() const {
  const ReadOptions& options = *parts_.options;
  return {.source = parts_.list,
          .files = &parts_.context.file_system(),
          .options = parts_.index,
          .identity = {.options = formatted(
                           "htk 1:chunk={}:max={}:prefix={}:last={}:type={}:dim={}{}",
                           options.chunk_size_bytes, options.frames_max.value_or(0), options.prefix,
                           options.allows_last_minus_1 ? 1 : 0, to_string(options.stream),
                           options.dim.value_or(0), options.has_text_keys ? "" : ":keys=numeric"),
                       .data = parts_.list->fingerprint(),
                       .modified_ns = parts_.list->modified_ns(),
                       .sources = {}},
          .warning_code = kIndexFile.code,
          .write_min_bytes = 0};  // a small list may name many files whose headers were read
}

void HtkIndex::check_is_list() const {
  const std::string head = text_at(0, std::min(parts_.list->size(), kRecognizedBytes));
  const std::size_t zero = head.find('\0');
  if (zero == std::string::npos) return;
  Diagnostic diagnostic = place_of(*parts_.list, kNoList, 0, static_cast<std::int64_t>(zero));
  diagnostic.found = "a byte of value 0";
  diagnostic.hint = "an HTK file is read through a list that names it";
  throw DataError({std::move(diagnostic)});
}

// Why an index file cannot be of these data. Sets what the file says of all data.
std::string HtkIndex::fault_of(const internal::IndexFile& file) {
  if (file.chunk_count() == 0 || !take_notes(file.notes())) return "its notes make no sense";
  const std::int64_t dim = dim_;
  try {
    const std::shared_ptr<const ChunkLines> lines = lines_of(file.record(0));
    if (lines == nullptr) return "chunk 0 has numbers that cannot be";
    const std::int64_t offset = lines->offsets[0];
    const std::int64_t end = lines->offsets.size() > 1 ? lines->offsets[1] : lines->end_bytes;
    const std::string text = text_at(offset, end - offset);
    const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    set_first_file(line, file.info(0).first_line + lines->table->first_line(0), offset);
  } catch (const IoError& error) {
    return error.what();
  } catch (const DataError&) {  // the scan says so, too
    return "the first file is no longer there";
  }
  return dim == dim_ ? "" : formatted("made for files of dim {}, not {}", dim, dim_);
}

// Opens the file of the first utterance, which tells the dim and what other files must be like.
void HtkIndex::set_first_file(std::string_view line, std::int64_t line_number,
                              std::int64_t offset) {
  const std::optional<std::int64_t>& declared = parts_.options->dim;
  dim_ = declared.value_or(1);
  std::string scratch;
  const ListLine parsed = parse_list_line(line, parts_.rules, scratch);
  const bool is_good = parsed.fault == nullptr;
  const auto file = is_good ? parts_.files->open(parsed.path) : nullptr;
  if (file != nullptr && file->header() != nullptr) {
    first_header_ = *file->header();
    if (declared && *declared != first_header_->dim) {
      const std::string& stream = parts_.options->stream.name;
      if (parts_.options->as != Labels::values) {
        throw ConfigError(
            formatted("stream \"{}\": {} has frames of {} values; labels are files of "
                      "one value a frame",
                      stream, parsed.path, first_header_->dim));
      }
      throw ConfigError(
          formatted("stream \"{}\": dim {} was declared, but {} has frames of {} "
                    "values",
                    stream, *declared, parsed.path, first_header_->dim));
    }
    dim_ = first_header_->dim;
    return;
  }
  if (declared) return;
  if (file != nullptr) {  // its header is wrong
    const HeaderFault& fault = std::get<HeaderFault>(file->contents);
    Diagnostic diagnostic = place_of(*file->source, *fault.kind, 0, fault.byte_offset);
    diagnostic.found = fault.found;
    throw DataError({std::move(diagnostic)});
  }
  const std::size_t begin = is_good ? parsed.path_begin : parsed.fault_begin;
  const std::size_t size = is_good ? parsed.path_size : parsed.fault_size;
  Diagnostic diagnostic = place_of(*parts_.list, is_good ? kMissingFile : *parsed.fault,
                                   line_number, offset + static_cast<std::int64_t>(begin));
  diagnostic.column = static_cast<std::int64_t>(begin) + 1;
  diagnostic.found = quoted(is_good ? parsed.path : line.substr(begin, size));
  diagnostic.hint = "the first file of the list tells the dim of the stream";
  set_excerpt(diagnostic, line, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(size));
  throw DataError({std::move(diagnostic)});
}

template <typename Take>
bool HtkIndex::scan_list(const Take& take) const {
  return ListScan(*parts_.list, parts_.rules, *parts_.options, take).run();
}

// Most lists say all lengths, and repeat no key: chunks of such a list are cut while it is read,
// and 8 bytes of each key are all that is kept besides. Any other list is read again.
void HtkIndex::scan() {
  if (scan_in_order()) return;
  chunks_.clear();
  lines_.clear();
  lines_bytes_ = 0;
  long_ = {};
  first_header_.reset();
  scan_whole();
}

bool HtkIndex::scan_in_order() {
  const std::optional<std::int64_t>& frames_max = parts_.options->frames_max;
  const bool has_texts = parts_.options->has_text_keys;
  RepeatedWords words;
  std::optional<ChunkMaker> chunks;
  const auto take = [&](const ListEntry& entry, std::string_view /*path*/) {
    if (entry.is_good && entry.count == ListEntry::kUnknownCount) return false;
    if (entry.is_good) words.add(has_texts ? entry.key.low : internal::mixed(entry.key.low));
    if (entry.is_good && frames_max && entry.count > *frames_max) {
      long_.add(entry.line, entry.offset);
      return true;
    }
    if (!chunks) {
      if (!try_first_file(entry)) return false;
      chunks.emplace(*this);
    }
    chunks->add(entry);
    return true;
  };
  if (!scan_list(take) || !chunks || words.has_repeated()) return false;
  chunks->finish();
  if (is_worth_a_file(0)) {
    keeper_.begin_writing();
    for (std::size_t i = 0; i < chunks_.size() && keeper_.is_writing(); ++i) {
      keeper_.add(record_of(chunks_[i], *lines_[i]));
    }
  }
  keeper_.finish_writing(notes());
  return true;
}

// Returns false where the first file is wrong. The second scan reports the error: it leaves out
// repeated keys, so another file may be the first one there.
bool HtkIndex::try_first_file(const ListEntry& entry) {
  try {
    set_first_file(text_at(entry.offset, entry.size), std::int64_t{entry.line} + 1, entry.offset);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void HtkIndex::visit_paths(const std::function<void(std::string_view path)>& visit) const {
  std::optional<std::uint32_t> source;
  const auto take = [&](const ListEntry& entry, std::string_view path) {
    if (entry.is_good && source != entry.source) visit(path);
    if (entry.is_good) source = entry.source;
    return true;
  };
  scan_list(take);
}

bool HtkIndex::is_worth_a_file(std::int64_t probed_count) const {
  return probed_count >= kProbedMin ||
         parts_.list->size() >= internal::IndexFileKeeper::kWriteMinBytes ||
         parts_.index.mode == IndexMode::rebuild;
}

// Reads the headers of files whose lines do not say how many frames there are.
HtkIndex::Lengths HtkIndex::read_lengths(std::deque<ListEntry>& entries) {
  std::vector<ListEntry*> unknown;
  for (ListEntry& entry : entries) {
    if (entry.is_good && entry.count == ListEntry::kUnknownCount) unknown.push_back(&entry);
  }
  const auto round_count = (std::ssize(unknown) + kProbesAtOnce - 1) / kProbesAtOnce;
  std::vector<std::uint8_t> missed(static_cast<std::size_t>(round_count), 0);
  parallel_for(parts_.context.executor, round_count, [&](std::int64_t round) {
    const auto first = static_cast<std::size_t>(round * kProbesAtOnce);
    const std::span<ListEntry* const> probed = std::span(unknown).subspan(
        first, std::min<std::size_t>(kProbesAtOnce, unknown.size() - first));
    std::vector<std::string> paths;
    std::vector<std::int64_t> firsts;
    for (const ListEntry* const entry : probed) {
      std::string scratch;
      const std::string text = text_at(entry->offset, entry->size);
      const ListLine line = parse_list_line(text, parts_.rules, scratch);
      paths.emplace_back(line.path);
      firsts.push_back(line.first);
    }
    const std::vector<std::string_view> views(paths.begin(), paths.end());
    const auto files = parts_.files->open_all(views);
    for (std::size_t i = 0; i < probed.size(); ++i) {
      ListEntry& entry = *probed[i];
      const Header* const header = files[i] == nullptr ? nullptr : files[i]->header();
      const std::int64_t count = header == nullptr ? 0 : header->frame_count - firsts[i];
      if (header == nullptr) missed[static_cast<std::size_t>(round)] = 1;
      entry.count = static_cast<std::uint32_t>(std::max<std::int64_t>(0, count));
    }
  });
  return {.count = std::ssize(unknown), .has_missed = std::ranges::find(missed, 1) != missed.end()};
}

void HtkIndex::scan_whole() {
  std::deque<ListEntry> entries;
  const auto keep = [&entries](const ListEntry& entry, std::string_view /*path*/) {
    entries.push_back(entry);
    return true;
  };
  scan_list(keep);

  const Lengths lengths = read_lengths(entries);

  // All utterances with a key that comes twice are left out.
  std::vector<SequenceKey> keys;
  keys.reserve(entries.size());
  for (const ListEntry& entry : entries) {
    if (entry.is_good) keys.push_back(entry.key);
  }
  std::ranges::sort(keys);
  std::vector<SequenceKey> repeated;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i] != keys[i - 1]) continue;
    if (repeated.empty() || repeated.back() != keys[i]) repeated.push_back(keys[i]);
  }
  keys = {};
  const std::optional<std::int64_t>& frames_max = parts_.options->frames_max;
  std::erase_if(entries, [&](const ListEntry& entry) {
    if (!entry.is_good) return false;
    if (frames_max && entry.count > *frames_max) {
      long_.add(entry.line, entry.offset);
      return true;
    }
    if (!std::ranges::binary_search(repeated, entry.key)) return false;
    repeated_.add(entry.line, entry.offset);
    return true;
  });
  if (entries.empty()) {
    Diagnostic diagnostic = place_of(*parts_.list, kNoUtterance, 0, 0);
    diagnostic.found =
        formatted("{} left out for their keys, {} for their lengths", repeated_.count, long_.count);
    throw DataError({std::move(diagnostic)});
  }
  const ListEntry& first = entries.front();
  set_first_file(text_at(first.offset, first.size), std::int64_t{first.line} + 1, first.offset);
  if (is_worth_a_file(lengths.count) && !lengths.has_missed) keeper_.begin_writing();
  ChunkMaker chunks(*this);
  for (const ListEntry& entry : entries) chunks.add(entry);
  chunks.finish();
  keeper_.finish_writing(notes());
}

// What reading a chunk takes at most: values, offsets, holes and the texts of keys.
std::int64_t HtkIndex::decoded_bytes(std::int64_t frames, std::int64_t line_bytes) const {
  const Stream& stream = parts_.options->stream;
  const std::int64_t value_size = element_size(stream.element_type);
  std::int64_t size = saturated_product(saturated_product(frames, dim_), value_size);
  if (stream.storage == Storage::sparse) {
    const std::int64_t more = element_size(stream.index_type) + std::int64_t{sizeof frames};
    size = saturated_sum(size, saturated_product(frames + 1, more));
  }
  return saturated_sum(size, line_bytes);
}

void HtkIndex::add_chunk(ChunkInfo info, SequenceTable::Builder& table,
                         PackedInts::Builder& offsets, std::int64_t end_bytes) {
  // Offsets, and the text of a key, which has room for short texts.
  const auto sequence_bytes = static_cast<std::int64_t>(
      2 * sizeof(std::int64_t) + sizeof(std::string) + std::string().capacity());
  info.sequence_count = table.size();
  info.decoded_size_bytes =
      saturated_sum(info.decoded_size_bytes, (info.sequence_count + 1) * sequence_bytes);
  auto lines = std::make_shared<ChunkLines>();
  lines->table = std::make_shared<const SequenceTable>(table.finish());
  lines->offsets = offsets.finish();
  lines->end_bytes = end_bytes;
  if (keeper_.is_writing()) keeper_.add(record_of(info, *lines));
  lines_bytes_ += lines->size_bytes();
  chunks_.push_back(info);
  lines_.push_back(std::move(lines));
}

// An index file holds places as numbers of the format: files are not fingerprinted one by one, but
// compared with the index where they are read.
internal::IndexRecord HtkIndex::record_of(const ChunkInfo& info, const ChunkLines& lines) const {
  const SequenceTable& table = *lines.table;
  internal::IndexRecord record{.info = info, .sequences = nullptr, .extra = {}};
  SequenceTable::Columns columns = table.columns();
  columns.rare = nullptr;
  record.sequences = std::make_shared<const SequenceTable>(std::move(columns));
  record.extra.push_back(lines.end_bytes);
  for (std::int64_t i = 0; i < table.size(); ++i) record.extra.push_back(lines.offsets[i]);
  for (std::int64_t i = 0; i < table.size(); ++i) record.extra.push_back(table.place(i)->source);
  for (std::int64_t i = 0; i < table.size(); ++i) {
    record.extra.push_back(table.place(i)->offset_bytes);
  }
  return record;
}

// Returns null where the numbers of a record make no sense.
std::shared_ptr<const ChunkLines> HtkIndex::lines_of(const internal::IndexRecord& record) const {
  const std::int64_t count = record.sequences->size();
  if (count < 1 || std::ssize(record.extra) != 3 * count + 1) return nullptr;
  const std::int64_t end = record.extra[0];
  const auto part = [&](std::int64_t number) {
    return std::span(record.extra)
        .subspan(static_cast<std::size_t>(1 + number * count), static_cast<std::size_t>(count));
  };
  auto rare = std::make_shared<SequenceTable::RareColumns>();
  PackedInts::Builder builder;
  std::int64_t before = -1;
  for (const std::int64_t offset : part(0)) {
    if (offset <= before || offset >= end) return nullptr;
    before = offset;
    builder.push_back(offset);
  }
  if (end > parts_.list->size()) return nullptr;
  auto lines = std::make_shared<ChunkLines>();
  lines->offsets = builder.finish();
  lines->end_bytes = end;
  for (const std::int64_t source : part(1)) builder.push_back(source);
  rare->sources = builder.finish();
  for (const std::int64_t offset : part(2)) builder.push_back(offset);
  rare->source_offsets_bytes = builder.finish();
  SequenceTable::Columns columns = record.sequences->columns();
  columns.rare = std::move(rare);
  lines->table = std::make_shared<const SequenceTable>(std::move(columns));
  return lines;
}

std::string HtkIndex::notes() const {
  return formatted("{} {} {} {} {} {} {}", dim_, repeated_.count, repeated_.line,
                   repeated_.offset_bytes, long_.count, long_.line, long_.offset_bytes);
}

bool HtkIndex::take_notes(std::string_view notes) {
  std::array<std::int64_t, 7> numbers{};
  const char* at = notes.data();
  const char* const end = notes.data() + notes.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ' ')) return false;
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    if (error != std::errc() || numbers[i] < 0) return false;
    at = next;
  }
  dim_ = numbers[0];
  repeated_ = {numbers[1], numbers[2], numbers[3]};
  long_ = {numbers[4], numbers[5], numbers[6]};
  return at == end;
}

std::optional<ChunkInfo> HtkIndex::chunk(ChunkIndex chunk) const {
  const auto number = static_cast<std::int64_t>(chunk);
  if (keeper_.file() == nullptr) {
    if (number >= std::ssize(chunks_)) return std::nullopt;
    return chunks_[static_cast<std::size_t>(number)];
  }
  if (number >= keeper_.file()->chunk_count()) return std::nullopt;
  return keeper_.file()->info(number);
}

std::shared_ptr<const SequenceTable> HtkIndex::sequences(ChunkIndex chunk) const {
  return lines(chunk)->table;
}

std::shared_ptr<const ChunkLines> HtkIndex::lines(ChunkIndex chunk) const {
  const auto number = static_cast<std::size_t>(chunk);
  {
    const std::scoped_lock lock(mutex_);
    if (lines_[number] != nullptr) return lines_[number];
  }
  std::shared_ptr<const ChunkLines> lines;
  static_cast<void>(
      keeper_.read(static_cast<std::int64_t>(chunk), [&](const internal::IndexRecord& record) {
        lines = lines_of(record);
        return lines != nullptr;
      }));
  const std::scoped_lock lock(mutex_);
  if (lines_[number] != nullptr) return lines_[number];
  const std::optional<std::int64_t>& limit = parts_.index.memory_limit_bytes;
  if (limit && lines_bytes_ + lines->size_bytes() > *limit) {
    std::ranges::fill(lines_, nullptr);
    lines_bytes_ = 0;
  }
  lines_[number] = lines;
  lines_bytes_ += lines->size_bytes();
  return lines;
}

// The name stands in the list, in the first line of the file. Messages alone ask for it.
std::string HtkIndex::source_name(std::int64_t source) const {
  for (ChunkIndex number{}; chunk(number); number = next(number)) {
    const auto found = lines(number);
    for (std::int64_t i = 0; i < found->table->size(); ++i) {
      if (found->table->place(i)->source != source) continue;
      const std::int64_t begin = found->offsets[i];
      const std::string text = text_at(begin, found->end_bytes - begin);
      std::string scratch;
      const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
      return std::string(parse_list_line(line, parts_.rules, scratch).path);
    }
  }
  return {};
}

std::int64_t HtkIndex::memory_bytes() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::int64_t>(sizeof *this + chunks_.capacity() * sizeof(ChunkInfo) +
                                   lines_.capacity() * sizeof(lines_[0])) +
         lines_bytes_ + keeper_.memory_bytes();
}

Diagnostic HtkIndex::warning_of(const ErrorKind& kind, const LeftOut& left_out,
                                std::string found) const {
  Diagnostic warning = place_of(*parts_.list, kind, left_out.line, left_out.offset_bytes);
  warning.severity = Severity::warning;
  warning.column = 1;
  warning.found = std::move(found);
  warning.places = left_out.count;
  return warning;
}

std::vector<Diagnostic> HtkIndex::warnings() const {
  std::vector<Diagnostic> all;
  if (repeated_.count > 0) {
    all.push_back(warning_of(kRepeatedKey, repeated_,
                             formatted("{} utterances with keys that come more than once; all are "
                                       "left out, the first is here",
                                       repeated_.count)));
  }
  if (long_.count > 0) {
    all.push_back(warning_of(
        kTooLong, long_,
        formatted("{} longer ones, which are left out; the first is here", long_.count)));
  }
  if (keeper_.use_warning()) all.push_back(*keeper_.use_warning());
  if (const auto warning = keeper_.write_warning()) all.push_back(*warning);
  return all;
}

std::string HtkIndex::text_at(std::int64_t offset, std::int64_t size) const {
  std::string text(static_cast<std::size_t>(size), '\0');
  read_bytes(*parts_.list, offset, std::as_writable_bytes(std::span(text)),
             parts_.options->read_size_bytes);
  return text;
}

}  // namespace sheaf::htk
