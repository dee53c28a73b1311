#include "format/webdataset/webdataset_deserializer.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/archive.h"
#include "sheaf/extend/parallel_for.h"

#include "base/text.h"
#include "format/webdataset/webdataset_errors.h"
#include "format/webdataset/webdataset_index_file.h"
#include "format/webdataset/webdataset_range.h"
#include "index/kept_points.h"

namespace sheaf::webdataset {
namespace {

std::vector<std::string> all_suffixes(std::span<const ShardScan> scans) {
  std::vector<std::string> suffixes;
  std::set<std::string> known;
  for (const ShardScan& scan : scans) {
    for (const std::string& suffix : scan.suffixes) {
      if (known.insert(suffix).second) suffixes.push_back(suffix);
    }
  }
  return suffixes;
}

// Returns whether any sequence has entries with two suffixes of images.
bool has_two_images(std::span<const ShardScan> scans) {
  return std::ranges::any_of(scans, [](const ShardScan& scan) {
    return std::ranges::any_of(scan.patterns, [&](const Pattern& pattern) {
      return std::ranges::count_if(pattern, [&](std::int32_t number) {
               return is_image_suffix(scan.suffixes[static_cast<std::size_t>(number)]);
             }) > 1;
    });
  });
}

std::string listed(std::span<const std::string> suffixes) {
  std::string text;
  for (const std::string& each : suffixes)
    text += formatted("{}{}", text.empty() ? "" : ", ", each);
  return text;
}

std::vector<EntryStream> streams_of(const ReadOptions& options, const Shards& shards,
                                    std::span<const ShardScan> scans) {
  const std::vector<std::string> suffixes = all_suffixes(scans);
  if (suffixes.empty()) {
    throw DataError({location_in_shard(*shards.front(), kEmpty, Diagnostic::kNoOffset, "none")});
  }
  if (options.declared.empty()) return found_streams(options, suffixes, has_two_images(scans));
  for (const EntryStream& each : options.declared) {
    const bool is_there = std::ranges::any_of(
        suffixes, [&](const std::string& suffix) { return takes(each, suffix); });
    if (is_there) continue;
    Diagnostic diagnostic = location_in_shard(*shards.front(), kNoStream, Diagnostic::kNoOffset,
                                              formatted("the suffixes {}", listed(suffixes)));
    diagnostic.stream = each.stream.name;
    throw DataError({std::move(diagnostic)});
  }
  return options.declared;
}

Diagnostic warning(const ByteSource& shard, const internal::ErrorKind& kind, std::string found) {
  Diagnostic diagnostic = location_in_shard(shard, kind, Diagnostic::kNoOffset, std::move(found));
  diagnostic.severity = Severity::warning;
  return diagnostic;
}

}  // namespace

WebdatasetDeserializer::Opened WebdatasetDeserializer::open(const OpenRequest& request,
                                                            const ReadOptions& options) {
  Opened opened;
  const auto count =
      request.source != nullptr ? std::size_t{1} : static_cast<std::size_t>(request.paths.size());
  opened.shards.resize(count);
  opened.scans.resize(count);
  const ScanRules rules{.has_text_keys = options.has_text_keys,
                        .joins_frames = options.joins_frames,
                        .reads_images = options.reads_images,
                        .read_size_bytes = options.read_size_bytes};
  const IndexFileUse use{.files = &request.context.file_system(), .options = request.options.index};
  std::vector<std::vector<Diagnostic>> warnings(count);
  const Context outside{.files = request.context.files};
  parallel_for(request.context.executor, static_cast<std::int64_t>(count), [&](std::int64_t i) {
    const auto n = static_cast<std::size_t>(i);
    opened.shards[n] =
        request.source != nullptr
            ? request.source
            : internal::decompressed_by_index(
                  open_file_or_entry(request.paths[n], request.context.file_system()),
                  request.options.index, outside);
    opened.scans[n] = kept_scan(opened.shards[n], rules, use, warnings[n]);
  });
  for (std::size_t n = 0; n < count; ++n) {
    const ShardScan& scan = opened.scans[n];
    std::ranges::move(warnings[n], std::back_inserter(opened.warnings));
    if (scan.no_suffix_count > 0) {
      opened.warnings.push_back(
          warning(*opened.shards[n], kNoSuffix,
                  formatted("{} entries without a dot in their names, which are left out; the "
                            "first is {}",
                            scan.no_suffix_count, quoted(scan.first_without_suffix))));
    }
    if (scan.link_count > 0) {
      opened.warnings.push_back(warning(*opened.shards[n], kLinks,
                                        formatted("{} links, which are left out; the first is {}",
                                                  scan.link_count, quoted(scan.first_link))));
    }
  }
  return opened;
}

WebdatasetDeserializer::WebdatasetDeserializer(const OpenRequest& request)
    : WebdatasetDeserializer(request, read_options_of(request.options),
                             open(request, read_options_of(request.options))) {}

WebdatasetDeserializer::WebdatasetDeserializer(const OpenRequest& /*request*/,
                                               const ReadOptions& options, Opened opened)
    : options_(options),
      shards_(std::move(opened.shards)),
      entries_(streams_of(options_, shards_, opened.scans)),
      index_(shards_, opened.scans, options_, entries_),
      warnings_(std::move(opened.warnings)) {
  for (const EntryStream& each : entries_) streams_.push_back(each.stream);
  if (index_.dropped_count() > 0) {
    warnings_.push_back(
        warning(*shards_.front(), kDropped,
                formatted("{} without it, which are left out", index_.dropped_count())));
  }
}

std::string WebdatasetDeserializer::fingerprint() const {
  std::string shards;
  for (const auto& shard : shards_) shards += to_string(shard->fingerprint()) + " ";
  std::string text = formatted("webdataset:{}:chunk={}:frames={}",
                               shards_.size() == 1 ? to_string(shards_.front()->fingerprint())
                                                   : to_string(key_of_text(shards)),
                               options_.chunk_size_bytes, options_.joins_frames);
  for (const EntryStream& each : entries_) {
    text += formatted(":{}={}+{}", each.stream.name, listed(each.suffixes),
                      static_cast<int>(each.content));
    if (each.class_count > 0) text += formatted("<{}", each.class_count);
    if (each.stream.defines_minibatch_size) text += "!";
  }
  if (options_.reads_images) text += ":pixels";
  if (options_.allows_missing) text += ":allow";
  if (!options_.has_text_keys) text += ":keys=numeric";
  return text;
}

Chunk WebdatasetDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const RangeSource source{
      .index = index_, .options = options_, .entries = entries_, .streams = streams_};
  return RangeReader(source, range, diagnostics).read();
}

