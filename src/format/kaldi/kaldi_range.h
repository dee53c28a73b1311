// Reads a range of the sequences of a chunk.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/index.h"

#include "format/kaldi/kaldi_decode.h"
#include "format/kaldi/kaldi_line.h"
#include "format/kaldi/kaldi_options.h"
#include "format/kaldi/kaldi_probe.h"
#include "format/kaldi/kaldi_values.h"

namespace sheaf::kaldi {

/// The line of a list.
struct ListedLine {
  std::string_view text{};
  std::int64_t number = 0;
  std::int64_t offset_bytes = 0;  // of the line
  ListedObject listed{};
};

/// One sequence of a range, and the location of its object.
struct WantedObject {
  std::string key{};                         // for an entry of an archive, read with the object
  std::shared_ptr<const ByteSource> source;  // null if the line has a fault or no file
  std::int64_t entry_begin = -1;  // offset of the key in an archive; -1 if the key is known
  std::int64_t begin = 0;         // start of the object in the source
  std::int64_t stored_bytes = 0;  // size of the object in the index
  std::int64_t sample_count = 0;  // from the index
  std::optional<internal::KaldiListedRange> rows{};
  std::optional<internal::KaldiListedRange> cols{};
  ListedLine line{};  // of a list

  std::vector<Diagnostic> faults{};
};

/// The context of a range.
struct RangeParts {
  std::string_view list_name;  // of the archive or the list, for messages
  const Stream& stream;
  const ReadOptions& options;
  const SequenceTable& table;       // of the chunk
  std::string_view lengths_name{};  // name of the file of lengths; empty if there is none
  std::int64_t first = 0;           // number of the first sequence of the range
};

/// Reads consecutive sequences of a chunk. A sequence with an error becomes a hole.
///
/// Throws: IoError.
[[nodiscard]] Chunk read_objects(std::span<WantedObject> objects, const RangeParts& from,
                                 Diagnostics& diagnostics);

}  // namespace sheaf::kaldi
