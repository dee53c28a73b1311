// One pass over the rows finds the sequences; a chunk is closed when the next sequence would make
// it longer than the options ask. The pass looks at names and bars only, never at values, so a
// sequence has as many samples as rows that name the stream, right or wrong. Reading counts by the
// same tokens.
//
// Ids that only ever rise cannot repeat, and need no memory. With the first chunk in which they do
// not, all ids go into a set.

#include "format/ctf/ctf_index.h"

#include <algorithm>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::ctf {

/// The state of the pass between two chunks.
class CtfIndex::Scanner {
 public:
  Scanner(std::shared_ptr<const ByteSource> source, const Schema& schema,
          const Beginning& beginning)
      : source_(std::move(source)),
        schema_(schema),
        mode_(beginning.mode),
        rows_(*source_, beginning.offset, source_->size(), 1, schema.read_size_bytes),
        grouper_(beginning.mode),
        streams_(schema.streams.size()),
        chunk_counts_(schema.streams.size()) {}

  /// The next chunk; nothing at the end of the file. `before` are the chunks so far.
  std::optional<Entry> next(const std::deque<Entry>& before) {
    Row row;
    while (rows_.next(row)) {
      const Head head = lex_head(row);
      if (!head.is_data) continue;
      const bool begins = grouper_.begins(row, head);
      std::optional<Entry> chunk;
      if (begins) {
        chunk = end_sequence(row.offset, before);
        begin_sequence(row);
      }
      line_ = row.line;
      visit_items(row, head, schema_.names, *this);
      if (chunk) return chunk;
    }
    // The last sequence may have a chunk of its own; then this is called once more.
    std::optional<Entry> chunk = end_sequence(source_->size(), before);
    return chunk ? std::move(chunk) : end_chunk(before);
  }

  [[nodiscard]] std::int64_t memory_bytes() const noexcept { return ids_.size_bytes(); }

  const char* sample(const char* /*bar*/, std::int64_t stream, const char* body, const char* end) {
    StreamState& state = streams_[static_cast<std::size_t>(stream)];
    if (std::exchange(state.last_line, line_) != line_) ++state.counts.sample_count;
    const char* const next_bar = find_bar(body, end);
    if (schema_.streams[static_cast<std::size_t>(stream)].storage == Storage::sparse) {
      state.counts.pair_count += std::count(body, next_bar, ':');
    }
    return next_bar;
  }
  void nameless(const char* /*bar*/) {}
  void stray(const char* /*place*/) {}
  void control(const char* /*place*/) {}

 private:
  struct StreamState {
    std::int64_t last_line = 0;  // of the last row that names the stream
    StreamCounts counts;         // in the sequence under way
  };

  void begin_sequence(const Row& row) {
    has_sequence_ = true;
    offset_ = row.offset;
    first_line_ = row.line;
    key_ = grouper_.key();
    for (StreamState& state : streams_) state = {};
  }

  /// Put the sequence under way, which ends at `end`, into the chunk. Returns the chunk before it
  /// where it would make that too long.
  std::optional<Entry> end_sequence(std::int64_t end, const std::deque<Entry>& before) {
    if (!std::exchange(has_sequence_, false)) return std::nullopt;
    std::optional<Entry> full;
    if (table_.size() > 0 && end - chunk_.offset_bytes > schema_.chunk_size_bytes) {
      full = end_chunk(before);
    }
    if (table_.size() == 0) {
      chunk_.offset_bytes = offset_;
      chunk_.first_line = first_line_;
    }
    std::int64_t sample_count = 0;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const StreamCounts& counts = streams_[i].counts;
      chunk_counts_[i].sample_count += counts.sample_count;
      chunk_counts_[i].pair_count += counts.pair_count;
      sample_count = std::max(sample_count, counts.sample_count);
    }
    if (schema_.defining_stream >= 0) {
      sample_count =
          streams_[static_cast<std::size_t>(schema_.defining_stream)].counts.sample_count;
    }
    table_.push_back({.key = {.low = key_},
                      .offset_bytes = offset_ - chunk_.offset_bytes,
                      .first_line = first_line_ - chunk_.first_line,
                      .sample_count = sample_count});
    chunk_.sample_count += sample_count;
    chunk_.size_bytes = end - chunk_.offset_bytes;
    ids_rise_ = ids_rise_ && (!has_id_ || key_ > id_max_);
    has_id_ = true;
    id_max_ = key_;
    return full;
  }

  /// Close the chunk; nothing where it is empty.
  std::optional<Entry> end_chunk(const std::deque<Entry>& before) {
    if (table_.size() == 0) return std::nullopt;
    Entry entry;
    chunk_.sequence_count = table_.size();
    chunk_.decoded_size_bytes = decoded_size_bytes();
    entry.info = std::exchange(chunk_, {});
    entry.sequences = std::make_shared<const SequenceTable>(table_.finish());
    entry.stream_counts = chunk_counts_;
    std::ranges::fill(chunk_counts_, StreamCounts{});
    if (mode_ == KeyMode::ids && !ids_rise_) {
      if (std::exchange(ids_are_rising_so_far_, false)) {
        for (const Entry& earlier : before) collect_repeated(*earlier.sequences);
      }
      entry.repeated = collect_repeated(*entry.sequences);
    }
    return entry;
  }

  /// Remember the ids of a chunk. Returns the numbers of the sequences whose id was there already.
  std::vector<std::int64_t> collect_repeated(const SequenceTable& sequences) {
    std::vector<std::int64_t> repeated;
    for (std::int64_t i = 0; i < sequences.size(); ++i) {
      if (!ids_.insert(sequences.key(i).low)) repeated.push_back(i);
    }
    return repeated;
  }

  [[nodiscard]] std::int64_t decoded_size_bytes() const {
    constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const Stream& stream = schema_.streams[i];
      const StreamCounts& counts = chunk_counts_[i];
      sum += (table_.size() + 1) * kOffsetSize;
      if (stream.storage == Storage::dense) {
        // A sample that is too short is an error; text cannot be denser than a digit and a blank.
        const std::int64_t sample_size = std::min(stream.sample_shape.size(), chunk_.size_bytes);
        sum += counts.sample_count * sample_size * element_size(stream.element_type);
      } else {
        sum += (counts.sample_count + 1) * kOffsetSize;
        sum += counts.pair_count *
               (element_size(stream.element_type) + element_size(stream.index_type));
      }
    }
    return sum;
  }

  std::shared_ptr<const ByteSource> source_;
  const Schema& schema_;
  KeyMode mode_;
  RowReader rows_;
  SequenceGrouper grouper_;

  // The sequence under way.
  bool has_sequence_ = false;
  std::int64_t offset_ = 0;
  std::int64_t first_line_ = 0;
  std::uint64_t key_ = 0;
  std::int64_t line_ = 0;  // of the row under way
  std::vector<StreamState> streams_;

  // The chunk under way.
  ChunkInfo chunk_;
  SequenceTable::Builder table_;
  std::vector<StreamCounts> chunk_counts_;

  // All ids so far.
  bool ids_rise_ = true;               // in the sequences
  bool ids_are_rising_so_far_ = true;  // in the chunks closed
  bool has_id_ = false;
  std::uint64_t id_max_ = 0;
  KeySet ids_;  // empty while ids rise
};

