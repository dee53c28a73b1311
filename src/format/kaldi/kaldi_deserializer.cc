#include "format/kaldi/kaldi_deserializer.h"

#include <algorithm>
#include <utility>

#include "sheaf/extend/compressed.h"

#include "base/text.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_audio.h"
#include "format/kaldi/kaldi_lengths.h"
#include "format/kaldi/kaldi_line.h"
#include "format/kaldi/kaldi_range.h"
#include "format/kaldi/kaldi_transcript.h"
#include "format/listed/source_bytes.h"
#include "format/named_file.h"
#include "format/recognition.h"

namespace sheaf::kaldi {
namespace {

ReadOptions options_of(const OpenRequest& request) {
  const bool is_one_of_several = !request.first_path.empty();
  const std::string_view own =
      request.source->path().empty() ? request.source->name() : request.source->path();
  return read_options_of(request.options, is_one_of_several ? request.first_path : own,
                         is_one_of_several);
}

std::string fingerprint_of(const ByteSource& file, const ReadOptions& options) {
  return formatted("kaldi:{}:chunk={}:as={}{}", to_string(file.fingerprint()),
                   options.chunk_size_bytes, static_cast<int>(options.as),
                   options.has_text_keys ? "" : ":keys=numeric");
}

// Returns the bytes of a sequence in the imaginary source of the index.
std::int64_t stored_bytes(const SequenceTable& table, std::int64_t i, std::int64_t chunk_size) {
  const std::int64_t next = i + 1 < table.size() ? table.offset_bytes(i + 1) : chunk_size;
  return next - table.offset_bytes(i);
}

RangeParts parts_of(const ByteSource& file, const KaldiIndex& index, const ReadOptions& options,
                    const SequenceTable& table, const ChunkRange& range) {
  return {.list_name = file.name(),
          .stream = index.stream(),
          .options = options,
          .table = table,
          .first = range.first};
}

}  // namespace

bool begins_archive(std::string_view bytes) noexcept {
  const EntryKey key = find_key(std::as_bytes(std::span(bytes)), false);
  if (key.fault != nullptr || key.key.empty()) return false;
  std::string_view rest = bytes.substr(static_cast<std::size_t>(key.object_begin));
  constexpr std::string_view kMark("\0B", 2);
  if (rest.starts_with(kMark) || begins_recording(std::as_bytes(std::span(rest)), false)) {
    return true;
  }
  rest = rest.substr(0, rest.find('\n'));
  const std::size_t first = rest.find_first_not_of(" \t");
  if (first == std::string_view::npos) return true;  // an empty vector of integers
  if (rest[first] == '[' || rest.substr(first).starts_with("rows=")) return true;
  return rest.find_first_not_of("0123456789+-.eE; \t\r") == std::string_view::npos;
}

std::unique_ptr<Deserializer> open_kaldi(const OpenRequest& request) {
  const ReadOptions options = options_of(request);
  if (options.as == As::text) return std::make_unique<TextDeserializer>(request, options);
  const std::string_view name = name_without_compression(
      request.source->path().empty() ? request.source->name() : request.source->path());
  const bool is_archive =
      name.ends_with(".ark") ||
      (!name.ends_with(".scp") && begins_archive(internal::first_bytes(*request.source)));
  if (has_audio_options(request.options) ||
      (options.as == As::values && holds_recordings(request, is_archive))) {
    return std::make_unique<AudioDeserializer>(request, is_archive, options);
  }
  if (is_archive) return std::make_unique<ArchiveDeserializer>(request);
  return std::make_unique<ListDeserializer>(request);
}

ArchiveDeserializer::ArchiveDeserializer(const OpenRequest& request)
    : archive_(request.source),
      options_(options_of(request)),
      index_({.file = archive_,
              .options = &options_,
              .index = request.options.index,
              .context = request.context}) {}

std::string ArchiveDeserializer::fingerprint() const { return fingerprint_of(*archive_, options_); }

Chunk ArchiveDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const auto lines = index_.lines(range.chunk);
  const SequenceTable& table = *lines->table;
  const std::int64_t end = std::min(range.first + range.count, table.size());
  const std::int64_t chunk_size = index_.chunk(range.chunk)->size_bytes;
  std::vector<WantedObject> objects;
  for (std::int64_t i = range.first; i < end; ++i) {
    objects.push_back({.source = archive_,
                       .entry_begin = lines->offsets[i],
                       .begin = table.location(i)->offset_bytes,
                       .stored_bytes = stored_bytes(table, i, chunk_size),
                       .sample_count = table.sample_count(i)});
  }
  return read_objects(objects, parts_of(*archive_, index_, options_, table, range), diagnostics);
}

void ArchiveDeserializer::visit_named_files(
    const std::function<void(const std::string& path)>& visit) const {
  if (!archive_->path().empty()) visit(std::string(archive_->path()));
}

ListDeserializer::ListDeserializer(const OpenRequest& request)
    : list_(request.source),
      options_(options_of(request)),
      lengths_(open_lengths(*list_, options_, request.context)),
      sources_(request.context, internal::folder_of(*list_)),
      index_({.file = list_,
              .options = &options_,
              .index = request.options.index,
              .context = request.context,
              .lengths = lengths_},
             sources_) {}

std::string ListDeserializer::fingerprint() const {
  return fingerprint_of(*list_, options_) + lengths_text(lengths_.get());
}

// Parses the lines of the range again, because the index keeps hashes of keys and no paths.
Chunk ListDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const auto lines = index_.lines(range.chunk);
  const SequenceTable& table = *lines->table;
  const ChunkInfo info = *index_.chunk(range.chunk);
  const std::int64_t end = std::min(range.first + range.count, table.size());
  const std::int64_t begin = lines->offsets[range.first];
  const std::int64_t text_end = end < table.size() ? lines->offsets[end] : lines->end_bytes;
  std::string text(static_cast<std::size_t>(text_end - begin), '\0');
  internal::read_bytes(*list_, begin, std::as_writable_bytes(std::span(text)),
                       options_.read_size_bytes);
  std::vector<WantedObject> objects;
  std::vector<std::string> names;
  for (std::int64_t i = range.first; i < end; ++i) {
    const auto at = static_cast<std::size_t>(lines->offsets[i] - begin);
    const std::string_view line = std::string_view(text).substr(at, text.find('\n', at) - at);
    const ListedObject listed = parse_line(line);
    WantedObject& wanted = objects.emplace_back();
    wanted.key = listed.key;
    wanted.begin = listed.offset_bytes;
    wanted.stored_bytes = stored_bytes(table, i, info.size_bytes);
    wanted.sample_count = table.sample_count(i);
    wanted.rows = listed.rows;
    wanted.cols = listed.cols;
    wanted.line = {.text = line,
                   .number = info.first_line + table.first_line(i),
                   .offset_bytes = lines->offsets[i],
                   .listed = listed};
    names.push_back(listed.fault == nullptr ? source_name_of(listed) : "");
  }
  const auto sources = sources_.open_all(std::vector<std::string_view>(names.begin(), names.end()));
  for (std::size_t i = 0; i < objects.size(); ++i) objects[i].source = sources[i];
  RangeParts parts = parts_of(*list_, index_, options_, table, range);
  if (lengths_ != nullptr) parts.lengths_name = lengths_->name();
  return read_objects(objects, parts, diagnostics);
}

void ListDeserializer::visit_named_files(
    const std::function<void(const std::string& path)>& visit) const {
  index_.visit_paths([&](std::string_view name) { visit(sources_.path_of(name)); });
  if (lengths_ != nullptr) visit(std::string(lengths_->path()));
}

}  // namespace sheaf::kaldi
