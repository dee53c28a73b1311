#include "format/cbf/cbf_deserializer.h"

#include <utility>

#include "base/text.h"
#include "format/cbf/cbf_range.h"
#include "io/piecewise_source.h"

namespace sheaf::cbf {
namespace {

std::shared_ptr<const OpenFile> open_checked(std::shared_ptr<const ByteSource> source,
                                             const FormatOptions& options) {
  check_options(options);
  auto open = std::make_shared<OpenFile>();
  open->source =
      std::make_shared<internal::PiecewiseSource>(std::move(source), options.read_size_bytes);
  open->file = open_cbf(*open->source, trusts_lengths(options));
  open->checks = Checks::open(*open->source, open->file);
  return open;
}

}  // namespace

CbfDeserializer::CbfDeserializer(std::shared_ptr<const ByteSource> source,
                                 const FormatOptions& options)
    : open_(open_checked(std::move(source), options)),
      schema_(make_schema(options, *open_->source, open_->file.streams,
                          open_->file.stream_table_offset)),
      group_size_bytes_(options.groups_chunks ? options.chunk_size_bytes : 0),
      index_(open_, schema_, group_size_bytes_, options.index.memory_limit_bytes.value_or(0)),
      read_ahead_(*open_->source, open_->file.header_offset) {}

std::span<const Stream> CbfDeserializer::streams() const noexcept { return schema_.streams; }

const Index& CbfDeserializer::index() const noexcept { return index_; }

std::string CbfDeserializer::fingerprint() const {
  std::string text = formatted("cbf:{}", to_string(open_->source->fingerprint()));
  if (group_size_bytes_ > 0) text += formatted(":grouped={}", group_size_bytes_);
  if (schema_.allows_missing) text += ":missing_streams=allow";
  if (schema_.trusts_lengths) text += ":lengths=trust";
  for (std::size_t i = 0; i < schema_.streams.size(); ++i) {
    const std::string& name =
        open_->file.streams[static_cast<std::size_t>(schema_.file_streams[i])].name;
    if (schema_.streams[i].name != name) text += formatted(":{}={}", schema_.streams[i].name, name);
  }
  return text;
}

Chunk CbfDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  return RangeReader(*open_, schema_, index_, read_ahead_).read(range, diagnostics);
}

std::vector<Diagnostic> CbfDeserializer::warnings() const { return schema_.warnings; }

}  // namespace sheaf::cbf
