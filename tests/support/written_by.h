// Writes data with the serializer of one format.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/serializer.h"

namespace sheaf::testing {

/// Writes all sequences of the data, chunk by chunk, to a file in memory. Returns the bytes.
template <typename Written>
std::string written_by(const Deserializer& data, const std::string& path,
                       const std::map<std::string, std::string>& extra) {
  std::string bytes;
  CreateRequest request{.sink = memory_sink(bytes, path)};
  request.streams.assign(data.streams().begin(), data.streams().end());
  request.options.extra = extra;
  Written serializer(std::move(request));
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    Diagnostics diagnostics;
    const std::int64_t count = data.index().chunk(i)->sequence_count;
    const Chunk chunk = data.read({.chunk = i, .count = count}, diagnostics);
    std::vector<std::vector<SequenceView>> views(data.streams().size());
    std::vector<std::span<const SequenceView>> spans;
    for (std::size_t s = 0; s < views.size(); ++s) {
      chunk.append_views(static_cast<std::int64_t>(s), 0, count, views[s]);
      spans.emplace_back(views[s]);
    }
    std::vector<SequenceKey> keys;
    std::vector<std::string_view> texts;
    for (std::int64_t n = 0; n < count; ++n) {
      keys.push_back(data.index().sequences(i)->key(n));
      if (has_text_keys(data.index())) texts.push_back(chunk.key_text(n));
    }
    auto block = serializer.encode({.keys = keys, .key_texts = texts, .views = spans});
    EXPECT_GT(block->memory_bytes(), 0);
    serializer.append(std::move(block));
  }
  serializer.finish();
  return bytes;
}

}  // namespace sheaf::testing
