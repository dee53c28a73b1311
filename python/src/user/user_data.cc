#include "user/user_data.h"

#include <algorithm>
#include <utility>

namespace sheaf::python {
namespace {

// The most memory for chunks that are kept only to avoid reading them again.
constexpr std::int64_t kKeptBytes = std::int64_t{256} << 20;
constexpr std::int64_t kKeptShare = 8;  // with a memory limit: one part in kKeptShare of it

std::int64_t kept_bytes_max(const UserTable& table, std::int64_t memory_limit_bytes) {
  std::int64_t all = 0;
  for (ChunkIndex c{}; const auto info = table.chunk(c); c = next(c)) {
    all += info->decoded_size_bytes;
  }
  return std::min(all, memory_limit_bytes > 0 ? memory_limit_bytes / kKeptShare : kKeptBytes);
}

std::int64_t size_of(const Chunk& chunk) {
  std::int64_t bytes = 0;
  for (const Column& column : chunk.columns()) {
    bytes += column.values.size_bytes() + column.indices.size_bytes() +
             column.sample_offsets.size_bytes() + column.extents.size_bytes() +
             column.sequence_offsets.size_bytes();
  }
  return bytes;
}

}  // namespace

UserData::UserData(std::shared_ptr<const Kept> description, std::vector<Stream> streams,
                   std::shared_ptr<const UserTable> table, Options options)
    : description_(std::move(description)),
      streams_(std::move(streams)),
      table_(std::move(table)),
      options_(std::move(options)),
      kept_bytes_max_(kept_bytes_max(*table_, options_.memory_limit_bytes)),
      index_(table_, kept_bytes_max_) {}

Chunk UserData::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const std::int64_t all = table_->chunk(range.chunk)->sequence_count;
  const ChunkRange wanted{range.chunk, range.first, std::min(range.count, all - range.first)};
  const bool is_whole = wanted.count == all;
  // A borrowed part would keep its whole chunk in memory, which the memory limit does not count.
  const bool copies = !is_whole && options_.memory_limit_bytes > 0;
  const auto chunk = static_cast<std::int64_t>(range.chunk);
  std::shared_ptr<const UserChunk> content = find(chunk);
  if (!content) {
    content = !is_whole && options_.reads_parts ? read_part(wanted) : read_whole(chunk);
  }
  if (!is_whole && !options_.reads_parts) keep(chunk, content);
  return part_of(content, streams_, *table_, wanted, copies, diagnostics);
}

std::shared_ptr<UserCall> UserData::call_for(const ChunkRange& range) const {
  auto call = std::make_shared<UserCall>();
  call->description = description_->number;
  call->table = table_;
  call->range = range;
  call->sample_count = table_->sample_count(range);
  return call;
}

// Waits for the answer. The first thread that waits makes the columns, so that the Python thread
// need not.
std::shared_ptr<const UserChunk> UserData::result_of(Reading& reading) const {
  description_->calls->wait(*reading.call);
  std::call_once(reading.once, [&] {
    try {
      reading.chunk =
          std::make_shared<const UserChunk>(user_chunk(*reading.call, streams_, options_.name));
    } catch (...) {
      reading.error = std::current_exception();
    }
    reading.call->streams.clear();
  });
  if (reading.error) std::rethrow_exception(reading.error);
  return reading.chunk;
}

std::shared_ptr<const UserChunk> UserData::find(std::int64_t chunk) const {
  const std::lock_guard lock(mutex_);
  const auto found = chunks_.find(chunk);
  return found == chunks_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<const UserChunk> UserData::read_part(const ChunkRange& part) const {
  Reading reading;
  reading.call = call_for(part);
  description_->calls->ask(reading.call);
  return result_of(reading);
}

// Reads a whole chunk. Threads that ask for the chunk meanwhile wait for the same call.
std::shared_ptr<const UserChunk> UserData::read_whole(std::int64_t chunk) const {
  std::shared_ptr<Reading> reading;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = chunks_.find(chunk); known != chunks_.end()) {
      if (auto content = known->second.lock()) return content;  // another thread has read it
    }
    std::shared_ptr<Reading>& entry = readings_[chunk];
    is_first = entry == nullptr;
    if (is_first) {
      entry = std::make_shared<Reading>();
      const ChunkIndex index{chunk};
      entry->call = call_for({index, 0, table_->chunk(index)->sequence_count});
    }
    reading = entry;
  }
  if (is_first) description_->calls->ask(reading->call);
  try {
    std::shared_ptr<const UserChunk> content = result_of(*reading);
    finish(chunk, *reading, content);
    return content;
  } catch (...) {
    finish(chunk, *reading, nullptr);
    throw;
  }
}

// Ends a reading and remembers its chunk. Later calls find the chunk as long as any reader holds
// it, and otherwise read it again.
void UserData::finish(std::int64_t chunk, const Reading& reading,
                      const std::shared_ptr<const UserChunk>& content) const {
  const std::lock_guard lock(mutex_);
  const auto entry = readings_.find(chunk);
  if (entry != readings_.end() && entry->second.get() == &reading) readings_.erase(entry);
  if (!content) return;
  chunks_[chunk] = content;
  if (chunks_.size() <= chunks_max_) return;
  std::erase_if(chunks_, [](const auto& each) { return each.second.expired(); });
  chunks_max_ = std::max<std::size_t>(64, 2 * chunks_.size());
}

// Keeps a chunk, because the reader may ask for other parts of it. Drops the oldest chunks beyond
// the limit.
void UserData::keep(std::int64_t chunk, const std::shared_ptr<const UserChunk>& content) const {
  std::deque<KeptChunk> dropped;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto entry = std::ranges::find(kept_, chunk, &KeptChunk::chunk);
  if (entry != kept_.end()) {
    kept_bytes_ -= entry->bytes;
    dropped.push_back(std::move(*entry));
    kept_.erase(entry);
  }
  kept_.push_back({chunk, size_of(content->chunk), content});
  kept_bytes_ += kept_.back().bytes;
  while (kept_bytes_ > kept_bytes_max_) {
    kept_bytes_ -= kept_.front().bytes;
    dropped.push_back(std::move(kept_.front()));
    kept_.pop_front();
  }
}

}  // namespace sheaf::python
