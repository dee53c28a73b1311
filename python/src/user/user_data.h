/// \file
/// A deserializer of data that a Python class reads.

#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/extend/deserializer.h"

#include "user/user_calls.h"
#include "user/user_columns.h"
#include "user/user_table.h"

namespace sheaf::python {

/// Reads whole chunks, or parts if the Python class can read parts. A whole chunk is not read again
/// while the reader holds any of its sequences, or while the chunk is one of the last with a
/// requested part.
///
/// Threads: as Deserializer. Call without the GIL.
class UserData final : public Deserializer {
 public:
  struct Options {
    std::string name;  // for messages
    std::string fingerprint;
    std::int64_t memory_limit_bytes = 0;  // limit of the run; 0: none
    bool reads_parts = false;
  };

  UserData(std::shared_ptr<const Kept> description, std::vector<Stream> streams,
           std::shared_ptr<const UserTable> table, Options options);

  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return index_; }
  [[nodiscard]] std::string fingerprint() const override { return options_.fingerprint; }
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override;

  [[nodiscard]] const std::string& name() const noexcept { return options_.name; }
  [[nodiscard]] const UserCalls& calls() const noexcept { return *description_->calls; }

 private:
  /// The table, with the memory of the kept chunks.
  class WithKept final : public Index {
   public:
    WithKept(std::shared_ptr<const UserTable> table, std::int64_t kept_bytes)
        : table_(std::move(table)), kept_bytes_(kept_bytes) {}

    [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
      return table_->chunk(chunk);
    }
    [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
      return table_->sequences(chunk);
    }
    [[nodiscard]] std::int64_t memory_bytes() const override {
      return table_->memory_bytes() + kept_bytes_;
    }
    [[nodiscard]] CostMeasure cost_measure() const override { return table_->cost_measure(); }

   private:
    std::shared_ptr<const UserTable> table_;
    std::int64_t kept_bytes_;
  };

  /// A call and its result. The first waiting thread makes the result.
  struct Reading {
    std::shared_ptr<UserCall> call;
    std::once_flag once;
    std::shared_ptr<const UserChunk> chunk;
    std::exception_ptr error;
  };

  [[nodiscard]] std::shared_ptr<UserCall> call_for(const ChunkRange& range) const;
  [[nodiscard]] std::shared_ptr<const UserChunk> result_of(Reading& reading) const;
  [[nodiscard]] std::shared_ptr<const UserChunk> find(std::int64_t chunk) const;
  [[nodiscard]] std::shared_ptr<const UserChunk> read_part(const ChunkRange& part) const;
  [[nodiscard]] std::shared_ptr<const UserChunk> read_whole(std::int64_t chunk) const;
  void finish(std::int64_t chunk, const Reading& reading,
              const std::shared_ptr<const UserChunk>& content) const;
  void keep(std::int64_t chunk, const std::shared_ptr<const UserChunk>& content) const;

  const std::shared_ptr<const Kept> description_;
  const std::vector<Stream> streams_;
  const std::shared_ptr<const UserTable> table_;
  const Options options_;
  const std::int64_t kept_bytes_max_;
  const WithKept index_;

  struct KeptChunk {
    std::int64_t chunk;
    std::int64_t bytes;
    std::shared_ptr<const UserChunk> content;
  };

  mutable std::mutex mutex_;
  mutable std::unordered_map<std::int64_t, std::shared_ptr<Reading>> readings_;      // under way
  mutable std::unordered_map<std::int64_t, std::weak_ptr<const UserChunk>> chunks_;  // some expired
  mutable std::size_t chunks_max_ = 64;  // beyond this size, expired chunks_ are removed
  mutable std::deque<KeptChunk> kept_;   // oldest request first
  mutable std::int64_t kept_bytes_ = 0;
};

}  // namespace sheaf::python
