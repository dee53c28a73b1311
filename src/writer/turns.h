// What several threads encode, in the order of their turns.

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

/// Hands blocks on in the order of their turns 0, 1, 2, ...; each turn is claimed, then put.
/// Whoever puts the next block hands on it and all that were waiting for it, while the others go
/// on.
///
/// Threads: all calls are safe from any number of threads.
class Turns {
 public:
  using Block = Serializer::Block;

  /// Never called by two threads at once.
  using Append = std::function<void(std::unique_ptr<Block> block)>;

  /// `name` is what messages call the file.
  Turns(std::string name, std::int64_t waiting_bytes_max, Append append);

  /// Throws: ConfigError where the turn is negative, was claimed before, or comes after close();
  ///         the error that ended the file.
  void claim(std::int64_t turn);

  /// Claim the turn after the last one that was claimed.
  [[nodiscard]] std::int64_t claim_next();

  /// Hand on a block when its turn comes; null where there is nothing in this turn. Waits while
  /// more than waiting_bytes_max would be kept, unless the turn is the next.
  ///
  /// Pre:    the turn was claimed by the caller, and is put once.
  /// Throws: what Append throws, and what check_interruption() throws while it waits: the caller
  ///         gives both to fail(), since the turn is lost; the error that ended the file.
  void put(std::int64_t turn, std::unique_ptr<Block> block);

  /// End the file: every call that waits, and every later one, throws `error`. The first one
  /// counts.
  void fail(std::exception_ptr error) noexcept;

  /// No turn comes any more.
  ///
  /// Throws: ConfigError where a turn is missing before one that was claimed; the error that ended
  ///         the file.
  void close();

  /// Bytes kept at the moment.
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
  std::set<std::int64_t> claimed_;  // from next_turn_ on
  std::int64_t waiting_bytes_ = 0;  // with the block that is handed on
  std::int64_t next_turn_ = 0;      // all before it were handed on
  std::int64_t turn_count_ = 0;     // one more than the last turn that was claimed
  bool is_appending_ = false;       // some thread is, and takes what is ready before it stops
  bool is_closed_ = false;
  std::exception_ptr error_;
};

}  // namespace sheaf::internal
