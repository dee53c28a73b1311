/// \file
/// Joins data sets that have different streams of the same sequences.

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

/// What happens to a sequence of the primary that another member lacks.
///
/// drop:   the sequence is left out and counted, and appears in warnings().
/// error:  a DataError names the first such sequences.
/// absent: the sequence is delivered without the streams of the other member. If one of these
///         streams defines the minibatch size, the sequence is left out.
enum class MissingSequences : std::uint8_t { drop, error, absent };

/// Which numbers of samples a sequence may have in the members.
///
/// any:      any numbers; nothing is compared.
/// equal:    the same number in all compared members. If the numbers differ by at most
///           `length_tolerance`, the longer members are cut to the shortest. If they differ by
///           more, the sequence is a hole, with the code `join-length`.
/// primary:  at least as many as in the primary. Further samples are left out. If a member has
///           fewer, the sequence is a hole, as above.
/// at_least: as primary, but further samples stay in the sequence. The order counts the samples of
///           the primary. Meant for OrderOptions::split_frames, where no further sample becomes a
///           frame, but a transform such as a context window still sees it.
enum class Lengths : std::uint8_t { any, equal, primary, at_least };

struct JoinOptions {
  /// The number of the member that forms the chunks and gives the order.
  std::int64_t primary = 0;

  MissingSequences missing_sequences = MissingSequences::drop;

  Lengths lengths = Lengths::any;

  /// How many samples the members may differ by, for `equal`.
  std::int64_t length_tolerance = 0;

  /// The names of streams. `lengths` compares the members with these streams, and for `primary` and
  /// `at_least` also the primary. Empty means all members. Leave out streams whose lengths differ
  /// by nature, such as one vector for a whole utterance.
  std::vector<std::string> length_streams = {};

  /// How many missing sequences the messages name. Further ones are only counted.
  std::int64_t named_max = 10;

  /// Limits the memory of the tables that match the sequences of the members. A temporary file
  /// holds the rest of the tables. If keys do not rise in all members, building the tables also
  /// takes about 4 MiB and 1/256 of the keys for each member, and a temporary file. Empty means no
  /// limit.
  std::optional<std::int64_t> memory_limit_bytes = {};

  /// The memory for members whose order differs from the primary's. Such members stay in memory
  /// after they are read, smallest first, as long as their decoded data fit. These bytes count as
  /// memory of the index from the start.
  std::int64_t held_bytes = std::int64_t{256} << 20;

  /// Indexes members in parallel. Null means the caller's thread. Not used afterwards.
  Executor* executor = nullptr;
};

/// Returns a data set whose sequences have the streams of all members, joined by sequence key.
///
/// Streams come in the order of the members. The number of samples of a sequence is the number in
/// the member with the stream that defines the minibatch size. Without such a stream, the number is
/// the largest of any member or, with `lengths`, the common number of the compared members. A hole
/// in any member is a hole of the join. Sequences that the primary lacks are not delivered.
/// warnings() names the first of them and their number.
///
/// The primary forms the chunks. Chunks left without sequences are dropped. A chunk's size counts
/// the bytes of its sequences in every member.
///
/// Members may have any order. join() indexes all members. To read a range of a joined chunk,
/// join() reads ranges of the members, with neighbouring sequences together. A member in a
/// different order is held in memory (`held_bytes`). If the member is too large, its sequences are
/// read one by one.
///
/// Throws: ConfigError if there are no members, a member is null, the primary does not exist, two
///         streams have the same name, two streams define the minibatch size, `length_streams`
///         names an unknown stream, or a tolerance is given without `equal`. DataError if a member
///         has a key twice, with both locations, or if no sequence is in all members. IoError.
[[nodiscard]] std::unique_ptr<Deserializer> join(std::vector<NamedData> members,
                                                 const JoinOptions& options = {});

}  // namespace sheaf
