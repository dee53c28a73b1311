#include "dataset/part_data.h"

#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "dataset/transformed_data.h"

namespace sheaf::internal {
namespace {

std::shared_ptr<const Deserializer> indexed(std::shared_ptr<const Deserializer> whole,
                                            const DataPart& part, Executor* executor) {
  check_part(part);
  if (whole->index().mixture() != nullptr) {
    throw ConfigError(formatted("part {}: a mixture has no parts: its order draws from all members",
                                to_string(part)));
  }
  if (executor == nullptr) return whole;
  try {
    whole->build_index(*executor, nullptr);
  } catch (const DataError&) {  // PartIndex meets the error again, at the chunk
  }
  return whole;
}

}  // namespace

PartIndex::PartIndex(const Index& index, const DataPart& part) : ForwardedIndex(index) {
  std::int64_t count = 0;
  try {
    while (index.chunk(ChunkIndex{count})) ++count;
  } catch (const DataError&) {
    if (part.is_last()) error_ = std::current_exception();
  }
  first_ = part.first_chunk(count);
  end_ = part.end_chunk(count);
  if (first_ == end_) return;
  bytes_.offset_bytes = index.chunk(ChunkIndex{first_})->offset_bytes;
  StoredBytes stored(*this, true);
  for (std::int64_t i = 0; i < end_ - first_; ++i) {
    const ChunkInfo info = *chunk(ChunkIndex{i});
    stored.begin(ChunkIndex{i}, info);
    bytes_.size_bytes = stored.up_to(info.size_bytes);
  }
}

std::optional<ChunkInfo> PartIndex::chunk(ChunkIndex chunk) const {
  if (static_cast<std::int64_t>(chunk) < end_ - first_) return index().chunk(in_whole(chunk));
  if (error_) std::rethrow_exception(error_);
  return std::nullopt;
}

PartData::PartData(std::shared_ptr<const Deserializer> whole, const DataPart& part,
                   Executor* executor)
    : whole_(indexed(std::move(whole), part, executor)),
      part_(part),
      index_(whole_->index(), part) {}

std::string PartData::fingerprint() const {
  return formatted("{}; part {}", whole_->fingerprint(), to_string(part_));
}

std::vector<Diagnostic> PartData::warnings() const {
  return part_.is_last() ? whole_->warnings() : std::vector<Diagnostic>();
}

const PartData* part_in(const Deserializer& data) noexcept {
  if (const auto* const transformed = dynamic_cast<const TransformedData*>(&data)) {
    return part_in(*transformed->source());
  }
  return dynamic_cast<const PartData*>(&data);
}

}  // namespace sheaf::internal

namespace sheaf {

std::optional<PartBytes> part_bytes(const Deserializer& data) noexcept {
  const internal::PartData* const part = internal::part_in(data);
  return part == nullptr ? std::nullopt : std::optional(part->bytes());
}

}  // namespace sheaf
