#include "format/kaldi/kaldi_index.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_decode.h"
#include "format/kaldi/kaldi_lengths.h"
#include "format/kaldi/kaldi_line.h"
#include "format/listed/file_pieces.h"
#include "format/listed/list_scan.h"

namespace sheaf::kaldi {
namespace {

using internal::location_in_list;
using internal::saturated_product;
using internal::saturated_sum;

// Returns the declaration of the stream in the options, as text.
std::string declared_text(const ReadOptions& options) {
  return formatted("as={}:type={}:shape={}:storage={}:index={}{}", static_cast<int>(options.as),
                   options.type ? to_string(*options.type) : "",
                   options.shape ? to_string(*options.shape) : "",
                   options.storage ? to_string(*options.storage) : "",
                   to_string(options.index_type), options.has_text_keys ? "" : ":keys=numeric");
}

// Returns the size of an object with this number of samples that otherwise resembles `first`.
// Returns nothing if rows differ in size.
std::optional<std::int64_t> size_with(const ProbedObject& first, std::int64_t samples) {
  const bool is_matrix =
      first.head.kind == KaldiKind::matrix || first.head.kind == KaldiKind::compressed;
  if (!is_matrix || first.is_text || first.head.rows == 0) return std::nullopt;
  const std::int64_t row_bytes =
      (first.size_bytes - first.head.data_begin) / first.head.rows;  // for CM slightly too large
  return saturated_sum(first.head.data_begin, saturated_product(row_bytes, samples));
}

}  // namespace

std::string lengths_text(const ByteSource* lengths) {
  return lengths == nullptr ? "" : formatted(":lengths={}", to_string(lengths->fingerprint()));
}

KaldiIndex::KaldiIndex(const Parts& parts, std::string_view kind)
    : ListedIndex(
          {.list = parts.file,
           .index = parts.index,
           .context = parts.context,
           .identity = formatted("kaldi {} 1:chunk={}:{}{}", kind, parts.options->chunk_size_bytes,
                                 declared_text(*parts.options), lengths_text(parts.lengths.get())),
           .errors = {.no_sequence = kNoSequence,
                      .repeated_key = kRepeatedKey,
                      .too_long = kTooLong,
                      .index_file = kIndexFile},
           .chunk_size_bytes = parts.options->chunk_size_bytes,
           .read_size_bytes = parts.options->read_size_bytes,
           .has_text_keys = parts.options->has_text_keys}),
      parts_(parts) {}

void KaldiIndex::take_first(const Probed& first, Diagnostic location) {
  const ReadOptions& options = *parts_.options;
  const auto* const object = std::get_if<ProbedObject>(&first);
  const bool is_declared = options.storage && options.shape && options.type;
  if (object == nullptr && !is_declared) {
    const auto& fault = std::get<KaldiFault>(first);
    location.code = fault.kind->code;
    location.expected = fault.kind->expected;
    location.found = fault.found;
    location.byte_offset += fault.byte_offset;
    location.hint = "the first object tells the stream";
    throw DataError({std::move(location)});
  }
  stream_ = stream_of(options, object);
  if (object == nullptr) return;
  if (const std::optional<Misfit> misfit = misfit_of(*object, stream_, options.as)) {
    throw ConfigError(
        formatted("stream \"{}\": the first object does not fit: expected {}, found {}",
                  stream_.name, misfit->kind->expected, misfit->found));
  }
}

// Returns an upper bound. A value in text takes at least two bytes, and a class with its weight
// takes four. Each sample has at most an offset and an extent.
std::int64_t KaldiIndex::decoded_bytes(std::int64_t sample_count, std::int64_t stored_bytes) const {
  const bool is_variable = !stream_.sample_shape.is_fixed();
  if (stream_.storage == Storage::dense && !is_variable) {
    return values_in_place_max(
        saturated_product(saturated_product(sample_count, stream_.sample_shape.size()),
                          element_size(stream_.element_type)));
  }
  constexpr std::int64_t kGrowth = 4;
  constexpr std::int64_t kSampleBytes = 16;
  const std::int64_t one_hot = options().as == As::one_hot ? 2 : 1;  // 12 bytes for 5, at most 16
  return saturated_sum(saturated_product(stored_bytes, kGrowth * one_hot),
                       saturated_product(sample_count + 1, kSampleBytes));
}

std::vector<std::int64_t> KaldiIndex::first_numbers() const {
  return {static_cast<std::int64_t>(stream_.storage),
          static_cast<std::int64_t>(stream_.element_type),
          stream_.sample_shape.is_fixed() ? stream_.sample_shape.size() : 0};
}

std::string KaldiIndex::difference(std::span<const std::int64_t> numbers) const {
  const std::vector<std::int64_t> own = first_numbers();
  if (std::ranges::equal(numbers, own)) return "";
  return "made for a stream of another type or dim";
}

bool ArchiveIndex::scan(const TakeEntry& take) const {
  return scan_entries(list(), options(),
                      [&](const ListEntry& entry) { return take(entry, list().name()); });
}

void ArchiveIndex::set_first_file(std::string_view /*line*/, std::int64_t /*line_number*/,
                                  std::int64_t offset) {
  ArchiveScan scan(list(), options(), offset);
  const Entry* const entry = scan.next();
  if (entry == nullptr) throw IoError(formatted("{}: shorter than before", list().name()));
  take_first(entry->object, location_in_list(list(), kEntryKey, 0, entry->object_begin));
}

bool ListIndex::scan(const TakeEntry& take) const {
  KaldiLines lines;
  return internal::ListScan(list(),
                            {.has_text_keys = options().has_text_keys,
                             .numeric_key = &kNumericKey,
                             .read_size_bytes = options().read_size_bytes},
                            lines, take)
      .run();
}

std::string ListIndex::path_of(std::string_view line) const {
  return std::string(parse_line(line).path);
}

void ListIndex::set_first_file(std::string_view line, std::int64_t line_number,
                               std::int64_t offset) {
  const ListedObject listed = parse_line(line);
  const auto fail = [&](const ErrorKind& kind, std::size_t begin, std::size_t size) {
    Diagnostic location =
        location_in_list(list(), kind, line_number, offset + static_cast<std::int64_t>(begin));
    location.column = static_cast<std::int64_t>(begin) + 1;
    set_excerpt(location, line, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(size));
    const KaldiFault fault{&kind, 0, quoted(line.substr(begin, size))};
    take_first(fault, std::move(location));
  };
  if (listed.fault != nullptr) return fail(*listed.fault, listed.fault_begin, listed.fault_size);
  const auto source = sources_.open(source_name_of(listed));
  if (source == nullptr) return fail(kMissingFile, listed.path_begin, listed.path_size);
  Probed probed = probe_object(*source, listed.offset_bytes, options());
  if (auto* const object = std::get_if<ProbedObject>(&probed)) {
    const auto part = part_of(*object, listed.rows, listed.cols);
    if (const auto* const fault = std::get_if<KaldiFault>(&part)) {
      return fail(*fault->kind, listed.range_begin, listed.range_size);
    }
    take_part(*object, std::get<ObjectPart>(part), options().as);
  }
  take_first(probed, location_in_list(*source, kMissingFile, 0, listed.offset_bytes));
}

std::optional<ProbedObject> ListIndex::probe(const ListEntry& entry) const {
  const std::string line = text_at(entry.offset, entry.size);
  const ListedObject listed = parse_line(line);
  const auto source = sources_.open(source_name_of(listed));
  if (source == nullptr || listed.rows || listed.cols) return std::nullopt;
  Probed probed = probe_object(*source, listed.offset_bytes, options());
  if (std::holds_alternative<KaldiFault>(probed)) return std::nullopt;
  return std::get<ProbedObject>(std::move(probed));
}

// Takes the numbers of frames from the file of lengths. Returns the entries whose heads must be
// read. Sizes are those of objects like the first one. If an object has another size, its reader
// reads the rest later.
std::vector<ListIndex::ListEntry*> ListIndex::take_lengths(
    std::span<ListEntry* const> entries) const {
  std::vector<ListEntry*> left(entries.begin(), entries.end());
  if (lengths() == nullptr || entries.empty()) return left;
  const std::optional<ProbedObject> first = probe(*entries.front());
  if (!first || !size_with(*first, 1)) return left;
  Lengths frames(*lengths(), options());
  std::erase_if(left, [&](ListEntry* entry) {
    const std::optional<std::int64_t> count = frames.find(entry->key);
    if (!count) return false;
    entry->count = static_cast<std::uint32_t>(*count);
    entry->stored_bytes = *size_with(*first, *count);
    return true;
  });
  return left;
}

bool ListIndex::read_counts(std::span<ListEntry* const> all) {
  const std::vector<ListEntry*> unknown = take_lengths(all);
  return read_in_rounds(unknown,
                        [this](std::span<ListEntry* const> round) { return read_heads(round); });
}

// Returns whether all objects could be examined. Other objects have no samples.
bool ListIndex::read_heads(std::span<ListEntry* const> entries) const {
  const std::int64_t begin = entries.front()->offset;
  const std::string text = text_at(begin, entries.back()->offset + entries.back()->size - begin);
  std::vector<ListedObject> listed;
  std::vector<std::string> names;
  for (ListEntry* const entry : entries) {
    entry->count = 0;
    const auto at = static_cast<std::size_t>(entry->offset - begin);
    listed.push_back(parse_line(std::string_view(text).substr(at, entry->size)));
    names.push_back(source_name_of(listed.back()));
  }
  const auto sources = sources_.open_all(std::vector<std::string_view>(names.begin(), names.end()));
  std::vector<internal::FilePiece> pieces;
  std::vector<std::size_t> numbers;  // entry of each piece
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (sources[i] == nullptr) continue;
    const std::int64_t left = sources[i]->size() - listed[i].offset_bytes;
    if (left <= 0) continue;
    pieces.push_back({.source = sources[i].get(),
                      .offset_bytes = listed[i].offset_bytes,
                      .size_bytes = std::min(left, internal::kKaldiHeadSize)});
    numbers.push_back(i);
  }
  std::size_t good_count = 0;
  const auto take = [&](std::size_t piece, const std::byte* bytes) {
    const std::size_t i = numbers[piece];
    const std::span<const std::byte> head(bytes,
                                          static_cast<std::size_t>(pieces[piece].size_bytes));
    Probed probed = probe_listed(*sources[i], listed[i].offset_bytes, head, options());
    auto* const object = std::get_if<ProbedObject>(&probed);
    if (object == nullptr) return;
    entries[i]->stored_bytes = object->size_bytes;
    const auto part = part_of(*object, listed[i].rows, listed[i].cols);
    if (!std::holds_alternative<ObjectPart>(part)) return;
    take_part(*object, std::get<ObjectPart>(part), options().as);
    entries[i]->count = static_cast<std::uint32_t>(object->sample_count);
    ++good_count;
  };
  constexpr std::int64_t kHeadGapMax = std::int64_t{4} << 10;
  internal::read_pieces(pieces, options().read_size_bytes, take, kHeadGapMax);
  return good_count == entries.size();
}

}  // namespace sheaf::kaldi
