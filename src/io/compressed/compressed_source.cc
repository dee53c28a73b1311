#include "io/compressed/compressed_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/compressed.h"
#include "sheaf/extend/interruption.h"

#include "base/text.h"
#include "io/compressed/compressed_pass.h"
#include "io/compressed/compression.h"
#include "io/compressed/damage.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kSkippedBytes = std::int64_t{256} << 10;  // bytes at a time

// Decompresses up to an offset. Returns whether there are that many bytes.
bool pass_over(Decoder& decoder, std::int64_t offset) {
  std::vector<std::byte> piece;
  while (decoder.position() < offset) {
    check_interruption();
    piece.resize(static_cast<std::size_t>(std::min(offset - decoder.position(), kSkippedBytes)));
    if (decoder.read(piece) < piece.size()) return false;
  }
  return true;
}

// Checks that the data end at `size`. Reading on there makes the decoder verify the checksums
// behind the last byte.
bool ends_where_it_should(Decoder& decoder, std::int64_t size) {
  std::byte more{};
  return decoder.position() < size || decoder.read(std::span(&more, 1)) == 0;
}

}  // namespace

CompressedSource::CompressedSource(std::shared_ptr<const ByteSource> source, AccessPoints points)
    : source_(std::move(source)), points_(std::move(points)) {}

// Takes the waiting decoder that stands closest before the offset. Makes a new decoder if an access
// point is closer.
std::unique_ptr<Decoder> CompressedSource::decoder_for(std::int64_t offset) const {
  const auto next =
      std::ranges::upper_bound(points_.points, offset, {}, &AccessPoint::decompressed);
  const AccessPoint& point = *std::prev(next);
  {
    const std::scoped_lock lock(mutex_);
    auto best = waiting_.end();
    for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
      if (it->position < point.decompressed || it->position > offset) continue;
      if (best == waiting_.end() || it->position > best->position) best = it;
    }
    if (best != waiting_.end()) {
      std::unique_ptr<Decoder> decoder = std::move(best->decoder);
      waiting_.erase(best);
      return decoder;
    }
  }
  return begin_at(*source_, points_.compression, {.from = point, .end = source_->size()});
}

void CompressedSource::keep(std::unique_ptr<Decoder> decoder) const {
  Waiting added{
      .decoder = nullptr, .position = decoder->position(), .memory_bytes = decoder->memory_bytes()};
  added.decoder = std::move(decoder);
  std::vector<Waiting> dropped;  // destroyed after the lock is released
  const std::scoped_lock lock(mutex_);
  std::int64_t memory_bytes = 0;
  waiting_.push_back(std::move(added));
  for (const Waiting& waiting : waiting_) memory_bytes += waiting.memory_bytes;
  while (waiting_.size() > 1 &&
         (waiting_.size() > kWaitingMax || memory_bytes > kWaitingBytesMax)) {
    memory_bytes -= waiting_.front().memory_bytes;
    dropped.push_back(std::move(waiting_.front()));
    waiting_.erase(waiting_.begin());
  }
}

void CompressedSource::read_at(std::int64_t offset, std::span<std::byte> into) const {
  if (offset < 0 || offset > size() || std::ssize(into) > size() - offset) {
    throw IoError(formatted("{}: no {} bytes at offset {}: the size is {}", name(), into.size(),
                            offset, size()));
  }
  if (into.empty()) return;
  try {
    std::unique_ptr<Decoder> decoder = decoder_for(offset);
    if (!pass_over(*decoder, offset) || decoder->read(into) < into.size() ||
        !ends_where_it_should(*decoder, size())) {
      throw IoError(formatted(
          "{}: ends after {} decompressed bytes or more, it had {} when it was opened: did "
          "something replace it?",
          name(), decoder->position(), size()));
    }
    // A decoder at the end is useless. Dropping it means that among very many files, those that
    // were read through keep no decoder.
    if (decoder->position() < size()) keep(std::move(decoder));
  } catch (const Damage& damage) {
    throw IoError(formatted(
        "{}: damaged at compressed byte {}, after {} decompressed bytes: {}; it was not so when it "
        "was indexed",
        name(), damage.compressed, damage.decompressed, damage.reason));
  }
}

}  // namespace sheaf::internal

std::shared_ptr<const sheaf::ByteSource> sheaf::decompressed(
    std::shared_ptr<const ByteSource> source, const DecompressOptions& options) {
  const Compression compression = internal::recognized_compression(*source, options.by_content);
  if (compression == Compression::none) return source;
  std::optional<internal::AccessPoints> points =
      internal::access_points_from_bytes(options.access_points);
  const bool are_of_source =
      points && points->compression == compression && points->compressed == source->fingerprint();
  if (!are_of_source) {
    points = internal::find_access_points(*source, compression, options.executor);
  }
  return std::make_shared<const internal::CompressedSource>(std::move(source), *std::move(points));
}
