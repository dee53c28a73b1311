/// \file
/// Checks what a deserializer of your own delivers.
///
///     std::shared_ptr<const sheaf::Deserializer> data = std::make_shared<MyData>();
///     data = sheaf::checked(data);  // in tests, and while the class is young

#pragma once

#include <memory>

#include "sheaf/extend/deserializer.h"

namespace sheaf {

/// Returns a deserializer that delivers what `data` delivers, and checks each promise of
/// Deserializer::read that a class can break by mistake:
///
/// - as many sequences and streams as were asked for;
/// - the indexed length of each sequence but holes: the number of samples of the longest stream, or
///   of the stream that defines the minibatch size;
/// - sparse indices from 0 on, below the dim;
/// - one cost for each sequence, not negative, where Index::cost_measure() has a name, and the sum
///   that chunk_cost() says.
///
/// A Reader checks the numbers of sequences and streams itself. A Reader does not check lengths and
/// indices: the check is one more pass over the data, and built-in formats check while they decode.
///
/// Throws: InternalError, from read() and build_index(). The message names the chunk, the sequence
///         and the stream, and says what the deserializer promised and what it delivered.
/// Cost:   one look at each sequence and each sparse index, and at the costs of the chunk.
[[nodiscard]] std::shared_ptr<const Deserializer> checked(std::shared_ptr<const Deserializer> data);

}  // namespace sheaf
