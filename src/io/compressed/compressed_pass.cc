#include "io/compressed/compressed_pass.h"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <xxhash.h>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/parallel_for.h"

#include "base/text.h"
#include "io/compressed/both_ends.h"
#include "io/compressed/damage.h"
#include "io/compressed/zstd_decoder.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
// Compressed bytes that a thread takes at a time.
constexpr std::int64_t kTaskBytes = std::int64_t{1} << 20;

Fingerprint fingerprint_of(const BothEnds& ends) {
  std::string bytes = ends.first();
  const std::int64_t tail = std::min(ends.size() - std::ssize(bytes), BothEnds::kPartBytes);
  bytes += ends.last().substr(ends.last().size() - static_cast<std::size_t>(tail));
  return {.size_bytes = ends.size(), .hash = XXH3_64bits(bytes.data(), bytes.size())};
}

/// The results of one decoder for a range of bytes. Its decompressed bytes begin at offset 0.
struct Found {
  AccessPointCollector points;
  BothEnds ends = {};
  std::optional<Damage> damage = std::nullopt;
};

/// A run of frames of a zstd file.
struct Frames {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

class Pass {
 public:
  Pass(const ByteSource& source, Compression compression, std::int64_t spacing)
      : source_(source), compression_(compression), spacing_(spacing), points_(spacing) {}

  /// Decompresses from front to back.
  void run();

  /// Decompresses with many threads, as far as frames allow.
  ///
  /// Pre: the source is zstd.
  void run_parallel(Executor& executor);

  [[nodiscard]] AccessPoints finish();

 private:
  [[nodiscard]] Found decompress(const Frames& frames) const;
  [[nodiscard]] std::vector<Frames> frames_from(std::int64_t begin, std::size_t count_max) const;
  void append(Found found);

  const ByteSource& source_;
  const Compression compression_;
  const std::int64_t spacing_;
  AccessPointCollector points_;
  BothEnds ends_;
};

Found Pass::decompress(const Frames& frames) const {
  Found found{.points = AccessPointCollector(
                  spacing_, {.compressed = frames.begin, .decompressed = 0, .state = {}})};
  try {
    const std::unique_ptr<Decoder> decoder = begin_at(
        source_, compression_,
        {.from = found.points.points().front(), .end = frames.end, .points = &found.points});
    std::vector<std::byte> piece(kPieceBytes);
    for (std::size_t size = piece.size(); size == piece.size();) {
      check_interruption();
      size = decoder->read(piece);
      found.ends.add(std::span(piece).first(size));
    }
  } catch (const Damage& damage) {
    found.damage = damage;
  }
  return found;
}

void Pass::append(Found found) {
  const std::int64_t before = ends_.size();
  if (found.damage) {
    throw IoError(formatted("{}: damaged at compressed byte {}, after {} decompressed bytes: {}",
                            source_.name(), found.damage->compressed,
                            before + found.damage->decompressed, found.damage->reason));
  }
  for (AccessPoint& point : found.points.take()) {
    point.decompressed += before;
    if (points_.is_due(point.decompressed)) points_.add(std::move(point));
  }
  ends_.add(found.ends);
}

void Pass::run() { append(decompress({0, source_.size()})); }

std::vector<Frames> Pass::frames_from(std::int64_t begin, std::size_t count_max) const {
  std::vector<Frames> frames;
  while (begin < source_.size() && frames.size() < count_max) {
    const std::int64_t end = zstd_frames_end(source_, begin, kTaskBytes);
    frames.push_back({begin, end});
    begin = end;
  }
  return frames;
}

void Pass::run_parallel(Executor& executor) {
  const std::size_t count_max = 4 * static_cast<std::size_t>(executor.thread_count());
  std::int64_t begin = 0;
  while (begin < source_.size()) {
    const std::vector<Frames> frames = frames_from(begin, count_max);
    std::vector<std::optional<Found>> found(frames.size());
    parallel_for(&executor, std::ssize(frames), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      found[at].emplace(decompress(frames[at]));
    });
    for (std::optional<Found>& part : found) append(*std::move(part));
    begin = frames.back().end;
  }
}

AccessPoints Pass::finish() {
  return {.compression = compression_,
          .compressed = source_.fingerprint(),
          .decompressed = fingerprint_of(ends_),
          .points = points_.take()};
}

}  // namespace

std::unique_ptr<Decoder> begin_at(const ByteSource& source, Compression compression,
                                  const DecoderRange& range) {
  switch (compression) {
    case Compression::gzip:
      return gzip_decoder(source, range);
    case Compression::zstd:
      return zstd_decoder(source, range);
    case Compression::lz4:
      return lz4_decoder(source, range);
    case Compression::none:
      break;
  }
  throw InternalError("no decoder for what is not compressed");
}

AccessPoints find_access_points(const ByteSource& source, Compression compression,
                                Executor* executor, const AccessSpacing& spacing) {
  Pass pass(source, compression, compression == Compression::gzip ? spacing.gzip : spacing.others);
  if (compression == Compression::zstd && executor != nullptr) {
    pass.run_parallel(*executor);
  } else {
    pass.run();
  }
  return pass.finish();
}

}  // namespace sheaf::internal
