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

/// The minibatches of the slot in front, one after the other, and the account of all that were
/// delivered.
///
/// Threads: one call at a time.
class Delivery {
 public:
  Delivery(Position start, std::int64_t errors_max, ErrorAccount::Describe describe);

  /// Returns whether the slot in front has minibatches left.
  [[nodiscard]] bool has_minibatch() const noexcept { return delivered_ < front_.packed.size(); }

  /// Returns what follows the last minibatch of the slot in front in place of another one; null
  /// where the run goes on.
  [[nodiscard]] const std::exception_ptr& error() const noexcept { return front_.error; }

  /// Takes the next slot.
  ///
  /// Pre: !has_minibatch() and no error().
  void take(Slot slot);

  /// Returns whether the next minibatch has no wrong places.
  ///
  /// Pre: has_minibatch(), here and below.
  [[nodiscard]] bool is_clean() const noexcept { return front_.packed[delivered_].places.empty(); }

  /// Describes the wrong places of the next minibatch. The call may be repeated.
  ///
  /// Throws: what an interruption throws.
  void describe() { errors_.describe(front_.packed[delivered_].places); }

  /// Delivers the next minibatch, and counts it.
  ///
  /// Throws: DataError at the wrong place that is one too many, or fatal.
  [[nodiscard]] Minibatch next();

  /// Returns the position behind the last minibatch.
  [[nodiscard]] const Position& position() const noexcept { return position_; }
  [[nodiscard]] const ErrorAccount& errors() const noexcept { return errors_; }

  /// Returns the counts; without the memory, which the ledger knows.
  [[nodiscard]] ReaderStats stats() const;
  void add_wait(double seconds) noexcept { stats_.wait_seconds += seconds; }

 private:
  Position position_;
  ErrorAccount errors_;
  ReaderStats stats_;
  Slot front_;
  std::size_t delivered_ = 0;  // minibatches of the front
};

}  // namespace sheaf::internal
