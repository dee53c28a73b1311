#include "format/megatron/megatron_deserializer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"

#include "base/text.h"
#include "format/megatron/megatron_types.h"
#include "format/named_file.h"

namespace sheaf::megatron {
namespace {

std::string_view path_of(const ByteSource& list) {
  return list.path().empty() ? list.name() : list.path();
}

std::string tokens_path_of(const ReadOptions& options, const ByteSource& list, FileSystem& files) {
  if (options.tokens_path.empty()) return tokens_path_beside(path_of(list));
  return internal::named_file_path(options.tokens_path, internal::folder_of(list), files);
}

std::vector<Stream> streams_of(const ReadOptions& options, const TokenType& type) {
  const ElementType dtype = options.dtype.value_or(type.element_type);
  if (!can_become(type, dtype)) {
    throw ConfigError(
        formatted("stream \"{}\": tokens of type {} cannot be read as {}, which does not hold all "
                  "of them; the transform cast gives other types",
                  options.stream_name, type.name, to_string(dtype)));
  }
  return {{.name = options.stream_name,
           .element_type = dtype,
           .sample_shape = Shape{1},
           .defines_minibatch_size = options.defines_minibatch_size}};
}

}  // namespace

MegatronDeserializer::MegatronDeserializer(const OpenRequest& request)
    : list_(request.source),
      options_(read_options_of(request.options)),
      header_(read_header(*list_)),
      tokens_path_(tokens_path_of(options_, *list_, request.context.file_system())),
      tokens_(request.context.file_system().open(tokens_path_)),
      streams_(streams_of(options_, header_.type)),
      index_(parts(), streams_.front().element_type,
             scan_list(parts(), options_.chunk_size_bytes, options_.read_size_bytes)) {}

std::string MegatronDeserializer::fingerprint() const {
  return formatted("megatron:{}:{}:chunk={}:{}", to_string(list_->fingerprint()),
                   to_string(tokens_->fingerprint()), options_.chunk_size_bytes,
                   to_string(streams_.front().element_type));
}

Chunk MegatronDeserializer::read(const ChunkRange& range, Diagnostics& /*diagnostics*/) const {
  const std::int64_t first = index_.first_document(range.chunk);
  const std::int64_t all = index_.first_document(next(range.chunk)) - first;
  const std::int64_t count = std::min(range.count, all - range.first);
  const Documents documents = index_.documents(first + range.first, count);

  Column column;
  column.sequence_offsets.reserve((count + 1) * std::int64_t{sizeof(std::int64_t)});
  std::int64_t end = 0;
  column.sequence_offsets.push_back(end);
  for (const std::int64_t tokens : documents.token_counts) {
    column.sequence_offsets.push_back(end += tokens);
  }
  Buffer stored;
  const std::int64_t stored_size = documents.token_count * header_.type.size_bytes;
  stored.reserve(stored_size);
  stored.resize(stored_size);
  tokens_->read_at(documents.first_token_byte,
                   {stored.mutable_data(), static_cast<std::size_t>(stored_size)});
  const ElementType dtype = streams_.front().element_type;
  if (header_.type.is_as_stored() && header_.type.element_type == dtype) {
    column.values = std::move(stored);
  } else {
    const std::int64_t size = documents.token_count * element_size(dtype);
    column.values.reserve(size);
    column.values.resize(size);
    convert_tokens(header_.type, stored.data(), documents.token_count, dtype,
                   column.values.mutable_data());
  }
  std::vector<Column> columns;
  columns.push_back(std::move(column));
  return {streams_, count, std::move(columns)};
}

Diagnostic MegatronDeserializer::location_of(ChunkIndex chunk, std::int64_t sequence,
                                             std::int64_t /*stream*/) const {
  const std::int64_t document = index_.first_document(chunk) + sequence;
  return {.path = std::string(tokens_->name()),
          .byte_offset = index_.documents(document, 1).first_token_byte,
          .sequence_key = formatted("{}", document)};
}

bool MegatronDeserializer::has_fast_random_access() const noexcept {
  return list_->has_fast_random_access() && tokens_->has_fast_random_access();
}

void MegatronDeserializer::visit_named_files(
    const std::function<void(const std::string& path)>& visit) const {
  visit(tokens_path_);
}

std::vector<Diagnostic> MegatronDeserializer::warnings() const {
  std::vector<Diagnostic> warnings;
  const auto warn = [&](const ByteSource& file, const ErrorKind& kind, std::int64_t location,
                        std::string found) {
    warnings.push_back(location_in(file, kind, location, std::move(found)));
    warnings.back().severity = Severity::warning;
  };
  if (list_->size() > header_.size_bytes()) {
    warn(*list_, kModes, header_.size_bytes(), "modes, which are not read");
  }
  const std::int64_t end = index_.tokens_end();
  if (tokens_->size() > end) {
    warn(*tokens_, kMoreTokens, end, formatted("{} bytes more", tokens_->size() - end));
  }
  return warnings;
}

}  // namespace sheaf::megatron
