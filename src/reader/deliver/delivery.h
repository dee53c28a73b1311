/// \file
/// Delivers minibatches in order and counts them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include "sheaf/minibatch.h"
#include "sheaf/position.h"
#include "sheaf/reader.h"

#include "reader/deliver/error_account.h"
#include "reader/schedule.h"

namespace sheaf::internal {

/// The minibatches of the front item, one after the other, and the counts of all delivered
/// minibatches.
///
/// Threads: one call at a time.
class Delivery {
 public:
  /// `errors_memory` counts the memory of the ErrorAccount.
  Delivery(Position start, std::int64_t errors_max, ErrorAccount::Describe describe,
           Ledger::Token errors_memory);

  /// Returns whether the front item has minibatches left.
  [[nodiscard]] bool has_minibatch() const noexcept { return delivered_ < front_.packed.size(); }

  /// Returns the error that follows the last minibatch of the front item. Null if there is no
  /// error.
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return front_.error; }

  /// Takes the next item.
  ///
  /// Pre: !has_minibatch() and no error().
  void take(WorkItem item);

  /// Returns whether the next minibatch has no errors and no warnings.
  ///
  /// Pre: has_minibatch(), here and below.
  [[nodiscard]] bool is_clean() const noexcept { return front_.packed[delivered_].errors.empty(); }

  /// Describes the errors and warnings of the next minibatch. The call may be repeated.
  ///
  /// Throws: what an interruption throws.
  void describe() { errors_.describe(front_.packed[delivered_].errors); }

  /// Returns and counts the next minibatch.
  ///
  /// Throws: DataError at a fatal error, or when there are too many errors.
  [[nodiscard]] Minibatch next();

  /// Returns the position after the last minibatch.
  [[nodiscard]] const Position& position() const noexcept { return position_; }
  [[nodiscard]] const ErrorAccount& errors() const noexcept { return errors_; }

  /// Returns the counts, without memory_bytes_max, which comes from the ledger.
  [[nodiscard]] ReaderStats stats() const;
  void add_wait(double seconds) noexcept { stats_.wait_seconds += seconds; }

 private:
  Position position_;
  ErrorAccount errors_;
  ReaderStats stats_;
  WorkItem front_;
  std::size_t delivered_ = 0;  // minibatches of the front item
};

}  // namespace sheaf::internal
