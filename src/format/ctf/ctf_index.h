// The index of a CTF file.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"

#include "format/ctf/ctf_infer.h"
#include "format/ctf/ctf_schema.h"
#include "format/text/scanned_index.h"
#include "index/index_file.h"

namespace sheaf::ctf {

/// The first location of a key.
struct FirstLocation {
  std::int64_t line = 0;
  std::string text;  // the id there; empty if keys are numbers
};

class CtfIndex final : public internal::ScannedIndex {
 public:
  /// Keeps `found` in the index file if streams had to be found.
  ///
  /// Lifetime: `schema` must outlive the index.
  /// Throws: as ScannedIndex.
  CtfIndex(std::shared_ptr<const ByteSource> source, const Schema& schema,
           const Beginning& beginning, const IndexOptions& options, FileSystem& files,
           const internal::IndexIdentity& identity, std::optional<FoundStreams> found = {});

  /// Returns the location of the first sequence with this key.
  ///
  /// Pre: there is one.
  [[nodiscard]] FirstLocation first_location_of(const SequenceKey& key) const;

 private:
  [[nodiscard]] std::optional<internal::BlockFormat> blocks_of(const ByteSource& source,
                                                               const Schema& schema,
                                                               KeyMode mode) const;

  const std::shared_ptr<const ByteSource> source_;
  const Schema& schema_;
};

}  // namespace sheaf::ctf
