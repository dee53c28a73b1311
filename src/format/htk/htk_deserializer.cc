#include "format/htk/htk_deserializer.h"

#include <utility>

#include "base/text.h"
#include "format/htk/htk_range.h"
#include "format/named_file.h"

namespace sheaf::htk {
namespace {

std::string_view path_of(const ByteSource& list) {
  return list.path().empty() ? list.name() : list.path();
}

ListRules rules_of(const ReadOptions& options, const ByteSource& list) {
  return {.prefix = options.prefix,
          .folder = internal::folder_of(list),
          .allows_last_minus_1 = options.allows_last_minus_1};
}

}  // namespace

HtkDeserializer::HtkDeserializer(std::shared_ptr<const ByteSource> list,
                                 const FormatOptions& options, const Context& context)
    : list_(std::move(list)),
      options_(read_options_of(options, path_of(*list_))),
      rules_(rules_of(options_, *list_)),
      files_(context.file_system(), rules_.folder, options_.read_size_bytes),
      index_(index_parts(options, context)) {
  streams_.push_back(options_.stream);
  if (!options_.dim) streams_.front().sample_shape = Shape{index_.dim()};
}

HtkIndex::Parts HtkDeserializer::index_parts(const FormatOptions& options, const Context& context) {
  return {.list = list_,
          .rules = rules_,
          .options = &options_,
          .index = options.index,
          .context = context,
          .files = &files_};
}

std::string HtkDeserializer::fingerprint() const {
  std::string text = formatted("htk:{}:chunk={}:as={}", to_string(list_->fingerprint()),
                               options_.chunk_size_bytes, static_cast<int>(options_.as));
  if (options_.frames_max) text += formatted(":max={}", *options_.frames_max);
  if (!options_.allows_last_minus_1) text += ":cntk";
  if (!options_.has_text_keys) text += ":keys=numeric";
  if (!options_.prefix.empty()) {
    text += formatted(":prefix={}", to_string(key_of_text(options_.prefix)));
  }
  return text;
}

Chunk HtkDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const RangeSource source{.list = *list_,
                           .rules = rules_,
                           .options = options_,
                           .index = index_,
                           .files = files_,
                           .streams = streams_};
  return RangeReader(source, range, diagnostics).read();
}

void HtkDeserializer::visit_named_files(
    const std::function<void(const std::string& path)>& visit) const {
  index_.visit_paths([&](std::string_view path) { visit(files_.path_of(path)); });
}

}  // namespace sheaf::htk
