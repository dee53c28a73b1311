// The errors in lattices: in their tables of contents, and in the blocks.

#pragma once

#include "core/error_kind.h"
#include "core/numeric_key.h"

namespace sheaf::lattice {

using internal::ErrorKind;

// Errors of the file that is opened.
inline constexpr ErrorKind kUtf16{"lattice-encoding", "text in UTF-8"};
inline constexpr ErrorKind kNoText{"lattice-toc",
                                   "a table of contents of lattices, or a list of such tables"};
inline constexpr ErrorKind kMissingToc{"lattice-missing-toc", "a table of contents that is there"};
inline constexpr ErrorKind kNoLattice{"lattice-empty", "at least one lattice"};
inline constexpr ErrorKind kRepeatedKey{"lattice-repeated-key", "keys that differ"};

// Errors in one line of a table.
inline constexpr ErrorKind kNoEquals{"lattice-toc", "a line KEY=ARCHIVE[OFFSET]"};
inline constexpr ErrorKind kNoKey{"lattice-toc", "a key in front of the equals sign"};
inline constexpr ErrorKind kNoOpening{"lattice-toc", "[OFFSET] behind the archive"};
inline constexpr ErrorKind kNoClosing{"lattice-toc", "] behind the offset"};
inline constexpr ErrorKind kMore{"lattice-toc", "the end of the line behind ]"};
inline constexpr ErrorKind kOffset{"lattice-toc", "a byte offset, a whole number from 0 on"};
inline constexpr ErrorKind kZeroByte{"lattice-toc", "text"};
inline constexpr ErrorKind kNumericKey{"lattice-key", internal::kNumericKeyExpected};
inline constexpr ErrorKind kNoArchive{"lattice-archive", "an archive in the first line of a table"};
inline constexpr ErrorKind kMissingArchive{"lattice-missing-archive", "an archive that is there"};
inline constexpr ErrorKind kFirstOffset{"lattice-first-offset",
                                        "offset 0 for the first lattice of an archive"};
inline constexpr ErrorKind kOrder{"lattice-order", "an offset above the one of the line before"};
inline constexpr ErrorKind kBeyond{"lattice-beyond", "an offset within the archive"};
inline constexpr ErrorKind kTooLarge{"lattice-size", "a lattice of less than 50000000 bytes"};

// Errors in one block of an archive.
inline constexpr ErrorKind kTag{"lattice-tag", "the tag \"LAT \" at the start of a lattice"};
inline constexpr ErrorKind kVersion{"lattice-version", "version 1 or 2"};
inline constexpr ErrorKind kHeader{"lattice-cut", "a header of 32 bytes"};
inline constexpr ErrorKind kNodesTag{"lattice-nodes", "the tag \"NODS\" and a count"};
inline constexpr ErrorKind kNodeCount{"lattice-nodes", "as many nodes as the header says"};
inline constexpr ErrorKind kNoNode{"lattice-nodes", "at least one node"};
inline constexpr ErrorKind kFrames{"lattice-frames", "a last node at the end of the last frame"};
inline constexpr ErrorKind kEdgesTag{"lattice-edges", "the tag \"EDGS\" and a count"};
inline constexpr ErrorKind kEdgeCount{"lattice-edges", "as many edges as the header says"};
inline constexpr ErrorKind kTokensTag{"lattice-tokens", "the tag \"ALNS\" and a count"};
inline constexpr ErrorKind kTokenCount{"lattice-tokens", "a count of tokens that is not negative"};
inline constexpr ErrorKind kCut{"lattice-cut", "the bytes of all nodes, edges and tokens"};
inline constexpr ErrorKind kEndTag{"lattice-end", "the tag \"END \""};
inline constexpr ErrorKind kEnd{"lattice-end", "the end of the lattice behind the tag \"END \""};

// Errors in writing.
inline constexpr ErrorKind kWrittenKey{"lattice-key",
                                       "a key that is not empty, begins with no byte order mark, "
                                       "and has no =, line ends and bytes of value 0"};
inline constexpr ErrorKind kWrittenCount{"lattice-count", "one lattice"};
inline constexpr ErrorKind kWrittenFloats{
    "lattice-version", "version 2: of another lattice, floats do not say where the bytes end"};

}  // namespace sheaf::lattice
