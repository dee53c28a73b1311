/// \file
/// Files that have different streams of the same sequences, as one data set.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/named_data.h"

namespace sheaf {

/// What becomes of a sequence of the primary that another member does not have. `drop`: it is left
/// out, counted, and named in warnings(). `error`: a DataError that names the first ones.
/// `absent`: it is delivered, and the streams of that member are absent from it; but where one of
/// them defines the minibatch size, it is left out.
enum class MissingSequences : std::uint8_t { drop, error, absent };

struct JoinOptions {
  /// Number of the member that forms the chunks and gives the order.
  std::int64_t primary = 0;

  MissingSequences missing = MissingSequences::drop;

  /// How many of the missing sequences messages name; the others are only counted.
  std::int64_t named_max = 10;

  /// For the tables that say which sequences belong together, once the join is made; what is more
  /// lies in a temporary file. Unless keys rise in all members, making them takes about 4 MiB for
  /// each, and 1/256 of the keys, and a temporary file for the others. 0: no limit.
  std::int64_t memory_limit_bytes = 0;

  /// Members in another order than the primary, smallest first, stay in memory once they are read,
  /// as long as all that they take, decoded, is within this. It counts as memory of the index from
  /// the start.
  std::int64_t held_bytes = std::int64_t{256} << 20;

  /// Where members may be indexed, at the same time; none: on the caller's thread, one after the
  /// other. Not used afterwards.
  Executor* executor = nullptr;
};

/// Sequences with the streams of all members, put together by sequence key.
///
/// Streams come in the order of the members. A sequence counts as many samples as its member with
/// the stream that defines the minibatch size says; where there is no such stream, as the most that
/// any member says. It is a hole where it is one in any member. Sequences that the primary does not
/// have are not delivered; warnings() say how many there are.
///
/// Chunks are those of the primary, without the sequences that are left out; a chunk that has none
/// left is none. Their sizes are those of what their sequences have in all members: where others
/// are much larger than the primary, chunks are, too.
///
/// Members may be in any order. All their indexes are looked at here, and the data never more than
/// that takes. A range of a joined chunk is read as the ranges of the members that it touches,
/// neighbours together. Where a member is in another order, it is held in memory (held_bytes), or
/// where it is too large for that, its sequences are read one by one.
///
/// Throws: ConfigError where there are no members, a null one, no such primary, two streams of one
///         name, or two that define the minibatch size; DataError where a key is in a member twice,
///         naming both places, or no sequence is in all members; IoError.
[[nodiscard]] std::unique_ptr<Deserializer> join(std::vector<NamedData> members,
                                                 const JoinOptions& options = {});

}  // namespace sheaf
