#include "format/kaldi/kaldi_audio_entries.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "format/kaldi/kaldi_archive.h"
#include "format/kaldi/kaldi_audio_errors.h"
#include "format/kaldi/kaldi_data_errors.h"
#include "format/listed/list_scan.h"
#include "format/listed/source_bytes.h"
#include "format/named_file.h"

namespace sheaf::kaldi {
namespace {

internal::ListScanRules scan_rules(bool has_text_keys, std::int64_t read_size_bytes) {
  return {.has_text_keys = has_text_keys,
          .numeric_key = &kNumericKey,
          .read_size_bytes = read_size_bytes};
}

/// The lines of some utterances in a file.
class LinesOf {
 public:
  LinesOf(const ByteSource& file, std::span<const EntryLocation> locations, std::int64_t end_bytes,
          std::int64_t read_size_bytes)
      : begin_(locations.front().offset_bytes),
        text_(static_cast<std::size_t>(end_bytes - begin_), '\0') {
    internal::read_bytes(file, begin_, std::as_writable_bytes(std::span(text_)), read_size_bytes);
  }

  [[nodiscard]] std::string_view at(const EntryLocation& location) const {
    const std::string_view rest =
        std::string_view(text_).substr(static_cast<std::size_t>(location.offset_bytes - begin_));
    return rest.substr(0, rest.find('\n'));
  }

 private:
  std::int64_t begin_;
  std::string text_;
};

/// The entries of an archive.
class ArchiveEntries final : public AudioEntries {
 public:
  ArchiveEntries(std::shared_ptr<const ByteSource> archive, const ReadOptions& options)
      : AudioEntries(std::move(archive)), options_(options) {}

  [[nodiscard]] bool scan(const TakeEntry& take) const override {
    return scan_entries(*file(), options_, [&](internal::ListEntry entry) {
      // The head of a recording tells its number of samples.
      if (entry.is_good) entry.count = internal::ListEntry::kUnknownCount;
      return take(entry, file()->name());
    });
  }

  [[nodiscard]] std::vector<Utterance> utterances(std::span<const EntryLocation> locations,
                                                  std::int64_t /*end_bytes*/) const override {
    std::vector<Utterance> found(locations.size());
    for (std::size_t i = 0; i < locations.size(); ++i) {
      found[i].entry_bytes = locations[i].offset_bytes;
      found[i].location.begin_bytes = locations[i].object_bytes;
    }
    return found;
  }

  [[nodiscard]] std::vector<std::shared_ptr<const ByteSource>> open(
      std::span<const Utterance> utterances) const override {
    return std::vector(utterances.size(), file());
  }

  [[nodiscard]] std::string path_of(std::string_view /*line*/) const override {
    return std::string(file()->name());
  }
  void visit_files(const std::function<void(const std::string& path)>& visit) const override {
    if (!file()->path().empty()) visit(std::string(file()->path()));
  }
  [[nodiscard]] std::string identity() const override { return "archive"; }

 private:
  const ReadOptions options_;
};

/// The lines of a list.
class ListEntries final : public AudioEntries {
 public:
  ListEntries(std::shared_ptr<const ByteSource> list, const ReadOptions& options,
              const Context& context)
      : AudioEntries(std::move(list)),
        options_(options),
        sources_(context, internal::folder_of(*file())) {}

  [[nodiscard]] bool scan(const TakeEntry& take) const override {
    KaldiLines lines;
    return internal::ListScan(*file(), scan_rules(options_.has_text_keys, options_.read_size_bytes),
                              lines, take)
        .run();
  }

  [[nodiscard]] std::vector<Utterance> utterances(std::span<const EntryLocation> locations,
                                                  std::int64_t end_bytes) const override {
    std::vector<Utterance> found;
    if (locations.empty()) return found;
    const LinesOf lines(*file(), locations, end_bytes, options_.read_size_bytes);
    for (const EntryLocation& location : locations)
      found.push_back(utterance_of(location, lines.at(location)));
    return found;
  }

