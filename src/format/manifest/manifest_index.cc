#include "format/manifest/manifest_index.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/listed/list_scan.h"

namespace sheaf::manifest {
namespace {

using internal::saturated_product;
using internal::saturated_sum;

// The memory of a text besides its bytes: offsets of the sample and of the sequence, an extent, and
// its presence.
constexpr std::int64_t kTextBytes = 3 * std::int64_t{sizeof(std::int64_t)} + 1;

// Returns everything that the index depends on besides the manifest.
std::string identity_of(const ReadOptions& options) {
  std::string text =
      formatted("manifest 1:chunk={}:kind={}:samples={}:key={}", options.chunk_size_bytes,
                static_cast<int>(options.rules.kind), static_cast<int>(options.rules.samples),
                quoted(options.rules.key_field, std::ssize(options.rules.key_field)));
  for (const std::string& field : options.rules.text_fields) {
    text += formatted(":text={}", quoted(field, std::ssize(field)));
  }
  text += formatted(":allow={}:dim={}:rate={}:counts={}", options.rules.allows_missing_texts,
                    options.dim.value_or(0), options.rate.value_or(0), options.sample_count(2));
  return options.has_text_keys ? text : text + ":keys=numeric";
}

}  // namespace

ManifestIndex::ManifestIndex(const Parts& parts, ManifestFiles& files)
    : ListedIndex({.list = parts.manifest,
                   .index = parts.index,
                   .context = parts.context,
                   .identity = identity_of(*parts.options),
                   .errors = {.no_sequence = kNoSequence,
                              .repeated_key = kRepeatedKey,
                              .too_long = kTooLong,
                              .index_file = kIndexFile},
                   .chunk_size_bytes = parts.options->chunk_size_bytes,
                   .read_size_bytes = parts.options->read_size_bytes,
                   .has_text_keys = parts.options->has_text_keys}),
      parts_(parts),
      files_(files) {
  build();
}

bool ManifestIndex::scan(const TakeEntry& take) const {
  ManifestLines lines(parts_.options->rules);
  return internal::ListScan(list(),
                            {.has_text_keys = parts_.options->has_text_keys,
                             .numeric_key = &kNumericKey,
                             .read_size_bytes = parts_.options->read_size_bytes},
                            lines, take)
      .run();
}

void ManifestIndex::set_first_file(std::string_view line, std::int64_t line_number,
                                   std::int64_t offset) {
  const ReadOptions& options = *parts_.options;
  if (!options.sample_stream) return;
  dim_ = options.dim.value_or(0);
  rate_ = options.rate.value_or(0);
  const bool is_audio = options.rules.samples == Samples::audio;
  if (options.dim && (options.rate || !is_audio)) return;
  const auto refuse = [&](const ErrorKind& kind, LineRange at, std::string found) {
    Diagnostic diagnostic = internal::location_in_list(
        list(), kind, line_number, offset + static_cast<std::int64_t>(at.begin));
    diagnostic.column = static_cast<std::int64_t>(at.begin) + 1;
    diagnostic.found = std::move(found);
    diagnostic.hint = is_audio ? "the first line tells the channels and the sample rate"
                               : "the first line tells the dim";
    set_excerpt(diagnostic, line, static_cast<std::int64_t>(at.begin),
                static_cast<std::int64_t>(at.size));
    throw DataError({std::move(diagnostic)});
  };
  const ManifestLine parsed = parse_line(line, options.rules, false);
  if (parsed.fault) refuse(*parsed.fault->kind, parsed.fault->location, parsed.fault->found);
  const std::string name = name_of(parsed);
  const std::string_view only = name;
  const auto file = files_.open_all({&only, 1}).front();
  if (file == nullptr) refuse(kMissingFile, parsed.path_location, quoted(parsed.path));
  if (const auto* const fault = std::get_if<FileFault>(&file->contents)) {
    refuse(*fault->kind, parsed.path_location,
           formatted("{} at byte {} of {}", fault->found, fault->byte_offset, parsed.path));
  }
  if (!options.dim) dim_ = dim_of(parsed, file->contents);
  if (!options.rate) rate_ = manifest::rate_of(file->contents);
}

bool ManifestIndex::read_counts(std::span<ListEntry* const> entries) {
  return read_in_rounds(entries,
                        [this](std::span<ListEntry* const> round) { return read_heads(round); });
}

// Returns whether all files have the samples that their lines name. Other sequences have no
// samples.
bool ManifestIndex::read_heads(std::span<ListEntry* const> entries) const {
  const std::int64_t begin = entries.front()->offset;
  const std::string text = text_at(begin, entries.back()->offset + entries.back()->size - begin);
  std::vector<ManifestLine> lines;
  std::vector<std::string> names;
  for (ListEntry* const entry : entries) {
    entry->count = 0;
    const auto at = static_cast<std::size_t>(entry->offset - begin);
    const std::string_view line = std::string_view(text).substr(at, entry->size);
    lines.push_back(parse_line(line, parts_.options->rules, false));
  }
  names.reserve(lines.size());
  for (const ManifestLine& line : lines) names.push_back(name_of(line));
  const ManifestFiles::Files files =
      files_.open_all(std::vector<std::string_view>(names.begin(), names.end()));
  bool has_all = true;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool is_good = files[i] != nullptr && !lines[i].fault &&
                         !std::holds_alternative<FileFault>(files[i]->contents);
    const auto part = is_good ? find_part(lines[i], files[i]->contents) : PartFault{};
    const auto* const found = std::get_if<FilePart>(&part);
    has_all = has_all && found != nullptr;
    if (found == nullptr) continue;
    entries[i]->location = found->offset_bytes;
    entries[i]->stored_bytes = found->size_bytes();
    entries[i]->count = static_cast<std::uint32_t>(parts_.options->sample_count(found->count));
  }
  return has_all;
}

std::int64_t ManifestIndex::stored_bytes(const ListEntry& entry) const {
  const std::int64_t texts = std::ssize(parts_.options->text_streams) * kTextBytes;
  return saturated_sum(entry.stored_bytes, std::int64_t{entry.size} + texts);
}

// Returns an upper bound. A text is no longer than its line, and a float has at least one byte in
// its file.
std::int64_t ManifestIndex::decoded_bytes(std::int64_t sample_count,
                                          std::int64_t stored_bytes) const {
  const ReadOptions& options = *parts_.options;
  std::int64_t size =
      saturated_product(std::ssize(options.text_streams), stored_bytes + kTextBytes);
  if (!options.sample_stream) return size;
  const bool counts_samples = options.sample_count(2) == 2;
  return saturated_sum(size, counts_samples ? saturated_product(sample_count, dim_ * kValueSize)
                                            : saturated_product(stored_bytes, kValueSize));
}

std::string ManifestIndex::path_of(std::string_view line) const {
  return parse_line(line, parts_.options->rules, false).path;
}

std::string ManifestIndex::difference(std::span<const std::int64_t> numbers) const {
  if (std::ranges::equal(numbers, first_numbers())) return "";
  return "made for files of another dim or sample rate";
}

}  // namespace sheaf::manifest
