#include "format/htk/htk_index.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/htk/htk_lines.h"
#include "format/listed/list_scan.h"

namespace sheaf::htk {
namespace {

using internal::location_in_list;
using internal::saturated_product;
using internal::saturated_sum;

constexpr std::int64_t kValueSize = 4;
}  // namespace

HtkIndex::HtkIndex(Parts parts) : ListedIndex(list_parts(parts)), parts_(std::move(parts)) {
  check_is_list();
  build();
}

internal::ListedIndex::ListParts HtkIndex::list_parts(const Parts& parts) {
  const ReadOptions& options = *parts.options;
  return {.list = parts.list,
          .index = parts.index,
          .context = parts.context,
          .identity =
              formatted("htk 1:chunk={}:max={}:prefix={}:last={}:type={}:dim={}{}",
                        options.chunk_size_bytes, options.frames_max.value_or(0), options.prefix,
                        options.allows_last_minus_1 ? 1 : 0, to_string(options.stream),
                        options.dim.value_or(0), options.has_text_keys ? "" : ":keys=numeric"),
          .errors = {.no_sequence = kNoUtterance,
                     .repeated_key = kRepeatedKey,
                     .too_long = kTooLong,
                     .index_file = kIndexFile},
          .chunk_size_bytes = options.chunk_size_bytes,
          .read_size_bytes = options.read_size_bytes,
          .samples_max = options.frames_max,
          .has_text_keys = options.has_text_keys,
          .text_growth = std::ssize(parts.rules.prefix) + std::ssize(parts.rules.folder)};
}

void HtkIndex::check_is_list() const {
  const std::string head = text_at(0, std::min(parts_.list->size(), kRecognizedBytes));
  const std::size_t zero = head.find('\0');
  if (zero == std::string::npos) return;
  Diagnostic diagnostic =
      location_in_list(*parts_.list, kNoList, 0, static_cast<std::int64_t>(zero));
  diagnostic.found = "a byte of value 0";
  diagnostic.hint = "an HTK file is read through a list that names it";
  throw DataError({std::move(diagnostic)});
}

// Opens the file of the first utterance. It tells the dim, and other files must resemble it.
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
  if (file != nullptr) {  // the file exists, so its header is wrong
    const HeaderFault& fault = std::get<HeaderFault>(file->contents);
    Diagnostic diagnostic = location_in_list(*file->source, *fault.kind, 0, fault.byte_offset);
    diagnostic.found = fault.found;
    throw DataError({std::move(diagnostic)});
  }
  const std::size_t begin = is_good ? parsed.path_begin : parsed.fault_begin;
  const std::size_t size = is_good ? parsed.path_size : parsed.fault_size;
  Diagnostic diagnostic = location_in_list(*parts_.list, is_good ? kMissingFile : *parsed.fault,
                                           line_number, offset + static_cast<std::int64_t>(begin));
  diagnostic.column = static_cast<std::int64_t>(begin) + 1;
  diagnostic.found = quoted(is_good ? parsed.path : line.substr(begin, size));
  diagnostic.hint = "the first file of the list tells the dim of the stream";
  set_excerpt(diagnostic, line, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(size));
  throw DataError({std::move(diagnostic)});
}

bool HtkIndex::scan(const TakeEntry& take) const {
  const internal::ListScanRules rules{.has_text_keys = parts_.options->has_text_keys,
                                      .numeric_key = &kNumericKey,
                                      .read_size_bytes = parts_.options->read_size_bytes};
  HtkLines lines(parts_.rules);
  return internal::ListScan(list(), rules, lines, take).run();
}

bool HtkIndex::read_counts(std::span<ListEntry* const> entries) {
  return read_in_rounds(entries,
                        [this](std::span<ListEntry* const> round) { return read_headers(round); });
}

// Returns whether all headers could be read.
bool HtkIndex::read_headers(std::span<ListEntry* const> entries) const {
  std::vector<std::string> paths;
  for (const ListEntry* const entry : entries) {
    paths.push_back(path_of(text_at(entry->offset, entry->size)));
  }
  const std::vector<std::string_view> views(paths.begin(), paths.end());
  const auto files = parts_.files->open_all(views);
  bool has_all = true;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Header* const header = files[i] == nullptr ? nullptr : files[i]->header();
    has_all &= header != nullptr;
    const std::int64_t count = header == nullptr ? 0 : header->frame_count - entries[i]->location;
    entries[i]->count = static_cast<std::uint32_t>(std::max<std::int64_t>(0, count));
  }
  return has_all;
}

std::int64_t HtkIndex::stored_bytes(const ListEntry& entry) const {
  return saturated_product(std::int64_t{entry.count} * dim_, kValueSize);
}

std::int64_t HtkIndex::location_bytes(const ListEntry& entry) const {
  return kHeaderSize + entry.location * dim_ * kValueSize;
}

std::int64_t HtkIndex::decoded_bytes(std::int64_t frame_count,
                                     std::int64_t /*stored_bytes*/) const {
  const Stream& stream = parts_.options->stream;
  const std::int64_t value_size = element_size(stream.element_type);
  const std::int64_t size = saturated_product(saturated_product(frame_count, dim_), value_size);
  if (stream.storage != Storage::sparse) return size;
  const std::int64_t more = element_size(stream.index_type) + std::int64_t{sizeof frame_count};
  return saturated_sum(size, saturated_product(frame_count + 1, more));
}

std::string HtkIndex::path_of(std::string_view line) const {
  std::string scratch;
  return std::string(parse_list_line(line, parts_.rules, scratch).path);
}

std::string HtkIndex::difference(std::span<const std::int64_t> numbers) const {
  if (numbers.size() != 1) return "its notes make no sense";
  if (numbers[0] == dim_) return "";
  return formatted("made for files of dim {}, not {}", numbers[0], dim_);
}

}  // namespace sheaf::htk
