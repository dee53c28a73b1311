#include "format/wav/wav_options.h"

#include <algorithm>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"

#include "base/text.h"
#include "format/named_file.h"
#include "format/sample_shape.h"

namespace sheaf::wav {
namespace {

constexpr std::string_view kStreamName = "audio";  // name of an undeclared stream

KeyPart key_part_of(std::string_view given) {
  if (given == "name") return KeyPart::name;
  return given == "path" ? KeyPart::path : KeyPart::stem;
}

void check_stream(const StreamOptions& declared, const FormatOptions& options) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(formatted("stream \"{}\": {}", declared.name, why));
  };
  if (!declared.alias.empty() && declared.alias != declared.name && declared.alias != kStreamName) {
    refuse(
        formatted("the stream of WAV files has no name in the files, so there is no alias \"{}\"",
                  declared.alias));
  }
  if (declared.storage == Storage::sparse) refuse("samples of WAV files are dense");
  const ElementType type = declared.dtype.value_or(options.dtype.value_or(ElementType::f32));
  if (type != ElementType::f32) {
    refuse(
        formatted("samples of WAV files are read as f32, not {}; the transform cast gives other "
                  "types",
                  to_string(type)));
  }
  if (!declared.sample_shape) return;
  if (!declared.sample_shape->is_fixed()) {
    refuse(
        formatted("a sample of a WAV file has a value for each channel, as in the shape [2]; the "
                  "shape {} is not fixed",
                  to_string(*declared.sample_shape)));
  }
  internal::check_sample_shape(declared.name, *declared.sample_shape, declared.storage,
                               declared.index_dtype);
}

}  // namespace

ReadOptions read_options_of(const FormatOptions& options) {
  check_format_options("wav", kReadOptions, options.extra);
  if (options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  if (options.chunk_size_bytes < 1) throw ConfigError("chunk_size_bytes must be positive");
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError("compatibility: CNTK has no reader of WAV files to be compatible with");
  }
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: the key of a WAV file is in its path");
  }
  if (options.streams.size() > 1) {
    throw ConfigError(formatted("streams: WAV files have one stream, not {}; join data for more",
                                options.streams.size()));
  }
  StreamOptions declared;
  if (!options.streams.empty()) declared = options.streams.front();
  if (declared.name.empty()) declared.name = kStreamName;
  check_stream(declared, options);

  ReadOptions result;
  result.stream = {.name = declared.name,
                   .element_type = ElementType::f32,
                   .defines_minibatch_size = declared.defines_minibatch_size};
  if (declared.sample_shape) {
    result.stream.sample_shape = *declared.sample_shape;
    result.channel_count = declared.sample_shape->size();
  }
  result.rate = internal::sample_rate_of(kRateOption, options.extra);
  result.key_part = key_part_of(value_of(kKeysOption, options.extra));
  result.scale = internal::sample_scale_of(kScaleOption, options.extra);
  result.has_text_keys = options.keys.value_or(KeyType::text) == KeyType::text;
  result.chunk_size_bytes = options.chunk_size_bytes;
  result.read_size_bytes = options.read_size_bytes;
  return result;
}

std::string_view key_of_path(std::string_view path, KeyPart part) noexcept {
  if (part == KeyPart::path) return path;
  if (part == KeyPart::stem) return internal::file_stem(name_without_compression(path));
  return path.substr(path.find_last_of("/\\") + 1);
}

bool is_sound_path(std::string_view path) noexcept {
  const std::string_view name = name_without_compression(path);
  const std::size_t dot = name.find_last_of("./\\");
  if (dot == std::string_view::npos || name[dot] != '.') return false;
  const std::string_view extension = name.substr(dot + 1);
  const auto is_equal = [](char given, char small) {
    return given == small || (given >= 'A' && given <= 'Z' && given - 'A' + 'a' == small);
  };
  return std::ranges::any_of(kSoundExtensions, [&](std::string_view known) {
    return std::ranges::equal(extension, known, is_equal);
  });
}

}  // namespace sheaf::wav
