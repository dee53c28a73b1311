// Describes a reader section in words.

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sheaf/config_reader.h"

#include "base/text.h"
#include "cntk/config_files.h"

namespace sheaf {
namespace {

std::string words_of(const StreamOptions& stream) {
  std::string text = stream.name;
  if (stream.sample_shape) {
    const bool is_sparse = stream.storage == Storage::sparse;
    text += formatted(" ({}, {} {}", is_sparse ? "sparse" : "dense", stream.sample_shape->size(),
                      is_sparse ? "indices" : "values");
  } else {
    text += " (as in the file";
  }
  if (!stream.alias.empty())
    text += formatted(", there called {}", quoted(std::string_view(stream.alias)));
  if (stream.defines_minibatch_size) text += ", whose samples the minibatch size counts";
  return text + ")";
}

std::string words_of(const FilesSpec& files, const Format& row) {
  std::string text;
  for (const std::string& path : files.files) text += (text.empty() ? "" : " + ") + path;
  const FormatOptions& format = files.format;
  text += formatted(", {}, as {}", internal::title_of(row),
                    format.dtype == ElementType::f64 ? "double" : "float");
  if (row.cntk != nullptr && row.cntk->cuts_chunks()) {
    text += formatted(", in chunks of {} bytes", format.chunk_size_bytes);
    if (format.skip_sequence_ids) text += ", each row a sequence";
    if (format.keys == KeyType::text) text += ", with keys that are texts";
    if (format.compatibility == Compatibility::cntk) text += ", with CNTK's leniencies";
  }
  return text;
}

std::string order_words(const OrderOptions& order) {
  if (order.algorithm == OrderAlgorithm::file) return "order: that of the file";
  std::string window = "all samples";
  if (order.window_chunks) {
    window = formatted("{} chunks", *order.window_chunks);
  } else if (*order.window_samples != std::numeric_limits<std::int64_t>::max()) {
    window = formatted("{} samples", *order.window_samples);
  }
  return formatted("order: shuffled as CNTK does it, seed {}, window of {}", order.seed, window);
}

std::string minibatch_words(const ReadSpec& reader) {
  std::string text = formatted("minibatches: {}", to_string(reader.packing));
  if (reader.order.truncation_length) {
    text += formatted(", in pieces of {} samples", *reader.order.truncation_length);
  }
  if (reader.order.sweep_ends == SweepEnds::cut) text += ", cut where a sweep ends";
  const bool is_global = reader.order.timeline == Timeline::global;
  text += formatted("; workers share {}",
                    is_global ? "each stretch of the order" : "the minibatch size");
  return text;
}

std::string error_words(std::int64_t max_errors) {
  if (max_errors == std::numeric_limits<std::int64_t>::max()) return "errors: any are tolerated";
  return formatted("errors: {} tolerated", max_errors);
}

}  // namespace

std::vector<std::string> describe(const ConfiguredReader& reader, std::span<const Format> formats) {
  std::vector<std::string> lines;
  const std::vector<const FilesSpec*> all = files_of(reader.spec.data);
  for (const FilesSpec* const each : all) {
    const FilesSpec& files = *each;
    const Format& row = find_format("", files.format, formats);
    const bool is_first = each == all.front();
    lines.push_back(
        formatted("{}: {}", is_first ? "reads" : "joined by key with", words_of(files, row)));
    for (const StreamOptions& stream : files.format.streams) {
      lines.push_back("  stream " + words_of(stream));
    }
    const bool has_others = row.cntk != nullptr && !row.cntk->declares_streams;
    if (has_others) lines.emplace_back("  and all other streams of the file");
  }
  if (const auto* const join = std::get_if<JoinSpec>(&reader.spec.data.content)) {
    const MissingSequences missing = join->missing_sequences;
    lines.push_back(formatted("sequences that not all have: {}",
                              missing == MissingSequences::drop    ? "left out, and told"
                              : missing == MissingSequences::error ? "an error"
                                                                   : "their streams are absent"));
  }
  lines.push_back(order_words(reader.spec.read.order));
  lines.push_back(minibatch_words(reader.spec.read));
  lines.push_back(error_words(reader.spec.read.max_errors));
  for (const IgnoredSetting& each : reader.ignored) {
    lines.push_back(formatted("ignores {}: {}", each.path, each.reason));
  }
  return lines;
}

}  // namespace sheaf
