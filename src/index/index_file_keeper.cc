#include "index/index_file_keeper.h"

#include <exception>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

std::string path_of_index_file(const ByteSource& source, const IndexOptions& options) {
  if (source.path().empty() && options.directory.empty()) return {};
  return index_file_path(source.path().empty() ? source.name() : source.path(), options.directory);
}

IndexFileKeeper::IndexFileKeeper(Parts parts)
    : parts_(std::move(parts)), path_(path_of_index_file(*parts_.source, parts_.options)) {}

IndexFileKeeper::~IndexFileKeeper() = default;

void IndexFileKeeper::open(const FaultOf& fault_of) {
  const IndexMode mode = parts_.options.is_for_streams ? IndexMode::off : parts_.options.mode;
  if (mode == IndexMode::require && path_.empty()) {
    throw ConfigError(formatted("index: required, but {} is no file", parts_.source->name()));
  }
  if (mode == IndexMode::off || path_.empty()) return;
  if (mode == IndexMode::require || mode == IndexMode::automatic) {
    std::string why;
    // Among very many small files, few have an index file. An exception would cost more than this
    // look.
    const bool is_there = parts_.files->exists(path_);
    if ((is_there || mode == IndexMode::require) && use(fault_of, why)) return;
    if (mode == IndexMode::require) {
      throw ConfigError(formatted("index: required, but {}", why));
    }
    if (is_there) {
      use_warning_ = warning("an index file that can be used", why, "the data are scanned again");
    }
  }
  writes_ = mode != IndexMode::automatic || parts_.source->size() >= parts_.write_min_bytes;
}

// Returns whether the file can be used. Otherwise `why` gives the reason.
bool IndexFileKeeper::use(const FaultOf& fault_of, std::string& why) {
  file_ = IndexFile::open(*parts_.files, path_, parts_.identity, why);
  if (!file_) return false;
  const std::string fault = fault_of(*file_);
  if (fault.empty()) return true;
  file_.reset();
  why = formatted("{}: damaged: {}", path_, fault);
  return false;
}

// Forgets the file if one of its records cannot be read.
IndexRecord IndexFileKeeper::read(std::int64_t chunk,
                                  const std::function<bool(const IndexRecord&)>& fits) const {
  try {
    IndexRecord record = file_->record(chunk);
    if (fits(record)) return record;
    throw IoError(formatted("{}: damaged: chunk {} has numbers that cannot be", path_, chunk));
  } catch (const IoError& error) {
    forget();
    const bool is_kept = parts_.options.mode == IndexMode::require;
    throw IoError(formatted("{}; {}", error.what(),
                            is_kept ? "--index rebuild (IndexMode::rebuild) writes it anew"
                                    : "it is removed, and the next run scans the data"));
  }
}

void IndexFileKeeper::forget() const noexcept {
  if (!file_ || parts_.options.mode == IndexMode::require) return;
  try {
    parts_.files->remove(path_);
  } catch (const std::exception&) {  // the next run finds the file and does not use it, either
  }
}

void IndexFileKeeper::replace_notes(std::string_view notes) {
  if (parts_.options.mode != IndexMode::automatic) return;
  try {
    IndexFileWriter writer(*parts_.files, path_, file_->identity(), file_->access_points());
    for (std::int64_t i = 0; i < file_->chunk_count(); ++i) writer.add(file_->record(i));
    writer.finish(notes);
  } catch (const IoError& error) {
    stop_writing(error.what());
  }
}

void IndexFileKeeper::begin_writing() {
  writer_.reset();
  if (!writes_) return;
  try {
    writer_ = std::make_unique<IndexFileWriter>(*parts_.files, path_, parts_.identity,
                                                parts_.source->access_points());
  } catch (const IoError& error) {
    stop_writing(error.what());
  }
}

void IndexFileKeeper::add(const IndexRecord& record) {
  if (!writer_) return;
  try {
    writer_->add(record);
  } catch (const IoError& error) {
    stop_writing(error.what());
  }
}

void IndexFileKeeper::finish_writing(std::string_view notes) {
  if (!writer_) return;
  try {
    writer_->finish(notes);
    writer_.reset();
  } catch (const IoError& error) {
    stop_writing(error.what());
  }
}

void IndexFileKeeper::stop_writing(const std::string& why) {
  writer_.reset();
  const std::scoped_lock lock(mutex_);
  write_warning_ = warning(
      "an index file that can be written", why,
      "the data are scanned each time; index_dir (--index-dir) names another folder for it");
}

std::optional<Diagnostic> IndexFileKeeper::write_warning() const {
  const std::scoped_lock lock(mutex_);
  return write_warning_;
}

std::int64_t IndexFileKeeper::memory_bytes() const noexcept {
  return file_ ? file_->memory_bytes() : 0;
}

Diagnostic IndexFileKeeper::warning(std::string_view expected, std::string found,
                                    std::string hint) const {
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.path = parts_.source->name();
  warning.code = parts_.warning_code;
  warning.expected = expected;
  warning.found = std::move(found);
  warning.hint = std::move(hint);
  return warning;
}

}  // namespace sheaf::internal
