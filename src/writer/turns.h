// Puts the blocks that several threads encode into the order of their turns.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "sheaf/extend/serializer.h"

namespace sheaf::internal {

/// Passes blocks on in the order of their turns 0, 1, 2, ... Each turn is first claimed and then
/// put. The thread that puts the next block passes on this block and all blocks that waited for it.
/// Meanwhile, other threads continue.
///
/// Threads: all calls are safe from any number of threads.
class Turns {
 public:
  using Block = Serializer::Block;

  /// Never called by two threads at once.
  using Append = std::function<void(std::unique_ptr<Block> block)>;

  /// `name` is the name of the file in messages.
  Turns(std::string name, std::int64_t waiting_bytes_max, Append append);

  /// Claims a turn.
  ///
  /// Throws: ConfigError if the turn is negative, was claimed before, or comes after close(); the
  ///         error that ended the file.
  void claim(std::int64_t turn);

  /// Claims and returns the turn after the last claimed turn.
  [[nodiscard]] std::int64_t claim_next();

  /// Passes on a block when its turn comes. Null means that the turn has no block. Waits while more
  /// than waiting_bytes_max would be kept, unless the turn is the next one.
  ///
  /// Pre:    the caller claimed the turn, and puts it once.
  /// Throws: what Append throws, and what check_interruption() throws while waiting. The caller
  ///         passes both to fail(), because the turn is lost. Also the error that ended the file.
  void put(std::int64_t turn, std::unique_ptr<Block> block);

  /// Ends the file: every waiting call and every later call throws `error`. Only the first error
  /// has an effect.
  void fail(std::exception_ptr error) noexcept;

  /// Notes that no more turns come.
  ///
  /// Throws: ConfigError if a turn is missing before a claimed turn; the error that ended the file.
  void close();

  /// Returns how many bytes are currently kept.
  [[nodiscard]] std::int64_t waiting_bytes() const;

 private:
  struct Entry {
    std::unique_ptr<Block> block;
    std::int64_t size_bytes = 0;
  };

  using Lock = std::unique_lock<std::mutex>;

  void claim(std::int64_t turn, const Lock& lock);
  void check(const Lock& lock) const;
  void append_ready(Lock& lock);

  const std::string name_;
  const std::int64_t waiting_bytes_max_;
  const Append append_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, Entry> waiting_;
  std::set<std::int64_t> claimed_;  // claimed turns from next_turn_ on
  std::int64_t waiting_bytes_ = 0;  // including the block that is being passed on
  std::int64_t next_turn_ = 0;      // all earlier turns were passed on
  std::int64_t turn_count_ = 0;     // one more than the last claimed turn
  bool is_appending_ = false;       // whether a thread is passing on blocks; it passes on all ready
                                    // blocks before it stops
  bool is_closed_ = false;
  std::exception_ptr error_;
};

}  // namespace sheaf::internal
