// From rows of CTF to chunks of sequences, without their values.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sheaf/byte_source.h"
#include "sheaf/diagnostic.h"
#include "sheaf/index.h"

#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_schema.h"
#include "index/scanned_chunk.h"

namespace sheaf::ctf {

using internal::ChunkBuilder;
using internal::ScannedChunk;
using internal::Scanner;
using internal::ScanPart;
using internal::StreamCounts;

/// What a scan notes besides: each becomes a warning.
class ScanNotes {
 public:
  explicit ScanNotes(const ByteSource& source) : source_(source) {}

  void unknown_stream(const Row& row, const char* bar, const char* name_end);
  void ignored_id(const Row& row, const Head& head);
  void dropped_sequence(std::int64_t offset, std::int64_t line, const Stream& defining);

  /// So far, in the order of the file.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  static constexpr std::size_t kNamesMax = 100;  // that are told of

  const ByteSource& source_;
  std::unordered_map<std::string, std::size_t> names_;  // to its warning
  std::string last_name_;                               // mostly the next one, too
  std::vector<Diagnostic> warnings_;
  std::optional<Diagnostic> dropped_;
  std::int64_t dropped_count_ = 0;
  bool has_ignored_id_ = false;
};

/// The scanner for what the schema asks for.
///
/// Lifetime: `source` and `schema` must outlive it.
[[nodiscard]] std::unique_ptr<Scanner> make_scanner(const ByteSource& source, const Schema& schema,
                                                    KeyMode mode, const ScanPart& part);

}  // namespace sheaf::ctf
