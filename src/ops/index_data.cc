#include "sheaf/index_data.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/archive.h"
#include "sheaf/extend/concatenate.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/interruption.h"

#include "base/saturated.h"
#include "base/text.h"
#include "ops/threads.h"

namespace sheaf {
namespace {

using internal::saturated_sum;

// Drops the transforms, since an index file does not depend on them.
DataSpec with_mode(DataSpec data, IndexMode mode) {
  data.transforms.clear();
  for (FilesSpec* const files : files_of(data)) files->format.index.mode = mode;
  return data;
}

// Creates folders on the machine. A FileSystem has no folders, only files.
void make_folders(const DataSpec& data) {
  for (const FilesSpec* const files : files_of(data)) {
    const std::string& folder = files->format.index.directory;
    if (folder.empty()) continue;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      throw IoError(formatted("index_dir {}: cannot be made: {}", folder, error.message()));
    }
  }
}

bool declares_streams(const FilesSpec& files) {
  const std::vector<StreamOptions>& streams = files.format.streams;
  const auto is_open = [](const StreamOptions& stream) { return !stream.sample_shape; };
  return !streams.empty() && std::ranges::none_of(streams, is_open);
}

/// Files that one process must index together.
struct FileUnit {
  std::size_t list = 0;
  std::vector<std::string> paths;
  std::int64_t size = 0;
};

void append_units(std::vector<FileUnit>& units, std::size_t list, const FilesSpec& files,
                  const DataPart& part, const OpenContext& context) {
  FileSystem& system = *context.files;
  std::vector<std::string> paths = find_files(files.files, system);
  const std::vector<std::int64_t> sizes = stored_sizes(paths, system);
  const bool is_one =
      find_format(paths.front(), system, files.format, context.formats).needs_previous;
  if (!is_one && paths.size() > 1 && !declares_streams(files)) {
    throw ConfigError(formatted(
        "part {}: what is left open of streams is found in all files together: declare every "
        "stream of {} with its dim, as sheaf head prints them",
        to_string(part), paths.front()));
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!is_one || units.empty() || units.back().list != list) units.emplace_back().list = list;
    units.back().size += sizes[i] + 1;  // plus 1: an empty file counts
    units.back().paths.push_back(std::move(paths[i]));
  }
}

// Returns the files of a part, list by list. The files count as one long file, and a unit belongs
// to the part that contains its first byte. A file is never divided: an index file describes one
// file, and a merge of two halves would have to read the whole file for its hashes.
std::vector<FilesSpec> files_of_part(const DataSpec& data, const OpenContext& context) {
  const DataPart part = *data.part;
  check_part(part);
  const std::vector<const FilesSpec*> lists = files_of(data);
  std::vector<FileUnit> units;
  for (std::size_t i = 0; i < lists.size(); ++i) append_units(units, i, *lists[i], part, context);
  std::int64_t total = 0;
  for (const FileUnit& unit : units) total += unit.size;
  std::vector<FilesSpec> own;
  for (const FilesSpec* const files : lists) own.emplace_back(*files).files.clear();
  std::int64_t before = 0;
  for (FileUnit& unit : units) {
    if (before >= part.first_chunk(total) && before < part.end_chunk(total)) {
      std::ranges::move(unit.paths, std::back_inserter(own[unit.list].files));
    }
    before += unit.size;
  }
  std::erase_if(own, [](const FilesSpec& files) { return files.files.empty(); });
  return own;
}

void add(IndexReport& all, IndexReport more) {
  all.chunks += more.chunks;
  all.sequences = saturated_sum(all.sequences, more.sequences);
  all.samples = saturated_sum(all.samples, more.samples);
  std::ranges::move(more.files, std::back_inserter(all.files));
  if (all.why_unused.empty()) all.why_unused = std::move(more.why_unused);
  std::ranges::move(more.warnings, std::back_inserter(all.warnings));
  all.seconds += more.seconds;
}

/// Reports how many bytes of data are indexed.
///
/// Threads: any thread may find chunks; only the thread that made the object reports progress.
class IndexProgress final : public DecodedSink {
 public:
  explicit IndexProgress(const OperationOptions& run) noexcept : run_(run) {}

  /// Nothing is decoded.
  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return 0; }
  void add(const ChunkRange& /*range*/, Kept /*kept*/, std::int64_t /*first*/) override {}

  void found(const ChunkInfo& chunk) override {
    const std::int64_t bytes = found_bytes_ += chunk.size_bytes;
    if (std::this_thread::get_id() == thread_) tell(bytes);
  }

  /// Reports progress, which never goes back. Only the thread that made the object may call it.
  void tell(std::int64_t bytes) {
    if (bytes < told_bytes_) return;
    told_bytes_ = bytes;
    if (run_.progress) run_.progress(bytes);
  }

  /// Reports that all data up to here are indexed. The next data begin here.
  void end(std::int64_t bytes) {
    found_bytes_ = bytes;
    tell(bytes);
  }

 private:
  const OperationOptions& run_;
  const decltype(std::this_thread::get_id()) thread_ = std::this_thread::get_id();
  std::atomic<std::int64_t> found_bytes_ = 0;
  std::int64_t told_bytes_ = 0;
};

