/// \file
/// Checks what a deserializer of your own delivers.
///
///     std::shared_ptr<const sheaf::Deserializer> data = std::make_shared<MyData>();
///     data = sheaf::checked(data);  // in tests, and while the class is young

#pragma once

#include <memory>

#include "sheaf/extend/deserializer.h"

namespace sheaf {

/// Returns a deserializer that delivers the same as `data` and checks each promise of
/// Deserializer::read that a class can break by mistake:
///
/// - as many sequences and streams as requested;
/// - the indexed length of each sequence except holes: the number of samples of the longest stream,
///   or of the stream that defines the minibatch size;
/// - sparse indices from 0 on, below the dim;
/// - if Index::cost_measure() has a name, one non-negative cost for each sequence, and the sum that
///   chunk_cost() returns.
///
/// A Reader checks the numbers of sequences and streams itself. A Reader does not check lengths and
/// indices, because that takes one more pass over the data, and built-in formats check while they
/// decode.
///
/// Throws: InternalError, from read() and build_index(). The message names the chunk, the sequence
///         and the stream, and gives the promised and the delivered numbers.
/// Cost:   reads each sequence's length, each sparse index, and the costs of the chunk.
[[nodiscard]] std::shared_ptr<const Deserializer> checked(std::shared_ptr<const Deserializer> data);

}  // namespace sheaf
