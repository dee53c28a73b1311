#include "format/megatron/megatron_options.h"

#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"

#include "base/text.h"

namespace sheaf::megatron {
namespace {

constexpr std::string_view kStreamName = "tokens";  // name of an undeclared stream

void check_stream(const StreamOptions& declared) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(formatted("stream \"{}\": {}", declared.name, why));
  };
  if (!declared.alias.empty() && declared.alias != declared.name && declared.alias != kStreamName) {
    refuse(formatted("the stream has no name in files of Megatron, so there is no alias \"{}\"",
                     declared.alias));
  }
  if (declared.storage == Storage::sparse) {
    refuse("tokens are dense; the transform one_hot makes sparse samples of them");
  }
  if (declared.sample_shape && *declared.sample_shape != Shape{1}) {
    refuse(formatted("a sample is one token, of the shape [1], not {}",
                     to_string(*declared.sample_shape)));
  }
}

}  // namespace

ReadOptions read_options_of(const FormatOptions& options) {
  check_format_options("megatron", kReadOptions, options.extra);
  if (options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  if (options.chunk_size_bytes < 1) throw ConfigError("chunk_size_bytes must be positive");
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError("compatibility: CNTK did not read files of Megatron");
  }
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: files of Megatron have no ids; keys are numbers");
  }
  if (options.keys == KeyType::text) {
    throw ConfigError("keys: files of Megatron have no keys, so keys are the numbers of documents");
  }
  if (options.streams.size() > 1) {
    throw ConfigError(
        formatted("streams: files of Megatron have one stream, not {}; join data for more",
                  options.streams.size()));
  }
  StreamOptions declared;
  if (!options.streams.empty()) declared = options.streams.front();
  if (declared.name.empty()) declared.name = kStreamName;
  check_stream(declared);

  ReadOptions result;
  result.stream_name = declared.name;
  result.dtype = declared.dtype ? declared.dtype : options.dtype;
  result.defines_minibatch_size = declared.defines_minibatch_size;
  const std::string_view path = value_of(kTokensOption, options.extra);
  if (path != kTokensValues.front()) result.tokens_path = path;
  result.chunk_size_bytes = options.chunk_size_bytes;
  result.read_size_bytes = options.read_size_bytes;
  return result;
}

std::string tokens_path_beside(std::string_view list_path) {
  const std::string_view path = name_without_compression(list_path);
  if (!path.ends_with(kListExtension)) {
    throw ConfigError(
        formatted("{}: expected a name that ends in {}, beside which lie the tokens; "
                  "megatron.tokens=FILE names another file",
                  list_path, kListExtension));
  }
  return std::string(path.substr(0, path.size() - kListExtension.size())) +
         std::string(kTokensExtension);
}

}  // namespace sheaf::megatron
