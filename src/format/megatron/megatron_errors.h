// The errors in token files of Megatron.

#pragma once

#include "core/error_kind.h"

namespace sheaf::megatron {

using internal::ErrorKind;

// Errors in the list, FILE.idx.
inline constexpr ErrorKind kHeader{"megatron-header",
                                   "34 bytes: MMIDIDX and two zero bytes, version 1, the code of a "
                                   "type, the number of sequences, the number of documents plus 1"};
inline constexpr ErrorKind kVersion{"megatron-version", "version 1"};
inline constexpr ErrorKind kType{"megatron-type",
                                 "the code of a type: 1 (uint8), 2 (int8), 3 (int16), 4 (int32), 5 "
                                 "(int64), 6 (float64), 7 (float32) or 8 (uint16)"};
inline constexpr ErrorKind kSize{"megatron-size", "a list with as many bytes as its header says"};
inline constexpr ErrorKind kEmpty{"megatron-empty", "at least one document"};
inline constexpr ErrorKind kLength{"megatron-length", "a number of tokens, from 0"};
inline constexpr ErrorKind kPointer{"megatron-pointer", "the place where the sequence before ends"};
inline constexpr ErrorKind kDocument{
    "megatron-document",
    "the first sequence of a document: 0 for the first document, rising numbers "
    "for the others, and at last the number of sequences"};

// Errors in the tokens, FILE.bin.
inline constexpr ErrorKind kTokens{"megatron-tokens", "as many bytes as the list says"};
inline constexpr ErrorKind kMoreTokens{"megatron-more-tokens", "the end of the file"};
inline constexpr ErrorKind kModes{"megatron-modes", "a list without modes of sequences"};

// Errors in writing.
inline constexpr ErrorKind kWrittenAbsent{"megatron-written-absent", "the stream of the tokens"};
inline constexpr ErrorKind kWrittenCount{"megatron-written-count",
                                         "a document of at most 2147483647 tokens"};
inline constexpr ErrorKind kWrittenNothing{"megatron-written-nothing", "at least one sequence"};

}  // namespace sheaf::megatron
