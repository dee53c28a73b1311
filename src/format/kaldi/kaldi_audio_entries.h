// The utterances of a data set of recordings: the entries of an archive, the lines of a list, or
// the lines of a segments file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/types.h"

#include "core/error_kind.h"
#include "format/kaldi/kaldi_audio_options.h"
#include "format/kaldi/kaldi_line.h"
#include "format/kaldi/kaldi_recording.h"
#include "format/kaldi/kaldi_segments.h"
#include "format/kaldi/kaldi_sources.h"
#include "format/listed/list_entry.h"

namespace sheaf::kaldi {

/// The location of an utterance in an index.
struct EntryLocation {
  std::int64_t offset_bytes = 0;  // of the line, or of the key in an archive
  std::int64_t line = 0;          // counted from 1; 0 in an archive
  std::int64_t object_bytes = 0;  // offset of the object in an archive
};

/// One utterance, and the location of its recording.
struct Utterance {
  std::string key{};   // for an entry of an archive, read with the recording
  std::string line{};  // of the list or of the segments file
  std::int64_t line_number = 0;
  std::int64_t line_bytes = 0;  // offset of the line

  std::string source_name{};      // the name by which a list opens the file
  std::int64_t entry_bytes = -1;  // offset of the key in an archive; -1 if the key is known
  RecordingLocation location{};
  std::optional<Segment> segment{};
  std::int64_t stored_bytes = 0;  // size of the recording in the index; 0 if not known

  // The error in the line, and its bytes in the line.
  const internal::ErrorKind* fault = nullptr;
  std::size_t fault_begin = 0;
  std::size_t fault_size = 0;
  std::string found{};

  // The bytes of the line that name the recording.
  std::size_t path_begin = 0;
  std::size_t path_size = 0;

  void set_fault(const internal::ErrorKind& kind, std::size_t begin, std::size_t size,
                 std::string what);
};

/// The utterances of a data set, in the order of one file.
///
/// Threads: all calls are safe from any number of threads.
class AudioEntries {
 public:
  using TakeEntry = std::function<bool(const internal::ListEntry& entry, std::string_view path)>;

  AudioEntries(const AudioEntries&) = delete;
  AudioEntries& operator=(const AudioEntries&) = delete;
  virtual ~AudioEntries() = default;

  /// Returns the file that lists the utterances.
  [[nodiscard]] const std::shared_ptr<const ByteSource>& file() const noexcept { return file_; }

  /// Passes the utterances to `take` until it returns false. Returns whether it took all.
  ///
  /// Throws: DataError if a key must be a number and is not; IoError.
  [[nodiscard]] virtual bool scan(const TakeEntry& take) const = 0;

  /// Returns the utterances at ascending locations. `end_bytes` is the end of the last line.
  ///
  /// Throws: IoError.
  [[nodiscard]] virtual std::vector<Utterance> utterances(std::span<const EntryLocation> locations,
                                                          std::int64_t end_bytes) const = 0;

  /// Opens the files of utterances. Returns null for a line with a fault and for a file that does
  /// not exist.
  ///
  /// Throws: IoError.
  [[nodiscard]] virtual std::vector<std::shared_ptr<const ByteSource>> open(
      std::span<const Utterance> utterances) const = 0;

  /// Returns the path of the file that a line names.
  [[nodiscard]] virtual std::string path_of(std::string_view line) const = 0;

  /// Calls `visit` with the path of each file that is read besides file().
  virtual void visit_files(const std::function<void(const std::string& path)>& visit) const = 0;

  /// Returns a text that changes with everything that the utterances depend on besides file().
  [[nodiscard]] virtual std::string identity() const = 0;

 protected:
  explicit AudioEntries(std::shared_ptr<const ByteSource> file) : file_(std::move(file)) {}

 private:
  const std::shared_ptr<const ByteSource> file_;
};

/// Returns the entries of an archive or of a list, or the segments of their recordings.
///
/// Throws: IoError, also if the segments file does not exist.
[[nodiscard]] std::unique_ptr<AudioEntries> audio_entries(
    const std::shared_ptr<const ByteSource>& file, bool is_archive, const AudioOptions& options,
    const Context& context);

}  // namespace sheaf::kaldi
