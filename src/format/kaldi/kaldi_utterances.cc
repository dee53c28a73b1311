#include "format/kaldi/kaldi_utterances.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/text.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_audio_errors.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/kaldi/kaldi_sources.h"
#include "format/listed/file_pieces.h"

namespace sheaf::kaldi {
namespace {

using internal::RiffFault;

// Returns whether two utterances are parts of the same recording.
bool share_recording(const Utterance& a, const Utterance& b) {
  return a.segment && b.segment && a.source_name == b.source_name &&
         a.location.begin_bytes == b.location.begin_bytes &&
         a.location.decoder == b.location.decoder && a.location.channel == b.location.channel;
}

// Returns the path in the name of a source.
std::string_view path_of_name(std::string_view name) {
  if (name.starts_with(KaldiSources::kDecompressed)) name.remove_prefix(1);
  return name;
}

// Checks the source of a recording. Sets a fault and returns false if the recording cannot be
// examined.
bool check_source(Utterance& utterance, const ByteSource* source) {
  if (utterance.fault != nullptr) return false;
  const auto fail = [&](const ErrorKind& kind, std::string found) {
    utterance.set_fault(kind, utterance.path_begin, utterance.path_size, std::move(found));
    return false;
  };
  if (source == nullptr) {
    return fail(kMissingFile, quoted(path_of_name(utterance.source_name)));
  }
  const std::int64_t begin = utterance.location.begin_bytes;
  if (begin < source->size() || utterance.entry_bytes >= 0) return true;
  return fail(kOffset,
              formatted("{}, where {} has {} bytes", begin, source->name(), source->size()));
}

// Returns whether the decoded values depend on earlier reads of the decoder.
bool depends_on_reads(const OpenedRecording& opened) {
  const auto* const recording = std::get_if<Recording>(&opened);
  if (recording == nullptr || recording->sound == nullptr) return false;
  const internal::SoundCoding coding = recording->sound->audio().coding;
  return coding == internal::SoundCoding::ogg || coding == internal::SoundCoding::mp3;
}

// Takes the key before an entry. Sets a fault if there is none.
bool take_key(Utterance& utterance, std::span<const std::byte> bytes) {
  const auto key_size =
      static_cast<std::size_t>(utterance.location.begin_bytes - utterance.entry_bytes);
  if (key_size == 0) {
    EntryKey found = find_key(bytes, true);
    if (found.fault == nullptr) found.found = "other bytes than when the data were indexed";
    utterance.set_fault(kEntryKey, 0, 0, std::move(found.found));
    return false;
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), key_size);
  utterance.key = text.substr(0, text.find_last_not_of(" \t") + 1);
  return true;
}

}  // namespace

