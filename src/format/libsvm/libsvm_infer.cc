#include "format/libsvm/libsvm_infer.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/number.h"
#include "base/text.h"
#include "format/text/row_blocks.h"
#include "format/text/text_format.h"

namespace sheaf::libsvm {
namespace {

/// A larger index is beyond any dim and does not count.
constexpr std::uint64_t kIndexMax = std::uint64_t{1} << 40;

bool is_number_byte(char c) noexcept {
  return is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

/// Gathers the largest numbers of some rows. Ignores labels and pairs with errors.
class Largest {
 public:
  void add(const Row& row) noexcept {
    const Head head = lex_head(row);
    if (!head.is_data) return;
    label = std::max(label, largest_label(head.label));
    index = std::max(index, largest_index(head.pairs, row.end));
  }

  std::int64_t label = -1;
  std::int64_t index = -1;

 private:
  /// Returns the largest number in a label or list of labels, or -1 if it is neither.
  static std::int64_t largest_label(const Token& labels) noexcept {
    std::int64_t largest = -1;
    for (const char* p = labels.begin; p != labels.end; ++p) {
      std::uint64_t number = 0;
      const char* const end = internal::lex_index(p, number);
      if (end == p || number > kIndexMax) return -1;
      largest = std::max(largest, static_cast<std::int64_t>(number));
      p = end;
      if (p == labels.end) return largest;
      if (*p != ',') return -1;
    }
    return -1;
  }

  /// Returns the largest index in the pairs of a row, or -1 if a pair is wrong.
  static std::int64_t largest_index(const char* p, const char* end) noexcept {
    std::int64_t largest = -1;
    for (p = skip_blanks(p, end); p != end && *p != '#'; p = skip_blanks(p, end)) {
      std::uint64_t index = 0;
      const char* const colon = internal::lex_index(p, index);
      if (colon == p || *colon != ':' || index > kIndexMax) return -1;
      p = colon + 1;
      while (p != end && is_number_byte(*p)) ++p;
      if (p == colon + 1 || !ends_token(p, end)) return -1;
      largest = std::max(largest, static_cast<std::int64_t>(index));
    }
    return largest;
  }
};

}  // namespace

bool needs_dims(const FormatOptions& options) {
  const auto lacks_dim = [](const StreamOptions& stream) {
    const bool is_fixed =
        stream.storage == Storage::dense && internal::file_name_of(stream) == kLabelName;
    return !stream.sample_shape && !is_fixed;
  };
  return options.streams.empty() || std::ranges::any_of(options.streams, lacks_dim);
}

std::string found_how(const ByteSource& source, const FormatOptions& options) {
  const bool is_all = options.inference_size_bytes.value_or(source.size()) >= source.size();
  return formatted("bytes={}", is_all ? "all" : std::to_string(*options.inference_size_bytes));
}

internal::FoundStreams find_dims(const ByteSource& source, const FormatOptions& options,
                                 const Beginning& beginning, Executor* executor) {
  const std::int64_t end =
      std::min(source.size(), options.inference_size_bytes.value_or(source.size()));
  internal::FoundStream label{.name = std::string(kLabelName)};
  internal::FoundStream features{.name = std::string(kFeaturesName)};
  internal::gather_rows(
      source, internal::text_part(options, beginning.offset, end), executor,
      [] { return Largest(); },
      [&](const Largest& largest, std::int64_t /*lines_before*/) {
        label.index_max = std::max(label.index_max, largest.label);
        features.index_max = std::max(features.index_max, largest.index);
      });
  return {found_how(source, options), {label, features}};
}

std::vector<StreamOptions> infer_streams(const internal::FoundStreams& found,
                                         const FormatOptions& options) {
  std::vector<StreamOptions> streams = options.streams;
  if (streams.empty()) {
    streams = {{.name = std::string(kLabelName)},
               {.name = std::string(kFeaturesName), .storage = Storage::sparse}};
  }
  for (StreamOptions& stream : streams) {
    if (stream.sample_shape) continue;
    const bool is_label = internal::file_name_of(stream) == kLabelName;
    std::int64_t dim = 1;
    for (const internal::FoundStream& known : found.streams) {
      if (known.name != internal::file_name_of(stream)) continue;
      if (is_label && stream.storage == Storage::dense) continue;
      dim = std::max(dim, known.index_max + 1 - (is_label ? 0 : base_of(options)));
    }
    stream.sample_shape = Shape{dim};
    if (dim - 1 > std::numeric_limits<std::int32_t>::max()) stream.index_dtype = ElementType::i64;
  }
  return streams;
}

}  // namespace sheaf::libsvm
