#include "sheaf/merge.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"
#include "sheaf/open.h"

#include "base/text.h"
#include "io/staged_files.h"
#include "ops/all_parts.h"
#include "ops/conversion.h"
#include "ops/merged_parts.h"
#include "ops/part_note.h"
#include "ops/threads.h"

namespace sheaf {
namespace {

using internal::MergedParts;
using internal::OpenPart;
using internal::part_format;
using internal::PartNote;

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw ConfigError(formatted("{}: {}", path, why));
}

OpenPart open_part(const std::string& path, const OpenContext& context) {
  const FormatOptions format{.format = std::string(part_format().name)};
  std::shared_ptr<const Deserializer> data;
  try {
    data = open_path(path, format, context).data;
  } catch (const DataError& error) {
    if (!error.diagnostics().front().code.ends_with("-magic")) throw;
    refuse_file(path, "is no part of a conversion");
  }
  const std::string text = data->part_note();
  if (text.empty()) refuse_file(path, "is a whole file, and no part of a conversion");
  std::optional<PartNote> note = internal::part_note_of(text);
  if (!note) refuse_file(path, "says something of its part that this version does not understand");
  return {.path = path, .note = *std::move(note), .data = std::move(data)};
}

// Describes in words how parts of different conversions differ.
std::string difference(const PartNote& a, const PartNote& b) {
  if (a.source != b.source) return "the data differ, or the options that read the data";
  if (a.part.count != b.part.count) {
    return formatted("one is of {} parts, the other of {}", a.part.count, b.part.count);
  }
  if (a.file != b.file) return formatted("one is of \"{}\", the other of \"{}\"", a.file, b.file);
  if (a.selected != b.selected) return "they select other sequences";
  return "they have other options of the file to write";
}

void check_together(const std::vector<OpenPart>& parts) {
  const OpenPart& first = parts.front();
  for (const OpenPart& part : parts) {
    if (part.note.shared() != first.note.shared()) {
      throw ConfigError(formatted("{} and {} are no parts of one conversion: {}", first.path,
                                  part.path, difference(first.note, part.note)));
    }
    if (!std::ranges::equal(part.data->streams(), first.data->streams())) {
      throw ConfigError(formatted("{} and {} are no parts of one conversion: the streams differ",
                                  first.path, part.path));
    }
  }
  std::vector<internal::NamedPart> named;
  named.reserve(parts.size());
  for (const OpenPart& part : parts) named.push_back({part.path, part.note.part});
  internal::check_all_parts(named);
}

bool is_same_path(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::path(a).lexically_normal() ==
             std::filesystem::path(b).lexically_normal() ||
         std::filesystem::equivalent(a, b, error);
}

std::vector<OpenPart> open_parts(const std::string& path, std::span<const std::string> paths,
                                 const OpenContext& context) {
  if (paths.empty()) throw ConfigError("merge: there is no part to merge");
  std::vector<OpenPart> parts;
  for (const std::string& each : paths) {
    if (is_same_path(path, each)) refuse_file(path, "is a part, and cannot be the file to write");
    parts.push_back(open_part(each, context));
  }
  std::ranges::stable_sort(parts, {}, [](const OpenPart& part) { return part.note.part.number; });
  check_together(parts);
  return parts;
}

SerializerOptions written_format(const std::string& path, const MergeOptions& options,
                                 const PartNote& note) {
  SerializerOptions format{.format = options.format, .chunk_size_bytes = note.chunk_size_bytes};
  const bool has_extension = std::filesystem::path(path).has_extension();
  if (format.format.empty() && !has_extension) format.format = note.format;
  format.format = find_writable_format(path, format).name;
  if (format.format == note.format) format.extra = note.options;
  return format;
}

// Returns whether the parts already have the form of the output. Then nothing needs to be decoded.
bool can_copy(const SerializerOptions& written, const PartNote& note) {
  return written.format == note.format && written.format == part_format().name &&
         part_format().merge != nullptr;
}

ConvertReport copy_parts(const std::string& path, const std::vector<OpenPart>& parts,
                         const MergeOptions& options) {
  FileSystem& files = options.files == nullptr ? system_files() : *options.files;
  internal::StagedFiles output(files);
  PartsRequest request{.sink = output.create(path, {.existing = options.existing}),
                       .progress = options.run.progress};
  WrittenFile written{.path = path};
  for (const OpenPart& part : parts) {
    request.parts.push_back(files.open(part.path));
    const Index& index = part.data->index();
    for (ChunkIndex chunk{}; const auto info = index.chunk(chunk); chunk = next(chunk)) {
      written.sequences += info->sequence_count;
      written.samples += info->sample_count;
    }
  }
  part_format().merge(std::move(request));
  written.bytes = output.bytes();
  output.publish();
  ConvertReport report;
  report.files.push_back(std::move(written));
  return report;
}

}  // namespace

ConvertReport merge(const std::string& path, std::span<const std::string> parts,
                    const MergeOptions& options) {
  const internal::OperationThreads threads(options.run);
  ConvertOptions convert{.writer = {.existing = options.existing, .files = options.files},
                         .run = options.run};
  convert.run.executor = &threads.executor();
  std::vector<OpenPart> open = open_parts(
      path, parts, {.files = options.files, .memory_limit_bytes = options.run.memory_limit_bytes});
  convert.writer.format = written_format(path, options, open.front().note);
  // A part without sequences does not say whether keys are texts.
  const auto is_empty = [](const OpenPart& part) {
    return !part.data->index().chunk(ChunkIndex{});
  };
  OpenPart first = open.front();
  std::erase_if(open, is_empty);
  if (open.empty()) open.push_back(std::move(first));
  if (can_copy(convert.writer.format, open.front().note)) return copy_parts(path, open, options);
  const auto merged = std::make_shared<const MergedParts>(std::move(open));
  return internal::convert_with_ends(
      merged, path, convert, [&merged](ChunkIndex chunk) { return merged->ends_input(chunk); });
}

}  // namespace sheaf