  [[nodiscard]] std::vector<std::shared_ptr<const ByteSource>> open(
      std::span<const Utterance> utterances) const override {
    std::vector<std::string_view> names;
    for (const Utterance& each : utterances) {
      names.push_back(each.fault == nullptr ? std::string_view(each.source_name) : "");
    }
    return sources_.open_all(names);
  }

  [[nodiscard]] std::string path_of(std::string_view line) const override {
    return std::string(parse_line(line).path);
  }

  void visit_files(const std::function<void(const std::string& path)>& visit) const override {
    std::string before;
    static_cast<void>(scan([&](const internal::ListEntry& entry, std::string_view path) {
      if (entry.is_good && path != before) visit(sources_.path_of(path));
      before = path;
      return true;
    }));
  }

  [[nodiscard]] std::string identity() const override { return "list"; }

 private:
  static Utterance utterance_of(const EntryLocation& location, std::string_view line) {
    const ListedObject listed = parse_line(line);
    Utterance found{.key = std::string(listed.key),
                    .line = std::string(line),
                    .line_number = location.line,
                    .line_bytes = location.offset_bytes};
    found.path_begin = listed.path_begin;
    found.path_size = listed.path_size;
    if (listed.fault != nullptr) {
      found.set_fault(*listed.fault, listed.fault_begin, listed.fault_size,
                      quoted(line.substr(listed.fault_begin, listed.fault_size)));
      return found;
    }
    if (listed.rows || listed.cols) {
      found.set_fault(kAudioRange, listed.range_begin, listed.range_size,
                      quoted(line.substr(listed.range_begin, listed.range_size)));
      return found;
    }
    found.source_name = source_name_of(listed);
    found.location = {.begin_bytes = listed.offset_bytes,
                      .is_whole_file = listed.offset_bytes == 0,
                      .decoder = listed.decoder,
                      .channel = listed.channel};
    return found;
  }

  const ReadOptions options_;
  mutable KaldiSources sources_;
};

/// Parses lines of a segments file for internal::ListScan.
class SegmentLines {
 public:
  using ScannedLine = internal::ScannedLine;

  [[nodiscard]] static bool has_plain() { return false; }
  [[nodiscard]] static ScannedLine parse_plain(const char* /*line*/) { return {}; }
  [[nodiscard]] static bool is_blank(std::string_view line) noexcept {
    return KaldiLines::is_blank(line);
  }
  [[nodiscard]] static ScannedLine parse(std::string_view line) {
    const SegmentLine segment = parse_segment(line);
    ScannedLine scanned{.key = segment.key, .path = segment.recording};
    scanned.is_good = segment.fault == nullptr;
    if (!scanned.is_good) scanned.count = 0;
    return scanned;
  }
};

/// The lines of a segments file.
class SegmentEntries final : public AudioEntries {
 public:
  SegmentEntries(std::shared_ptr<const ByteSource> segments,
                 std::unique_ptr<AudioEntries> recordings, const ReadOptions& options)
      : AudioEntries(std::move(segments)), options_(options), recordings_(std::move(recordings)) {
    static_cast<void>(recordings_->scan([&](const internal::ListEntry& entry, std::string_view) {
      table_.push_back({.key = entry.key,
                        .location = {.offset_bytes = entry.offset,
                                     .line = std::int64_t{entry.line} + 1,
                                     .object_bytes = entry.location},
                        .size = entry.size});
      return true;
    }));
    std::ranges::stable_sort(table_, {}, &Known::key);
  }

  [[nodiscard]] bool scan(const TakeEntry& take) const override {
    SegmentLines lines;
    return internal::ListScan(*file(), scan_rules(options_.has_text_keys, options_.read_size_bytes),
                              lines, take)
        .run();
  }

  [[nodiscard]] std::vector<Utterance> utterances(std::span<const EntryLocation> locations,
                                                  std::int64_t end_bytes) const override {
    std::vector<Utterance> found;
    if (locations.empty()) return found;
    const LinesOf lines(*file(), locations, end_bytes, options_.read_size_bytes);
    std::string last;  // the last recording
    Utterance recording;
    for (const EntryLocation& location : locations) {
      const std::string_view line = lines.at(location);
      const SegmentLine segment = parse_segment(line);
      if (segment.fault == nullptr && (found.empty() || segment.recording != last)) {
        recording = recording_of(segment.recording);
        last = segment.recording;
      }
      found.push_back(utterance_of(location, line, segment, recording));
    }
    return found;
  }

