#include "format/kaldi/kaldi_audio.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_audio_range.h"
#include "format/kaldi/kaldi_line.h"
#include "format/kaldi/kaldi_sources.h"
#include "format/listed/list_scan.h"
#include "format/listed/source_bytes.h"
#include "format/named_file.h"
#include "format/recognition.h"

namespace sheaf::kaldi {
namespace {

constexpr std::int64_t kFirstBytes = 8;  // enough to recognise a recording

bool begins_recording_at(const ByteSource& source, std::int64_t offset_bytes, bool is_whole_file) {
  std::array<std::byte, kFirstBytes> head{};
  const std::int64_t size = std::clamp<std::int64_t>(source.size() - offset_bytes, 0, kFirstBytes);
  const auto bytes = std::span(head).first(static_cast<std::size_t>(size));
  internal::read_bytes(source, offset_bytes, bytes, kFirstBytes);
  return begins_recording(bytes, is_whole_file);
}

bool archive_has_recordings(const ByteSource& archive) {
  const std::string first = internal::first_bytes(archive);
  const EntryKey key = find_key(std::as_bytes(std::span(first)), false);
  if (key.fault != nullptr || key.key.empty()) return false;
  return begins_recording_at(archive, key.object_begin, false);
}

// Returns whether the first existing file among the first lines is a recording.
bool list_has_recordings(const OpenRequest& request) {
  constexpr int kLinesMax = 64;
  const ByteSource& list = *request.source;
  KaldiSources sources(request.context, internal::folder_of(list));
  std::optional<bool> has_recordings;
  int line_count = 0;
  const auto take = [&](const internal::ListEntry& entry, std::string_view /*path*/) {
    std::string line(entry.size, '\0');
    internal::read_bytes(list, entry.offset, std::as_writable_bytes(std::span(line)),
                         request.options.read_size_bytes);
    const ListedObject listed = parse_line(line);
    if (listed.fault == nullptr) {
      if (listed.decoder != Decoder::none) has_recordings = true;
      const auto source = has_recordings ? nullptr : sources.open(source_name_of(listed));
      if (source != nullptr) {
        has_recordings =
            begins_recording_at(*source, listed.offset_bytes, listed.offset_bytes == 0);
      }
    }
    return !has_recordings && ++line_count < kLinesMax;
  };
  KaldiLines lines;
  static_cast<void>(
      internal::ListScan(list, {.read_size_bytes = request.options.read_size_bytes}, lines, take)
          .run());
  return has_recordings.value_or(false);
}

AudioOptions options_of_recordings(const OpenRequest& request, ReadOptions common) {
  AudioOptions options = audio_options_of(request.options, std::move(common));
  if (!request.first_path.empty() && !options.segments_path.empty()) {
    throw ConfigError("kaldi.segments: segments go with one list or archive, not with several");
  }
  return options;
}

}  // namespace

bool holds_recordings(const OpenRequest& request, bool is_archive) {
  if (has_audio_options(request.options)) return true;
  return is_archive ? archive_has_recordings(*request.source) : list_has_recordings(request);
}

AudioDeserializer::AudioDeserializer(const OpenRequest& request, bool is_archive,
                                     ReadOptions common)
    : file_(request.source),
      options_(options_of_recordings(request, std::move(common))),
      entries_(audio_entries(file_, is_archive, options_, request.context)),
      index_(*entries_, options_, request.options.index, request.context) {}

std::string AudioDeserializer::fingerprint() const {
  const bool has_segments = entries_->file() != file_;
  return formatted("kaldi audio:{}:chunk={}:rate={}:int16={}{}{}", to_string(file_->fingerprint()),
                   options_.common.chunk_size_bytes, options_.rate.value_or(0),
                   options_.scale == internal::SampleScale::int16,
                   has_segments ? ":segments=" + to_string(entries_->file()->fingerprint()) : "",
                   options_.common.has_text_keys ? "" : ":keys=numeric");
}

// Parses the lines of the range again, because the index keeps hashes of keys and no paths.
Chunk AudioDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const auto lines = index_.lines(range.chunk);
  const SequenceTable& table = *lines->table;
  const ChunkInfo info = *index_.chunk(range.chunk);
  const std::int64_t end = std::min(range.first + range.count, table.size());
  std::vector<EntryLocation> locations;
  for (std::int64_t i = range.first; i < end; ++i) {
    locations.push_back({.offset_bytes = lines->offsets[i],
                         .line = info.first_line + table.first_line(i),
                         .object_bytes = table.location(i)->offset_bytes});
  }
  std::vector<Utterance> utterances =
      entries_->utterances(locations, end < table.size() ? lines->offsets[end] : lines->end_bytes);
  for (std::int64_t i = range.first; i < end; ++i) {
    const std::int64_t next = i + 1 < table.size() ? table.offset_bytes(i + 1) : info.size_bytes;
    utterances[static_cast<std::size_t>(i - range.first)].stored_bytes =
        next - table.offset_bytes(i);
  }
  return read_recordings(utterances,
                         {.entries = *entries_,
                          .index = index_,
                          .options = options_,
                          .table = table,
                          .first = range.first},
                         diagnostics);
}

}  // namespace sheaf::kaldi
