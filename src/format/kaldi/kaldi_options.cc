#include "format/kaldi/kaldi_options.h"

#include <algorithm>

#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"

#include "base/text.h"
#include "format/named_file.h"
#include "format/sample_shape.h"

namespace sheaf::kaldi {
namespace {

As as_of(const FormatOptions& options) {
  const std::string_view as = value_of(kAsOption, options.extra);
  const auto* const found = std::ranges::find(kAsValues, as);
  return static_cast<As>(found - kAsValues.begin());  // check_format_options() has checked it
}

[[noreturn]] void refuse(const ReadOptions& options, std::string_view why) {
  throw ConfigError(formatted("stream \"{}\": kaldi.as={}: {}", options.name,
                              kAsValues[static_cast<std::size_t>(options.as)], why));
}

void check_common(const FormatOptions& options) {
  if (options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  if (options.chunk_size_bytes < 1) throw ConfigError("chunk_size_bytes must be positive");
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: objects of Kaldi have keys");
  }
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError("compatibility: CNTK has no leniencies for Kaldi's archives; use strict");
  }
  if (options.streams.size() > 1) {
    throw ConfigError(
        formatted("streams: a Kaldi archive or list has one stream, not {}; join files for more",
                  options.streams.size()));
  }
}

void set_fixed(ReadOptions& options, Storage storage, ElementType type) {
  if (options.storage && *options.storage != storage) {
    refuse(options, storage == Storage::sparse
                        ? "gives sparse samples: declare the stream sparse, with its dim"
                        : "gives dense samples: declare the stream dense");
  }
  options.storage = storage;
  if (!options.type) options.type = type;
}

void set_shape(ReadOptions& options, const Shape& shape) {
  if (options.shape && *options.shape != shape) {
    refuse(options, formatted("gives samples of shape {}, not {}", to_string(shape),
                              to_string(*options.shape)));
  }
  options.shape = shape;
}

void check_type(const ReadOptions& options, bool takes_floats, bool takes_ints) {
  if (!options.type) return;
  const ElementType type = *options.type;
  const bool is_float = type == ElementType::f32 || type == ElementType::f64;
  if ((is_float && takes_floats) || (type == ElementType::i32 && takes_ints)) return;
  refuse(options, formatted("cannot give {}; {} can", to_string(type),
                            !takes_ints     ? "f32 and f64"
                            : !takes_floats ? "i32"
                                            : "f32, f64 and i32"));
}

// Texts become opaque bytes. With a symbol table, words become ids.
void set_text(ReadOptions& options) {
  const bool has_ids = !options.symbols_path.empty();
  const ElementType type = has_ids ? ElementType::i32 : ElementType::bytes;
  set_fixed(options, Storage::dense, type);
  if (*options.type != type) {
    refuse(options, formatted("gives {}, not {}{}", to_string(type), to_string(*options.type),
                              has_ids ? "; the transform cast changes the type" : ""));
  }
  set_shape(options, has_ids ? Shape{1} : Shape{Shape::kVariable});
}

void check_text_options(const ReadOptions& options) {
  if (options.as != As::text && !options.symbols_path.empty()) {
    throw ConfigError("kaldi.symbols: words have ids with kaldi.as=text alone");
  }
  if (options.symbols_path.empty() && !options.unknown.empty()) {
    throw ConfigError("kaldi.unknown: goes with a symbol table (kaldi.symbols)");
  }
}

// Sets the properties of the stream that `kaldi.as` implies.
void set_kind(ReadOptions& options) {
  switch (options.as) {
    case As::values:
      check_type(options, true, true);
      break;
    case As::frames:
      set_shape(options, Shape{1});
      check_type(options, true, false);
      if (options.storage == Storage::sparse)
        refuse(options, "gives dense samples: declare the stream dense");
      options.storage = Storage::dense;
      break;
    case As::one_hot:
    case As::posteriors:
      set_fixed(options, Storage::sparse, ElementType::f32);
      check_type(options, true, false);
      if (!options.shape) refuse(options, "needs the number of classes as the dim of the stream");
      break;
    case As::pairs:
      set_fixed(options, Storage::dense, ElementType::i32);
      check_type(options, false, true);
      set_shape(options, Shape{2});
      break;
    case As::lists:
      set_fixed(options, Storage::dense, ElementType::i32);
      check_type(options, false, true);
      set_shape(options, Shape{Shape::kVariable});
      break;
    case As::scalars:
      set_fixed(options, Storage::dense, ElementType::i32);
      check_type(options, true, true);
      set_shape(options, Shape{1});
      break;
    case As::text:
      set_text(options);
      break;
  }
}

}  // namespace

WriteOptions write_options_of(const SerializerOptions& options) {
  check_format_options("kaldi", kWriteOptions, options.extra, "for writing");
  const std::string_view compression = value_of(kCompressionOption, options.extra);
  const auto* const found = std::ranges::find(kCompressionValues, compression);
  return {.is_text = value_of(kFormOption, options.extra) == "text",
          .compression = static_cast<Compressed>(found - kCompressionValues.begin()),
          .has_posteriors = value_of(kSparseOption, options.extra) == "posterior"};
}

std::string stream_name_of(std::string_view file_name, bool is_one_of_several) {
  std::string_view stem = internal::file_stem(name_without_compression(file_name));
  // "ali.1.gz" is compressed text without an extension of its own.
  if (is_one_of_several) {
    const std::size_t end = stem.find_last_not_of("0123456789");
    if (end != std::string_view::npos && end + 1 < stem.size()) stem = stem.substr(0, end + 1);
    while (stem.size() > 1 && (stem.back() == '.' || stem.back() == '_' || stem.back() == '-')) {
      stem.remove_suffix(1);
    }
  }
  return stem.empty() ? "features" : std::string(stem);
}

ReadOptions read_options_of(const FormatOptions& options, std::string_view name,
                            bool is_one_of_several) {
  check_format_options("kaldi", kReadOptions, options.extra);
  check_common(options);
  ReadOptions result;
  result.as = as_of(options);
  result.lengths = value_of(kLengthsOption, options.extra);
  result.chunk_size_bytes = options.chunk_size_bytes;
  result.read_size_bytes = options.read_size_bytes;
  result.has_text_keys = options.keys.value_or(KeyType::text) == KeyType::text;
  result.type = options.dtype;
  if (!options.streams.empty()) {
    const StreamOptions& declared = options.streams.front();
    result.name = declared.name;
    result.storage = declared.storage;
    result.shape = declared.sample_shape;
    if (declared.dtype) result.type = declared.dtype;
    result.index_type = declared.index_dtype;
    result.defines_minibatch_size = declared.defines_minibatch_size;
    if (!declared.alias.empty() && declared.alias != declared.name) {
      throw ConfigError(formatted(
          "stream \"{}\": streams of Kaldi files have no names, so there is no alias \"{}\"",
          declared.name, declared.alias));
    }
  }
  if (result.name.empty()) result.name = stream_name_of(name, is_one_of_several);
  result.symbols_path = value_of(kSymbolsOption, options.extra);
  result.unknown = value_of(kUnknownOption, options.extra);
  check_text_options(result);
  set_kind(result);
  if (result.shape && result.shape->is_fixed()) {
    internal::check_sample_shape(result.name, *result.shape,
                                 result.storage.value_or(Storage::dense), result.index_type);
  } else if (result.shape && result.as != As::lists && result.as != As::text) {
    refuse(result, formatted("gives samples of one fixed shape, not {}", to_string(*result.shape)));
  }
  return result;
}

}  // namespace sheaf::kaldi