  [[nodiscard]] std::vector<std::shared_ptr<const ByteSource>> open(
      std::span<const Utterance> utterances) const override {
    return recordings_->open(utterances);
  }

  [[nodiscard]] std::string path_of(std::string_view line) const override {
    const SegmentLine segment = parse_segment(line);
    return segment.fault == nullptr ? std::string(segment.recording) : std::string();
  }

  void visit_files(const std::function<void(const std::string& path)>& visit) const override {
    if (!file()->path().empty()) visit(std::string(file()->path()));
    recordings_->visit_files(visit);
  }

  [[nodiscard]] std::string identity() const override {
    return formatted("segments of {} {}", recordings_->identity(),
                     to_string(recordings_->file()->fingerprint()));
  }

 private:
  struct Known {
    SequenceKey key;
    EntryLocation location;
    std::uint32_t size = 0;  // bytes of the line
  };

  // Returns an utterance for the whole recording.
  [[nodiscard]] Utterance recording_of(std::string_view name) const {
    const SequenceKey key = key_of_text(name);
    const auto first = std::ranges::lower_bound(table_, key, {}, &Known::key);
    const auto last = std::ranges::upper_bound(table_, key, {}, &Known::key);
    if (last - first == 1) {
      const Known& known = *first;
      Utterance found =
          std::move(recordings_
                        ->utterances({&known.location, 1},
                                     known.location.offset_bytes + std::int64_t{known.size})
                        .front());
      if (found.fault != nullptr) {
        found.found = formatted("{}, whose line {} of {} has {}", quoted(name), found.line_number,
                                recordings_->file()->name(), found.found);
      }
      found.entry_bytes = -1;
      return found;
    }
    Utterance none;
    none.set_fault(
        kSegmentRecording, 0, 0,
        formatted("{}, which is {} {}", quoted(name),
                  first == last ? "not in" : "more than once in", recordings_->file()->name()));
    return none;
  }

  static Utterance utterance_of(const EntryLocation& location, std::string_view line,
                                const SegmentLine& segment, const Utterance& recording) {
    Utterance found;
    if (segment.fault == nullptr) found = recording;
    found.key = segment.key;
    found.line = line;
    found.line_number = location.line;
    found.line_bytes = location.offset_bytes;
    found.segment = segment.segment;
    found.path_begin = found.fault_begin = segment.recording_part.begin;
    found.path_size = found.fault_size = segment.recording_part.size;
    if (segment.fault != nullptr) {
      const SegmentLine::Part& part = segment.fault_part;
      found.set_fault(*segment.fault, part.begin, part.size,
                      quoted(line.substr(part.begin, part.size)));
    }
    return found;
  }

  const ReadOptions options_;
  const std::unique_ptr<AudioEntries> recordings_;
  std::vector<Known> table_;  // sorted by key
};

}  // namespace

void Utterance::set_fault(const internal::ErrorKind& kind, std::size_t begin, std::size_t size,
                          std::string what) {
  fault = &kind;
  fault_begin = begin;
  fault_size = size;
  found = std::move(what);
}

std::unique_ptr<AudioEntries> audio_entries(const std::shared_ptr<const ByteSource>& file,
                                            bool is_archive, const AudioOptions& options,
                                            const Context& context) {
  const bool has_segments = !options.segments_path.empty();
  ReadOptions own = options.common;
  if (has_segments) own.has_text_keys = true;  // recordings have names, not numbers
  std::unique_ptr<AudioEntries> entries;
  if (is_archive) {
    entries = std::make_unique<ArchiveEntries>(file, own);
  } else {
    entries = std::make_unique<ListEntries>(file, own, context);
  }
  if (!has_segments) return entries;
  return std::make_unique<SegmentEntries>(context.file_system().open(options.segments_path),
                                          std::move(entries), options.common);
}

}  // namespace sheaf::kaldi
