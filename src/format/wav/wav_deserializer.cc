#include "format/wav/wav_deserializer.h"

#include "base/text.h"
#include "format/wav/wav_range.h"

namespace sheaf::wav {
namespace {

WavFiles files_of(const OpenRequest& request) {
  if (request.source != nullptr) return WavFiles(request.source);
  return {request.paths, request.context, request.options.index};
}

}  // namespace

WavDeserializer::WavDeserializer(const OpenRequest& request)
    : options_(read_options_of(request.options)),
      files_(files_of(request)),
      index_(files_, options_, request.context.executor) {
  streams_.push_back(options_.stream);
  if (!options_.channel_count) streams_.front().sample_shape = Shape{index_.channel_count()};
}

std::string WavDeserializer::fingerprint() const {
  std::string text = formatted("wav:{}:chunk={}:channels={}", index_.fingerprint(),
                               options_.chunk_size_bytes, index_.channel_count());
  if (options_.rate) text += formatted(":rate={}", *options_.rate);
  if (options_.scale == internal::SampleScale::int16) text += ":int16";
  if (!options_.has_text_keys) text += ":keys=numeric";
  return text;
}

Chunk WavDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const RangeSource source{
      .files = files_, .index = index_, .options = options_, .streams = streams_};
  return RangeReader(source, range, diagnostics).read();
}

}  // namespace sheaf::wav