Diagnostic WebdatasetDeserializer::location_of(ChunkIndex chunk, std::int64_t sequence,
                                               std::int64_t stream) const {
  const ShardIndex::Part part = index_.part_of(chunk, sequence, sequence + 1);
  Diagnostic location{.path = std::string(part.shard->name()),
                      .byte_offset = Diagnostic::kNoOffset};
  const EntryStream& wanted = entries_[static_cast<std::size_t>(stream)];
  EntryWalker walker(
      internal::TarWalker(*part.shard, internal::TarWalker::Part{.begin_bytes = part.begin_bytes,
                                                                 .end_bytes = part.end_bytes}),
      options_.joins_frames);
  try {
    while (const std::optional<DataEntry> entry = walker.next()) {
      if (location.sequence_key.empty()) location.sequence_key = entry->key;
      if (entry->key != location.sequence_key) break;
      if (!takes(wanted, entry->suffix)) continue;
      location.byte_offset = entry->offset_bytes;
      break;
    }
  } catch (const internal::TarDamage&) {
    throw IoError(formatted("{}: was changed after it was indexed", part.shard->name()));
  }
  return location;
}

bool WebdatasetDeserializer::has_fast_random_access() const noexcept {
  return std::ranges::all_of(shards_,
                             [](const auto& shard) { return shard->has_fast_random_access(); });
}

}  // namespace sheaf::webdataset