void open_utterances(
    std::span<Utterance> utterances, const AudioEntries& entries, const OpenRules& rules,
    const std::function<void(std::size_t number, const OpenedUtterance& opened)>& take) {
  struct Group {
    std::size_t first = 0;
    std::size_t end = 0;
  };
  const auto sources = entries.open(utterances);
  std::vector<Group> groups;
  std::vector<internal::FilePiece> pieces;
  for (std::size_t i = 0; i < utterances.size(); ++i) {
    Utterance& each = utterances[i];
    if (!check_source(each, sources[i].get())) continue;
    if (!groups.empty() && groups.back().end == i &&
        share_recording(each, utterances[groups.back().first])) {
      groups.back().end = i + 1;
      continue;
    }
    const std::int64_t object = each.location.begin_bytes;
    const std::int64_t begin = each.entry_bytes >= 0 ? each.entry_bytes : object;
    // For segments, and for files that a command decodes, only the head is needed.
    const bool is_whole = !each.segment && each.location.decoder == Decoder::none;
    std::int64_t wanted = is_whole ? std::min(each.stored_bytes, rules.object_bytes_max) : 0;
    wanted = std::max(wanted, internal::kRiffHeadBytes);
    if (each.entry_bytes == object) wanted = kEntryKeyMax + 1;  // there is no object
    const std::int64_t end = std::min(sources[i]->size(), object + wanted);
    groups.push_back({.first = i, .end = i + 1});
    pieces.push_back(
        {.source = sources[i].get(), .offset_bytes = begin, .size_bytes = end - begin});
  }
  const auto take_piece = [&](std::size_t piece, const std::byte* bytes) {
    const auto [first, end] = groups[piece];
    std::span<const std::byte> all(bytes, static_cast<std::size_t>(pieces[piece].size_bytes));
    Utterance& utterance = utterances[first];
    if (utterance.entry_bytes >= 0) {
      if (!take_key(utterance, all)) return;
      all = all.subspan(
          static_cast<std::size_t>(utterance.location.begin_bytes - utterance.entry_bytes));
    }
    OpenedRecording opened = open_recording(*sources[first], utterance.location, all);
    for (std::size_t i = first; i < end; ++i) {
      if (i > first && rules.reads_samples && depends_on_reads(opened)) {
        opened = open_recording(*sources[first], utterance.location, all);
      }
      take(i, {.source = sources[i],
               .begin_bytes = utterance.location.begin_bytes,
               .bytes = all,
               .recording = opened});
    }
  };
  internal::read_pieces(pieces, rules.read_size_bytes, take_piece, rules.gap_max_bytes);
}

std::variant<UtterancePart, RiffFault> part_of(Utterance& utterance, const Recording& recording) {
  constexpr std::int64_t kSamplesMax = (std::int64_t{1} << 31) - 1;
  const auto fail = [&](const ErrorKind& kind, std::string found) {
    return RiffFault{
        .kind = &kind, .byte_offset = utterance.location.begin_bytes, .found = std::move(found)};
  };
  if (recording.sample_count == 0) return fail(kNoSamples, "none");
  UtterancePart part{.samples = {.first = 0, .count = recording.sample_count},
                     .channel_count = recording.channel_count};
  if (utterance.location.channel > 0) {
    part.channel = utterance.location.channel - 1;
    part.channel_count = 1;
  }
  const auto fail_in_line = [&](const ErrorKind& kind, SegmentLine::Part SegmentLine::*which,
                                const std::string& found) {
    const SegmentLine::Part location = parse_segment(utterance.line).*which;
    utterance.set_fault(kind, location.begin, location.size, found);
    return fail(kind, found);
  };
  if (utterance.segment) {
    const auto samples = samples_of(*utterance.segment, recording.rate, recording.sample_count);
    if (const auto* const fault = std::get_if<SegmentFault>(&samples)) {
      return fail_in_line(*fault->kind, fault->part, fault->found);
    }
    part.samples = std::get<SampleRange>(samples);
    if (utterance.segment->channel != Segment::kAllChannels) {
      if (utterance.segment->channel >= part.channel_count) {
        return fail_in_line(kSegmentChannel, &SegmentLine::channel_part,
                            formatted("{}, where the recording has {}", utterance.segment->channel,
                                      part.channel_count));
      }
      if (part.channel_count > 1) part.channel = utterance.segment->channel;
      part.channel_count = 1;
    }
  }
  if (part.samples.count > kSamplesMax) {
    return fail(kTooLong, formatted("{} samples", part.samples.count));
  }
  return part;
}

AudioForm form_of(const Utterance& utterance, const OpenedRecording& opened) noexcept {
  AudioForm form = std::visit(
      [](const auto& known) {
        return AudioForm{.channel_count = known.channel_count, .rate = known.rate};
      },
      opened);
  const bool has_one = utterance.location.channel > 0 ||
                       (utterance.segment && utterance.segment->channel != Segment::kAllChannels);
  if (form.channel_count > 0 && has_one) form.channel_count = 1;
  return form;
}

}  // namespace sheaf::kaldi
