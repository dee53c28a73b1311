// The numbers of fields in the tables of the metadata.
//
// Source: https://github.com/apache/arrow/blob/main/format/, Schema.fbs, Message.fbs and File.fbs.

#pragma once

#include <cstdint>

namespace sheaf::arrow {

// Schema.
inline constexpr int kSchemaEndianness = 0;
inline constexpr int kSchemaFields = 1;
inline constexpr int kSchemaMetadata = 2;

// Field. Its type is a union.
inline constexpr int kFieldName = 0;
inline constexpr int kFieldNullable = 1;
inline constexpr int kFieldTypeCode = 2;
inline constexpr int kFieldType = 3;
inline constexpr int kFieldDictionary = 4;
inline constexpr int kFieldChildren = 5;
inline constexpr int kFieldMetadata = 6;

// DictionaryEncoding.
inline constexpr int kEncodingId = 0;
inline constexpr int kEncodingIndexType = 1;

// Message. Its header is a union.
inline constexpr int kMessageVersion = 0;
inline constexpr int kMessageKind = 1;
inline constexpr int kMessageHeader = 2;
inline constexpr int kMessageBodyBytes = 3;

// RecordBatch.
inline constexpr int kBatchRows = 0;
inline constexpr int kBatchNodes = 1;
inline constexpr int kBatchBuffers = 2;
inline constexpr int kBatchCompression = 3;
inline constexpr int kBatchViewBuffers = 4;

// DictionaryBatch.
inline constexpr int kDictionaryId = 0;
inline constexpr int kDictionaryValues = 1;
inline constexpr int kDictionaryIsDelta = 2;

// Footer, and its struct Block: 64 bits, 32 bits and a gap, 64 bits.
inline constexpr int kFooterVersion = 0;
inline constexpr int kFooterSchema = 1;
inline constexpr int kFooterDictionaries = 2;
inline constexpr int kFooterBatches = 3;
inline constexpr std::int64_t kBlockBytes = 24;
inline constexpr std::int64_t kBlockMetadataAt = 8;
inline constexpr std::int64_t kBlockBodyAt = 16;

}  // namespace sheaf::arrow
