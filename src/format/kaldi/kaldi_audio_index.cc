#include "format/kaldi/kaldi_audio_index.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/sample_shape.h"

namespace sheaf::kaldi {
namespace {

constexpr std::size_t kHeadsTogether = 64;

OpenRules head_rules(std::int64_t read_size_bytes) {
  return {.object_bytes_max = 0,
          .read_size_bytes = read_size_bytes,
          .gap_max_bytes = std::int64_t{4} << 10};
}

EntryLocation location_of(const internal::ListEntry& entry) {
  return {.offset_bytes = entry.offset,
          .line = std::int64_t{entry.line} + 1,
          .object_bytes = entry.location};
}

std::string audio_identity(const AudioEntries& entries, const AudioOptions& options) {
  const ReadOptions& common = options.common;
  return formatted("kaldi audio 1:{}:chunk={}:channels={}:rate={}{}", entries.identity(),
                   common.chunk_size_bytes, options.channel_count.value_or(0),
                   options.rate.value_or(0), common.has_text_keys ? "" : ":keys=numeric");
}

}  // namespace

AudioIndex::AudioIndex(const AudioEntries& entries, const AudioOptions& options,
                       const IndexOptions& index, const Context& context)
    : ListedIndex({.list = entries.file(),
                   .index = index,
                   .context = context,
                   .identity = audio_identity(entries, options),
                   .errors = {.no_sequence = kNoSequence,
                              .repeated_key = kRepeatedKey,
                              .too_long = kTooLong,
                              .index_file = kIndexFile},
                   .chunk_size_bytes = options.common.chunk_size_bytes,
                   .read_size_bytes = options.common.read_size_bytes,
                   .has_text_keys = options.common.has_text_keys}),
      entries_(entries),
      options_(options) {
  build();
}

// Tries several utterances, because the first one may be wrong.
void AudioIndex::set_first_file(std::string_view /*line*/, std::int64_t /*line_number*/,
                                std::int64_t /*offset*/) {
  std::vector<EntryLocation> locations;
  std::int64_t end = 0;
  static_cast<void>(scan([&](const ListEntry& entry, std::string_view /*path*/) {
    locations.push_back(location_of(entry));
    end = entry.offset + entry.size;
    return locations.size() < kHeadsTogether;
  }));
  std::vector<Utterance> utterances = entries_.utterances(locations, end);
  AudioForm form{.channel_count = options_.channel_count.value_or(0),
                 .rate = options_.rate.value_or(0)};
  std::optional<Diagnostic> fault;
  const auto rules = head_rules(options_.common.read_size_bytes);
  for (Utterance& each : utterances) {
    if (form.channel_count > 0 && form.rate > 0) break;
    open_utterances({&each, 1}, entries_, rules, [&](std::size_t, const OpenedUtterance& opened) {
      const AudioForm found = form_of(each, opened.recording);
      if (found.channel_count > 0) {
        if (form.channel_count == 0) form.channel_count = found.channel_count;
        if (form.rate == 0) form.rate = found.rate;
      } else if (!fault) {
        fault =
            diagnostic_of(opened.source->name(), std::get<internal::RiffFault>(opened.recording));
      }
    });
    if (each.fault != nullptr && !fault) fault = diagnostic_of(each, entries_);
  }
  if (form.channel_count == 0 || form.rate == 0) {
    Diagnostic diagnostic = std::move(fault).value_or(Diagnostic{});
    diagnostic.hint =
        "none of the first recordings tells the channels and the rate; the shape of the stream and "
        "kaldi.rate do, too";
    throw DataError({std::move(diagnostic)});
  }
  rate_ = form.rate;
  const ReadOptions& common = options_.common;
  stream_ = {.name = common.name,
             .element_type = ElementType::f32,
             .sample_shape = common.shape.value_or(Shape{form.channel_count}),
             .defines_minibatch_size = common.defines_minibatch_size};
  internal::check_sample_shape(stream_.name, stream_.sample_shape, stream_.storage,
                               stream_.index_type);
}

std::int64_t AudioIndex::decoded_bytes(std::int64_t sample_count,
                                       std::int64_t /*stored_bytes*/) const {
  return internal::saturated_product(
      internal::saturated_product(sample_count, stream_.sample_shape.size()),
      std::int64_t{sizeof(float)});
}

std::vector<std::int64_t> AudioIndex::first_numbers() const {
  return {stream_.sample_shape.size(), rate_};
}

std::string AudioIndex::difference(std::span<const std::int64_t> numbers) const {
  return std::ranges::equal(numbers, first_numbers())
             ? ""
             : "made for recordings of other channels or another rate";
}

bool AudioIndex::read_counts(std::span<ListEntry* const> entries) {
  return read_in_rounds(entries,
                        [this](std::span<ListEntry* const> round) { return read_heads(round); });
}

// Returns whether all recordings are good. A wrong recording has no samples.
bool AudioIndex::read_heads(std::span<ListEntry* const> entries) const {
  std::vector<EntryLocation> locations;
  for (ListEntry* const entry : entries) {
    entry->count = 0;
    locations.push_back(location_of(*entry));
  }
  std::vector<Utterance> utterances =
      entries_.utterances(locations, entries.back()->offset + entries.back()->size);
  std::size_t good_count = 0;
  const auto take = [&](std::size_t number, const OpenedUtterance& opened) {
    const auto* const recording = std::get_if<Recording>(&opened.recording);
    if (recording == nullptr) return;
    const auto part = part_of(utterances[number], *recording);
    if (!std::holds_alternative<UtterancePart>(part)) return;
    const auto& found = std::get<UtterancePart>(part);
    ListEntry& entry = *entries[number];
    entry.count = static_cast<std::uint32_t>(found.samples.count);
    entry.stored_bytes =
        utterances[number].segment
            ? internal::saturated_product(found.samples.count, recording->bytes_per_sample)
            : recording->size_bytes;
    ++good_count;
  };
  open_utterances(utterances, entries_, head_rules(options_.common.read_size_bytes), take);
  return good_count == entries.size();
}

Diagnostic diagnostic_of(const Utterance& utterance, const AudioEntries& entries) {
  const auto begin = static_cast<std::int64_t>(utterance.fault_begin);
  Diagnostic diagnostic;
  diagnostic.path = entries.file()->name();
  diagnostic.code = utterance.fault->code;
  diagnostic.expected = utterance.fault->expected;
  diagnostic.found = utterance.found;
  if (utterance.entry_bytes >= 0) {  // an entry of an archive
    diagnostic.byte_offset = utterance.entry_bytes;
    return diagnostic;
  }
  diagnostic.line = utterance.line_number;
  diagnostic.column = begin + 1;
  diagnostic.byte_offset = utterance.line_bytes + begin;
  set_excerpt(diagnostic, utterance.line, begin, static_cast<std::int64_t>(utterance.fault_size));
  if (utterance.fault == &kCommand) {
    diagnostic.hint = "run the command once, write its output to a file, and list the file";
  }
  return diagnostic;
}

Diagnostic diagnostic_of(std::string_view source_name, const internal::RiffFault& fault) {
  Diagnostic diagnostic;
  diagnostic.path = source_name;
  diagnostic.byte_offset = fault.byte_offset;
  diagnostic.code = fault.kind->code;
  diagnostic.expected = fault.kind->expected;
  diagnostic.found = fault.found;
  return diagnostic;
}

}  // namespace sheaf::kaldi
