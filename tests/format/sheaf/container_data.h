// Writes data to containers in memory.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"
#include "format/sheaf/container_serializer.h"

namespace sheaf::testing {

struct ContainerWriting {
  std::map<std::string, std::string> extra = {};
  std::int64_t chunk_size_bytes = std::int64_t{32} << 20;
  std::int64_t batch_size = 1000;
  std::string cost_name = {};              // not empty: write the costs of the data
  std::set<std::int64_t> chunk_ends = {};  // numbers of sequences, from 0, after which a chunk ends
};

/// Returns the bytes of a container with all sequences of the data.
inline std::string container_of(const Deserializer& data, const ContainerWriting& writing = {}) {
  std::string bytes;
  container::ContainerSerializer serializer(
      {.sink = memory_sink(bytes, "t.sheaf"),
       .streams = {data.streams().begin(), data.streams().end()},
       .options = {.chunk_size_bytes = writing.chunk_size_bytes,
                   .extra = writing.extra,
                   .cost_name = writing.cost_name}});
  std::int64_t number = 0;
  for (ChunkIndex c{}; const auto info = data.index().chunk(c); c = next(c)) {
    Diagnostics diagnostics;
    const Chunk chunk = data.read({c, 0, info->sequence_count}, diagnostics);
    for (std::int64_t first = 0; first < info->sequence_count;) {
      std::int64_t count = std::min(writing.batch_size, info->sequence_count - first);
      const auto end = writing.chunk_ends.lower_bound(number);
      if (end != writing.chunk_ends.end()) count = std::min(count, *end + 1 - number);
      std::vector<SequenceKey> keys;
      std::vector<std::string_view> texts;
      std::vector<std::int64_t> costs;
      for (std::int64_t i = first; i < first + count; ++i) {
        keys.push_back(data.index().sequences(c)->key(i));
        if (!writing.cost_name.empty()) costs.push_back((*data.index().costs(c))[i]);
        if (has_text_keys(data.index())) texts.push_back(chunk.key_text(i));
      }
      std::vector<std::vector<SequenceView>> views(data.streams().size());
      for (std::size_t s = 0; s < views.size(); ++s) {
        chunk.append_views(static_cast<std::int64_t>(s), first, count, views[s]);
      }
      const std::vector<std::span<const SequenceView>> spans(views.begin(), views.end());
      first += count;
      number += count;
      serializer.append(serializer.encode({.keys = keys,
                                           .key_texts = texts,
                                           .costs = costs,
                                           .views = spans,
                                           .ends_chunk = writing.chunk_ends.contains(number - 1)}));
    }
  }
  serializer.finish();
  return bytes;
}

/// Opens a container.
inline std::unique_ptr<Deserializer> open_container_bytes(std::string bytes,
                                                          const FormatOptions& options = {}) {
  return conformance::format_named("sheaf").open(
      {memory_source(std::move(bytes), "t.sheaf"), options});
}

/// Opens data in a text format.
inline std::unique_ptr<Deserializer> text_data_of(std::string_view format, std::string text,
                                                  const FormatOptions& options = {}) {
  return conformance::format_named(format).open({memory_source(std::move(text), "t"), options});
}

/// Returns JSON Lines with number keys and a stream of every form: dense, sparse, ragged, and
/// opaque bytes.
inline std::string jsonl_of_every_form(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += R"({"x": [)" + n + ".25, -1.5" + (i % 3 == 0 ? ", 1e-3" : "") + R"(], "label": )" +
            std::to_string(i % 7) + R"(, "text": "row )" + n + R"(", "ids": {"indices": [1, )" +
            std::to_string(2 + i % 90) + R"(], "values": [1, 0.5]}})" + "\n";
  }
  return text;
}

}  // namespace sheaf::testing