/// Builds the indexes of data and counts their chunks, sequences and samples.
class Indexing {
 public:
  /// `before_bytes`: the size of the data that are indexed already.
  Indexing(Executor& executor, IndexProgress& progress, std::int64_t before_bytes,
           IndexReport& report)
      : executor_(executor), progress_(progress), done_bytes_(before_bytes), report_(report) {}

  // Indexes the members of a join one after the other. A join has no index file of its own.
  void add(const Deserializer& data, std::span<const OpenedData> joined) {
    for (const OpenedData& each : joined) add(*each.data, each.members);
    if (!joined.empty()) return;
    data.build_index(executor_, &progress_);
    const Index& index = data.index();
    StoredBytes bytes(index);
    std::int64_t end_bytes = 0;
    for (ChunkIndex number{}; const std::optional<ChunkInfo> chunk = index.chunk(number);
         number = next(number)) {
      check_interruption();
      ++report_.chunks;
      report_.sequences = saturated_sum(report_.sequences, chunk->sequence_count);
      report_.samples = saturated_sum(report_.samples, chunk->sample_count);
      bytes.begin(number, *chunk);
      end_bytes = bytes.up_to(chunk->size_bytes);
      progress_.tell(done_bytes_ + end_bytes);
    }
    done_bytes_ += end_bytes;
  }

 private:
  Executor& executor_;
  IndexProgress& progress_;
  std::int64_t done_bytes_;
  IndexReport& report_;
};

// Returns the reason why a run would not use the index files. Empty means that the run would.
std::string why_unused(const DataSpec& data, const OpenContext& context) {
  try {
    static_cast<void>(open(with_mode(data, IndexMode::require), context));
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::int64_t size_of_files(const DataSpec& data, FileSystem& system) {
  std::int64_t sum = 0;
  for (const FilesSpec* const files : files_of(data)) {
    for (const std::int64_t size : stored_sizes(find_files(files->files, system), system)) {
      sum = saturated_sum(sum, size);
    }
  }
  return sum;
}

void add_index_files(const DataSpec& data, FileSystem& system, IndexReport& report) {
  if (!report.why_unused.empty()) return;
  for (const FilesSpec* const files : files_of(data)) {
    for (const std::string& path : find_files(files->files, system)) {
      std::string index_path = index_file_path(path, files->format.index.directory);
      if (!system.exists(index_path)) continue;
      const std::int64_t bytes = system.open(index_path)->size();
      report.files.push_back({std::move(index_path), bytes});
    }
  }
}

/// Data that are indexed at once, and the size of their files.
struct SizedData {
  DataSpec data;
  std::int64_t size_bytes = 0;
};

// Returns the data, or each list of files in their part.
std::vector<SizedData> data_to_index(const DataSpec& data, const OpenContext& context) {
  std::vector<SizedData> all;
  if (data.part) {
    for (FilesSpec& files : files_of_part(data, context)) {
      all.push_back({.data = {.content = std::move(files)}});
    }
  } else {
    all.push_back({.data = data});
  }
  for (SizedData& each : all) each.size_bytes = size_of_files(each.data, *context.files);
  return all;
}

IndexReport index_at_once(const DataSpec& data, const IndexDataOptions& options,
                          const OpenContext& context, IndexProgress& progress,
                          std::int64_t before_bytes) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  IndexReport report;
  {
    const OpenedData opened = open(with_mode(data, options.mode), context);
    if (options.opened) options.opened(opened);
    Indexing(*context.executor, progress, before_bytes, report).add(*opened.data, opened.members);
    report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    report.warnings = opened.data->warnings();
  }
  report.why_unused = why_unused(data, context);
  add_index_files(data, *context.files, report);
  return report;
}

}  // namespace

IndexReport index_data(const DataSpec& data, const IndexDataOptions& options, OpenContext context) {
  if (options.mode == IndexMode::off) {
    throw ConfigError("mode: \"off\" makes no index file, and checks none");
  }
  if (context.files == nullptr) context.files = &system_files();
  if (context.files == &system_files()) make_folders(data);
  const internal::OperationThreads threads(options.run);
  context.executor = &threads.executor();
  context.memory_limit_bytes = options.run.memory_limit_bytes;
  const std::vector<SizedData> to_index = data_to_index(data, context);
  std::int64_t size_bytes = 0;
  for (const SizedData& each : to_index) size_bytes = saturated_sum(size_bytes, each.size_bytes);
  if (options.begin) options.begin(size_bytes);
  IndexProgress progress(options.run);
  IndexReport all;
  for (const SizedData& each : to_index) {
    add(all, index_at_once(each.data, options, context, progress, all.data_bytes));
    all.data_bytes = saturated_sum(all.data_bytes, each.size_bytes);
    progress.end(all.data_bytes);
  }
  return all;
}

}  // namespace sheaf
