#include "format/htk/htk_options.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"

#include "base/text.h"
#include "format/htk/htk_header.h"
#include "format/named_file.h"
#include "format/sample_shape.h"

namespace sheaf::htk {
namespace {

constexpr std::uint32_t kPeriodMax = (std::uint32_t{1} << 31) - 1;

// Like CNTK's prefixPathInSCP: a prefix of slashes only counts as none.
std::string prefix_of(std::string_view given) {
  std::string prefix(given);
  std::ranges::replace(prefix, '\\', '/');
  const std::size_t end = prefix.find_last_not_of('/');
  if (end == std::string::npos) return {};
  prefix.resize(end + 1);
  return prefix + '/';
}

std::optional<std::int64_t> frames_max_of(std::string_view given) {
  if (given == kMaxFramesValues.front()) return std::nullopt;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), count);
  if (error != std::errc() || end != given.data() + given.size() || count < 1) {
    throw ConfigError(formatted("{}: expected {} or a number from 1 on, found {}",
                                kMaxFramesOption.name, kMaxFramesValues.front(), quoted(given)));
  }
  return count;
}

// Readers like CNTK's tell the byte order from the period: in the right order the period is the
// smaller number.
std::uint32_t period_of(std::string_view given) {
  std::uint32_t period = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), period);
  if (error != std::errc() || end != given.data() + given.size()) {
    throw ConfigError(
        formatted("{}: expected a number of 100 ns, found {}", kPeriodOption.name, quoted(given)));
  }
  if (period >= __builtin_bswap32(period) || period > kPeriodMax) {
    throw ConfigError(formatted(
        "{}: {} cannot be written: readers tell the byte order of a file from the period, "
        "and would get the order wrong",
        kPeriodOption.name, period));
  }
  return period;
}

Labels labels_of(const FormatOptions& options) {
  const std::string_view as = value_of(kAsOption, options.extra);
  return as == "ids" ? Labels::ids : as == "one_hot" ? Labels::one_hot : Labels::values;
}

void check_storage(const StreamOptions& stream, Labels as) {
  const bool is_sparse = stream.storage == Storage::sparse;
  if (is_sparse == (as == Labels::one_hot)) return;
  throw ConfigError(formatted("stream \"{}\": {}", stream.name,
                              is_sparse ? "HTK files hold dense frames; htk.as=one_hot makes "
                                          "sparse samples of labels"
                                        : "htk.as=one_hot makes sparse samples: declare the "
                                          "stream sparse, with its dim"));
}

void check_type(const Stream& stream, Labels as) {
  const ElementType type = stream.element_type;
  const bool is_good = as == Labels::ids ? type == ElementType::i32
                                         : type == ElementType::f32 || type == ElementType::f64;
  if (is_good) return;
  throw ConfigError(formatted("stream \"{}\": {} cannot be read as {}; {}", stream.name,
                              as == Labels::ids ? "label ids" : "frames of HTK files",
                              to_string(type), as == Labels::ids ? "i32 can" : "f32 and f64 can"));
}

// Sets the shape of the stream if it is known, and the dim of the files.
void set_shape(const StreamOptions& declared, ReadOptions& options) {
  Stream& stream = options.stream;
  if (options.as == Labels::one_hot && !declared.sample_shape) {
    throw ConfigError(
        formatted("stream \"{}\": htk.as=one_hot needs the number of labels as the dim of the "
                  "stream",
                  stream.name));
  }
  const Shape shape = declared.sample_shape.value_or(Shape{1});
  if (!shape.is_fixed()) {
    throw ConfigError(formatted("stream \"{}\": frames of HTK files have one fixed shape, not {}",
                                stream.name, to_string(shape)));
  }
  internal::check_sample_shape(stream.name, shape, stream.storage, stream.index_type);
  if (options.as == Labels::ids && shape.size() != 1) {
    throw ConfigError(formatted("stream \"{}\": htk.as=ids gives samples of shape [1], not {}",
                                stream.name, to_string(shape)));
  }
  stream.sample_shape = shape;
  if (options.as != Labels::values) {
    options.dim = 1;
  } else if (declared.sample_shape) {
    options.dim = shape.size();
  }
}

}  // namespace

std::string stem_of(std::string_view list_name) {
  const std::string_view stem = internal::file_stem(name_without_compression(list_name));
  return stem.empty() ? "features" : std::string(stem);
}

WriteOptions write_options_of(const SerializerOptions& options) {
  check_format_options("htk", kWriteOptions, options.extra, "for writing");
  WriteOptions result;
  result.has_archive = value_of(kLayoutOption, options.extra) == kLayoutValues.front();
  result.period = period_of(value_of(kPeriodOption, options.extra));
  const std::string_view kind = value_of(kKindOption, options.extra);
  const std::optional<std::uint16_t> number = kind_number(kind);
  if (!number) {
    throw ConfigError(
        formatted("{}: expected a kind of float vectors, such as USER, FBANK or MFCC_E_D_A, with "
                  "qualifiers of E, D, N, A, T, Z and 0, found {}",
                  kKindOption.name, quoted(kind)));
  }
  result.kind = *number;
  return result;
}

ReadOptions read_options_of(const FormatOptions& options, std::string_view list_name) {
  check_format_options("htk", kReadOptions, options.extra);
  if (options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  if (options.chunk_size_bytes < 1) throw ConfigError("chunk_size_bytes must be positive");
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: utterances of HTK lists have keys");
  }
  if (options.streams.size() > 1) {
    throw ConfigError(
        formatted("streams: a list of HTK files has one stream, not {}; join lists "
                  "for more",
                  options.streams.size()));
  }
  ReadOptions result;
  result.as = labels_of(options);
  result.prefix = prefix_of(value_of(kPrefixOption, options.extra));
  result.frames_max = frames_max_of(value_of(kMaxFramesOption, options.extra));
  result.chunk_size_bytes = options.groups_chunks ? options.chunk_size_bytes : 0;
  result.read_size_bytes = options.read_size_bytes;
  result.allows_last_minus_1 = options.compatibility == Compatibility::strict;
  result.has_text_keys = options.keys.value_or(KeyType::text) == KeyType::text;

  StreamOptions declared;
  declared.storage = result.as == Labels::one_hot ? Storage::sparse : Storage::dense;
  if (!options.streams.empty()) declared = options.streams.front();
  if (declared.name.empty()) declared.name = stem_of(list_name);
  if (!declared.alias.empty() && declared.alias != declared.name) {
    throw ConfigError(
        formatted("stream \"{}\": streams of HTK files have no names, so there is "
                  "no alias \"{}\"",
                  declared.name, declared.alias));
  }
  check_storage(declared, result.as);
  const ElementType type =
      result.as == Labels::ids ? ElementType::i32 : options.dtype.value_or(ElementType::f32);
  result.stream = {.name = declared.name,
                   .element_type = declared.dtype.value_or(type),
                   .storage = declared.storage,
                   .index_type = declared.index_dtype,
                   .defines_minibatch_size = declared.defines_minibatch_size};
  check_type(result.stream, result.as);
  set_shape(declared, result);
  return result;
}

}  // namespace sheaf::htk
