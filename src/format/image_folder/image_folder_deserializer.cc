#include "format/image_folder/image_folder_deserializer.h"

#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/image_folder/image_folder_classes.h"
#include "format/image_folder/image_folder_errors.h"
#include "format/image_folder/image_folder_index_file.h"

namespace sheaf::image_folder {
namespace {

std::vector<std::string> class_names_of(const ReadOptions& options, FileSystem& files) {
  if (options.class_names_path.empty()) return {};
  return read_class_names(*files.open(options.class_names_path));
}

// Checks that each image has a class if labels are read.
void check_classes(const FolderScan& scan, const internal::ImageStreams& streams) {
  if (!streams.label) return;
  if (scan.class_fault) throw DataError({*scan.class_fault});
  if (scan.without_class.count > 0) {
    Diagnostic fault =
        diagnostic_of_path(scan.without_class.first, kNoClass,
                           scan.without_class.count == 1
                               ? "an image beside the folders"
                               : formatted("{} images beside the folders; this is the first one",
                                           scan.without_class.count));
    fault.hint = "image_folder.labels=none reads the images of all folders without classes";
    throw DataError({std::move(fault)});
  }
  const std::int64_t count = std::ssize(scan.class_names);
  if (streams.class_count.value_or(count) == count) return;
  throw DataError({diagnostic_of_path(
      scan.roots.front(), kClassCount,
      formatted("{} classes, where there are to be {}", count, *streams.class_count))});
}

// Checks that each image lies in the folder of a clip if folders are sequences.
void check_clips(const FolderScan& scan, const internal::ImageStreams& streams) {
  if (!scan.joins_frames) return;
  const CountedPaths& outside = streams.label ? scan.without_clip : scan.without_class;
  if (outside.count == 0) return;
  Diagnostic fault = diagnostic_of_path(
      outside.first, kNoClip,
      outside.count == 1
          ? "an image beside the folders"
          : formatted("{} images beside the folders; this is the first one", outside.count));
  if (streams.label) {
    fault.hint = "image_folder.labels=none reads clips that lie directly in the root";
  }
  throw DataError({std::move(fault)});
}

internal::ImageStreams checked_streams(const FolderScan& scan, const FormatOptions& options) {
  internal::ImageStreams streams = streams_of(options, std::ssize(scan.class_names));
  check_classes(scan, streams);
  check_clips(scan, streams);
  if (streams.label) {
    streams.streams[*streams.label].class_names =
        std::make_shared<const std::vector<std::string>>(scan.class_names);
  }
  return streams;
}

// Returns whether the file of the first image has fast random access.
bool is_fast(const FolderScan& scan, FileSystem& files) {
  try {
    return files.open(scan.file_path(0))->has_fast_random_access();
  } catch (const IoError&) {
    return false;  // reading the image reports the error
  }
}

Diagnostic warning_of(const CountedPaths& paths, const internal::ErrorKind& kind,
                      std::string_view found) {
  Diagnostic warning = diagnostic_of_path(
      paths.first, kind, formatted("{}: {}; the first is here", found, paths.count));
  warning.severity = Severity::warning;
  warning.count = paths.count;
  return warning;
}

}  // namespace

ImageFolderDeserializer::ImageFolderDeserializer(const OpenRequest& request)
    : options_(read_options_of(request.options)),
      files_(request.context.file_system()),
      scan_(scan_folders(
          request.paths,
          {.class_names = class_names_of(options_, files_), .joins_frames = options_.joins_frames},
          files_)),
      streams_(checked_streams(scan_, request.options)),
      index_(scan_, options_, streams_,
             options_.reads_headers ? kept_pixels(scan_,
                                                  {.files = &files_,
                                                   .executor = request.context.executor,
                                                   .read_size_bytes = options_.read_size_bytes,
                                                   .index = options_.index},
                                                  index_warnings_)
                                    : PackedInts()),
      has_fast_random_access_(is_fast(scan_, files_)) {}

std::string ImageFolderDeserializer::fingerprint() const {
  std::string text =
      formatted("image_folder:{}:chunk={}", scan_.identity, options_.chunk_size_bytes);
  for (const Stream& each : streams_.streams) {
    text += formatted(":{}", to_string(each));
    if (each.storage == Storage::sparse) text += formatted("@{}", to_string(each.index_type));
    if (each.defines_minibatch_size) text += "!";
  }
  if (options_.joins_frames) text += ":frames";
  if (options_.reads_headers) text += ":pixels";
  if (!options_.has_text_keys) text += ":keys=numeric";
  return text;
}

RangeSource ImageFolderDeserializer::range_source() const {
  return {
      .scan = scan_, .index = index_, .streams = streams_, .options = options_, .files = files_};
}

Chunk ImageFolderDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const RangeSource source = range_source();
  return RangeReader(source, range, diagnostics).read();
}

Diagnostic ImageFolderDeserializer::location_of(ChunkIndex chunk, std::int64_t sequence,
                                                std::int64_t stream) const {
  const std::int64_t number = index_.first_sequence(chunk) + sequence;
  const bool is_file = !scan_.joins_frames && static_cast<std::size_t>(stream) == streams_.image;
  Diagnostic location;
  location.path = scan_.sequence_path(number);
  location.byte_offset = is_file ? 0 : Diagnostic::kNoOffset;
  location.sequence_key = range_source().shown_key(number);
  return location;
}

void ImageFolderDeserializer::visit_named_files(
    const std::function<void(const std::string& path)>& visit) const {
  for (std::int64_t image = 0; image < scan_.paths.count(); ++image) visit(scan_.file_path(image));
}

std::vector<Diagnostic> ImageFolderDeserializer::warnings() const {
  std::vector<Diagnostic> all = index_warnings_;
  if (scan_.other_files.count > 0) {
    all.push_back(warning_of(scan_.other_files, kOtherFiles, "other files, which are passed over"));
  }
  if (streams_.label && scan_.empty_classes.count > 0) {
    all.push_back(
        warning_of(scan_.empty_classes, kEmptyClass, "folders of classes without images"));
  }
  return all;
}

}  // namespace sheaf::image_folder
