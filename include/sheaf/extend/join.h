/// \file
/// Reads data sets with different streams of the same sequences as one data set.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"
#include "sheaf/extend/named_data.h"

namespace sheaf {

/// What happens to a sequence of the primary member that another member does not have.
///
/// drop:   the sequence is left out and counted, and warnings() names it.
/// error:  a DataError names the first such sequences.
/// absent: the sequence is delivered, and the streams of the other member are absent from it. Where
///         one of these streams defines the minibatch size, the sequence is left out.
enum class MissingSequences : std::uint8_t { drop, error, absent };

/// Which numbers of samples the members of a sequence may have.
///
/// any:     any numbers; nothing is compared.
/// equal:   the same number in all members that are compared. Where the numbers differ by at most
///          `length_tolerance`, the longer members are cut to the shortest. Where they differ by
///          more, the sequence is a hole, with the code `join-length`.
/// primary: at least as many as the primary has. Further samples are left out. Where a member has
///          fewer, the sequence is a hole, as above.
enum class Lengths : std::uint8_t { any, equal, primary };

struct JoinOptions {
  /// The number of the member that forms the chunks and gives the order.
  std::int64_t primary = 0;

  MissingSequences missing_sequences = MissingSequences::drop;

  Lengths lengths = Lengths::any;

  /// How many samples the members may differ by, for `equal`.
  std::int64_t length_tolerance = 0;

  /// Names of streams: `lengths` compares the members that have them, and the primary for
  /// `primary`. Empty means all members. Streams with a length of their own, such as one vector for
  /// a whole utterance, stay out.
  std::vector<std::string> length_streams = {};

  /// How many missing sequences the messages name. The others are only counted.
  std::int64_t named_max = 10;

  /// Limits the memory of the tables that say which sequences belong together. The rest of the
  /// tables lies in a temporary file. Where keys do not rise in all members, building the tables
  /// also takes about 4 MiB and 1/256 of the keys for each member, and a temporary file. Empty
  /// means no limit.
  std::optional<std::int64_t> memory_limit_bytes = {};

  /// Members in another order than the primary stay in memory once they are read, smallest first,
  /// as long as their decoded data fit into `held_bytes`. These bytes count as memory of the index
  /// from the start.
  std::int64_t held_bytes = std::int64_t{256} << 20;

  /// Indexes members in parallel. Null means the caller's thread. Not used afterwards.
  Executor* executor = nullptr;
};

/// Returns a data set whose sequences have the streams of all members, joined by sequence key.
///
/// Streams come in the order of the members. The member with the stream that defines the minibatch
/// size says how many samples a sequence counts. Without such a stream, the largest number of any
/// member counts, or with `lengths` the number that the compared members have in common. A sequence
/// is a hole where it is a hole in any member. Sequences that the primary does not have are not
/// delivered. warnings() names the first of them, and says how many there are.
///
/// The primary forms the chunks. Chunks left without sequences are dropped. A chunk's size counts
/// the bytes of its sequences in every member.
///
/// Members may have any order. join() indexes all members. A range of a joined chunk is read as
/// ranges of the members, neighbours together. A member in another order is held in memory
/// (`held_bytes`). Where the member is too large for that, its sequences are read one by one.
///
/// Throws: ConfigError where there are no members, a member is null, the primary does not exist,
///         two streams have one name, or two streams define the minibatch size, `length_streams`
///         names an unknown stream, or a tolerance is given without `equal`; DataError where a
///         member has a key twice, naming both places, and where no sequence is in all members;
///         IoError.
[[nodiscard]] std::unique_ptr<Deserializer> join(std::vector<NamedData> members,
                                                 const JoinOptions& options = {});

}  // namespace sheaf
