// Turns lines into chunks of sequences without images.

#pragma once

#include <cstdint>
#include <memory>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"

#include "format/image_base64/image_base64_lines.h"
#include "format/images/image_streams.h"
#include "format/text/scanned_block.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::image_base64 {

/// The schema of lines. The index sees one sequence for each line, and one stream. The samples of
/// that stream count the largest memory of the line when it is read.
struct Schema : internal::TextSchema {
  LineForm form;
  internal::ImageStreams images;
};

[[nodiscard]] Schema schema_of(const FormatOptions& options, const LineForm& form,
                               const internal::ImageStreams& images);

/// Returns the largest memory of the images in lines with this many bytes.
[[nodiscard]] constexpr std::int64_t image_bytes_max(std::int64_t size_bytes) noexcept {
  return size_bytes / 4 * 3 + 3;
}

/// Lifetime: `source` and `schema` must outlive the scanner.
[[nodiscard]] std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source,
                                                              const Schema& schema,
                                                              const internal::ScanPart& part);

/// Scans all lines of a block.
[[nodiscard]] internal::ScannedBlock scan_block(const ByteSource& source, const Schema& schema,
                                                internal::ScanPart part);

/// Returns the offset of the first line in [from, to) that is not blank, or `to` if there is none.
///
/// Pre: 0 < from <= to.
[[nodiscard]] std::int64_t find_start(const ByteSource& source, const Schema& schema,
                                      std::int64_t from, std::int64_t to);

}  // namespace sheaf::image_base64
