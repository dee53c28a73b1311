// Pieces are sorted by file and offset. Runs of pieces are read together, either directly to the
// destination of their first piece, or to memory that several runs share.

#include "format/listed/file_pieces.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/saturated.h"
#include "format/listed/source_bytes.h"
#include "io/read_sources.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kRunBytesMax = std::int64_t{8} << 20;     // bytes of pieces to read together
constexpr std::int64_t kBatchBytesMax = std::int64_t{16} << 20;  // of runs read together

/// Pieces that are read together: order[first, last).
struct Run {
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t begin = 0;  // in the file
  std::int64_t end = 0;
  bool is_direct = false;  // the bytes go directly to the destinations of the pieces
  std::byte* bytes = nullptr;

  [[nodiscard]] std::int64_t size() const noexcept { return end - begin; }
};

class PieceReader {
 public:
  PieceReader(std::span<const FilePiece> pieces, std::int64_t read_size_bytes,
              std::int64_t gap_max_bytes)
      : pieces_(pieces),
        read_size_bytes_(read_size_bytes),
        gap_max_bytes_(gap_max_bytes),
        order_(pieces.size()) {
    std::unordered_map<const ByteSource*, std::size_t> rank;  // orders files as the pieces do
    std::vector<std::size_t> ranks;
    ranks.reserve(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      order_[i] = i;
      ranks.push_back(rank.try_emplace(pieces[i].source, rank.size()).first->second);
    }
    std::ranges::stable_sort(
        order_, {}, [&](std::size_t i) { return std::pair(ranks[i], pieces_[i].offset_bytes); });
  }

  template <typename Take>
  void read(const Take& take) {
    std::vector<Run> runs;
    std::int64_t size = 0;
    for (std::size_t at = 0; at < order_.size();) {
      runs.push_back(run_from(at));
      at = runs.back().last;
      size += runs.back().size();
      if (at < order_.size() && size < kBatchBytesMax) continue;
      read_runs(runs);
      for (const Run& run : runs) {
        for (std::size_t n = run.first; n < run.last; ++n) {
          const FilePiece& piece = pieces_[order_[n]];
          take(order_[n], run.bytes + (piece.offset_bytes - run.begin));
        }
      }
      runs.clear();
      size = 0;
    }
  }

 private:
  [[nodiscard]] Run run_from(std::size_t first) const {
    const FilePiece& begin = pieces_[order_[first]];
    Run run{.first = first,
            .last = first + 1,
            .begin = begin.offset_bytes,
            .end = begin.offset_bytes + begin.size_bytes,
            .is_direct = begin.location != nullptr,
            .bytes = begin.location};
    for (; run.last < order_.size(); ++run.last) {
      const FilePiece& next = pieces_[order_[run.last]];
      const std::int64_t next_end = std::max(run.end, next.offset_bytes + next.size_bytes);
      if (next.source != begin.source || next.offset_bytes - run.end > gap_max_bytes_ ||
          next_end - run.begin > kRunBytesMax) {
        break;
      }
      run.is_direct = run.is_direct && next.offset_bytes == run.end && next.location != nullptr &&
                      next.location == begin.location + (run.end - run.begin);
      run.end = next_end;
    }
    return run;
  }

  void read_runs(std::span<Run> runs) {
    std::int64_t shared_size = 0;
    for (const Run& run : runs) shared_size += run.is_direct ? 0 : run.size();
    if (shared_size > shared_size_) {
      shared_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(shared_size));
      shared_size_ = shared_size;
    }
    std::byte* free = shared_.get();
    // The runs of a file are consecutive.
    std::vector<ByteSource::Request> requests;
    std::vector<std::pair<const ByteSource*, std::size_t>> ends;  // end of each file's requests
    for (Run& run : runs) {
      if (!run.is_direct) run.bytes = std::exchange(free, free + run.size());
      const ByteSource* const file = pieces_[order_[run.first]].source;
      append_requests(run.begin, {run.bytes, static_cast<std::size_t>(run.size())},
                      read_size_bytes_, requests);
      if (ends.empty() || ends.back().first != file) ends.emplace_back(file, 0);
      ends.back().second = requests.size();
    }
    std::vector<SourceRequests> sources;
    std::size_t begin = 0;
    for (const auto& [file, end] : ends) {
      sources.push_back(
          {.source = file, .requests = std::span(requests).subspan(begin, end - begin)});
      begin = end;
    }
    read_sources(sources);
  }

  std::span<const FilePiece> pieces_;
  std::int64_t read_size_bytes_;
  std::int64_t gap_max_bytes_;
  std::vector<std::size_t> order_;
  std::unique_ptr<std::byte[]> shared_;
  std::int64_t shared_size_ = 0;
};

}  // namespace

void read_pieces(std::span<const FilePiece> pieces, std::int64_t read_size_bytes,
                 const std::function<void(std::size_t piece, const std::byte* bytes)>& take,
                 std::int64_t gap_max_bytes) {
  PieceReader(pieces, read_size_bytes, gap_max_bytes).read(take);
}

}  // namespace sheaf::internal