CtfIndex::CtfIndex(std::shared_ptr<const ByteSource> source, const Schema& schema,
                   const Beginning& beginning)
    : scanner_(std::make_unique<Scanner>(std::move(source), schema, beginning)) {}

CtfIndex::~CtfIndex() = default;

const CtfIndex::Entry* CtfIndex::find(ChunkIndex chunk) const {
  const std::scoped_lock lock(entries_mutex_);
  const auto i = static_cast<std::size_t>(chunk);
  return i < entries_.size() ? &entries_[i] : nullptr;
}

const CtfIndex::Entry* CtfIndex::find_or_scan(ChunkIndex chunk) const {
  if (const Entry* entry = find(chunk)) return entry;
  const std::scoped_lock scan_lock(scan_mutex_);
  if (scan_error_) std::rethrow_exception(scan_error_);
  try {
    while (scanner_ != nullptr && find(chunk) == nullptr) {
      // Entries are appended here alone, so reading them needs no second lock.
      std::optional<Entry> entry = scanner_->next(entries_);
      const std::scoped_lock lock(entries_mutex_);
      if (entry) {
        memory_bytes_ += entry->sequences->size_bytes() + std::int64_t{sizeof(Entry)};
        entries_.push_back(*std::move(entry));
        id_memory_bytes_ = scanner_->memory_bytes();
      } else {
        scanner_.reset();
        id_memory_bytes_ = 0;
      }
    }
  } catch (...) {
    scan_error_ = std::current_exception();
    throw;
  }
  return find(chunk);
}

const CtfIndex::Entry& CtfIndex::at(ChunkIndex chunk) const {
  const Entry* entry = find_or_scan(chunk);
  if (entry == nullptr) {
    throw InternalError(
        formatted("ctf index: there is no chunk {}", static_cast<std::int64_t>(chunk)));
  }
  return *entry;
}

std::optional<ChunkInfo> CtfIndex::chunk(ChunkIndex chunk) const {
  const Entry* entry = find_or_scan(chunk);
  return entry == nullptr ? std::nullopt : std::optional(entry->info);
}

std::shared_ptr<const SequenceTable> CtfIndex::sequences(ChunkIndex chunk) const {
  return at(chunk).sequences;
}

std::int64_t CtfIndex::memory_bytes() const {
  const std::scoped_lock lock(entries_mutex_);
  return memory_bytes_ + id_memory_bytes_;
}

std::span<const StreamCounts> CtfIndex::stream_counts(ChunkIndex chunk) const {
  return at(chunk).stream_counts;
}

std::span<const std::int64_t> CtfIndex::repeated(ChunkIndex chunk) const {
  return at(chunk).repeated;
}

std::int64_t CtfIndex::first_line_of(std::uint64_t id) const {
  for (ChunkIndex i{};; i = next(i)) {
    const Entry& entry = at(i);
    for (std::int64_t k = 0; k < entry.sequences->size(); ++k) {
      if (entry.sequences->key(k).low == id) {
        return entry.info.first_line + entry.sequences->first_line(k);
      }
    }
  }
}

}  // namespace sheaf::ctf
