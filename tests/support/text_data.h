/// \file
/// Data sets from texts in memory.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/extend/named_data.h"

#include "conformance/format_under_test.h"
#include "conformance/read_all.h"
#include "support/error_of.h"

namespace sheaf::testing {

inline StreamOptions dense(std::string name, std::int64_t dim = 1) {
  StreamOptions stream;
  stream.name = std::move(name);
  stream.sample_shape = Shape{dim};
  return stream;
}

inline StreamOptions sparse(std::string name, std::int64_t dim) {
  StreamOptions stream = dense(std::move(name), dim);
  stream.storage = Storage::sparse;
  return stream;
}

/// Returns options with these streams, and with chunks of `chunk_size_bytes`.
inline FormatOptions with_streams(std::vector<StreamOptions> streams,
                                  std::int64_t chunk_size_bytes = 1 << 20) {
  FormatOptions options;
  options.streams = std::move(streams);
  options.chunk_size_bytes = chunk_size_bytes;
  return options;
}

/// Opens a text in CTF.
inline NamedData ctf(std::string name, std::string text, const FormatOptions& options = {}) {
  return {.data = conformance::format_named("ctf").open(
              {memory_source(std::move(text), name), options}),
          .name = std::move(name)};
}

/// Returns all sequences of a data set, without their line numbers.
inline std::vector<conformance::ReferenceSequence> sequences_of(const Deserializer& data) {
  std::vector<conformance::ReferenceSequence> sequences = conformance::read_all(data).sequences;
  for (conformance::ReferenceSequence& sequence : sequences) sequence.first_line = 0;
  return sequences;
}

/// Returns the keys of all sequences.
inline std::vector<std::uint64_t> keys_of(const Deserializer& data) {
  std::vector<std::uint64_t> keys;
  for (const auto& sequence : sequences_of(data)) keys.push_back(sequence.key.low);
  return keys;
}

/// Returns the number of sequences of each chunk.
inline std::vector<std::int64_t> chunk_sizes(const Deserializer& data) {
  std::vector<std::int64_t> sizes;
  for (ChunkIndex c{}; const auto info = data.index().chunk(c); c = next(c)) {
    sizes.push_back(info->sequence_count);
  }
  return sizes;
}

/// Returns the texts of diagnostics.
template <typename Diagnostics>
std::vector<std::string> texts_of(const Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  for (const Diagnostic& each : diagnostics) texts.push_back(to_string(each));
  return texts;
}

}  // namespace sheaf::testing
