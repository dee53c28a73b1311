// The errors in Arrow files.

#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/byte_source.h"

#include "core/error_kind.h"

namespace sheaf::arrow {

using internal::ErrorKind;

// Errors of the file.
inline constexpr ErrorKind kMagic{
    "arrow-magic", "ARROW1 and two zero bytes, or the first message of a stream: a schema"};
inline constexpr ErrorKind kFeather{"arrow-feather",
                                    "Feather of version 2, which is an Arrow file"};
inline constexpr ErrorKind kFooter{"arrow-footer",
                                   "a footer, the size of the footer and ARROW1 at the end"};
inline constexpr ErrorKind kBlock{"arrow-block", "the place of a message within the file"};
inline constexpr ErrorKind kMoreBytes{"arrow-more-bytes",
                                      "the end of the file behind the end of the stream"};
inline constexpr ErrorKind kRows{"arrow-rows", "a number of rows, from 0, and a sum below 2^63"};

// Errors in the folder of a saved data set.
inline constexpr ErrorKind kState{
    "arrow-state", "JSON: an object whose _data_files name Arrow files of the folder"};

// Errors in messages.
inline constexpr ErrorKind kMessage{"arrow-message",
                                    "a message: FF FF FF FF, the size of its metadata, the "
                                    "metadata, a body"};
inline constexpr ErrorKind kMetadata{"arrow-metadata", "metadata as a flatbuffer"};
inline constexpr ErrorKind kVersion{"arrow-version", "metadata of version V4 or V5"};
inline constexpr ErrorKind kByteOrder{"arrow-byte-order", "little-endian numbers"};
inline constexpr ErrorKind kType{"arrow-type", "a type of Arrow's format"};
inline constexpr ErrorKind kSchema{"arrow-schema", "a schema, once, at the start of the stream"};
inline constexpr ErrorKind kBatch{"arrow-batch",
                                  "as many nodes and buffers as the columns of the schema have"};
inline constexpr ErrorKind kNode{"arrow-node", "the length and the null count of an array"};

// Errors in bodies.
inline constexpr ErrorKind kBuffer{"arrow-buffer",
                                   "a buffer within the body, with the bytes that its array needs"};
inline constexpr ErrorKind kOffsets{"arrow-offsets", "rising offsets within the values"};
inline constexpr ErrorKind kCompression{"arrow-compression",
                                        "a buffer that is compressed with LZ4 or ZSTD"};

// Errors in dictionaries.
inline constexpr ErrorKind kDictionary{
    "arrow-dictionary", "one dictionary of each column, and then values that are appended"};
inline constexpr ErrorKind kNestedDictionary{"arrow-nested-dictionary",
                                             "a dictionary of values without a dictionary"};

/// Throws a DataError that points to a byte of a file.
[[noreturn]] inline void fail(const ByteSource& file, const ErrorKind& kind,
                              std::int64_t byte_offset, std::string found) {
  throw DataError({{.path = std::string(file.name()),
                    .byte_offset = byte_offset,
                    .code = std::string(kind.code),
                    .expected = std::string(kind.expected),
                    .found = std::move(found)}});
}

}  // namespace sheaf::arrow
