// Lines are read in blocks. The images of a block are opened together, on all threads, because
// opening a file takes longer than everything else.

#include "format/image_map/image_map_scan.h"

#include <memory>
#include <optional>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"
#include "sheaf/extend/parallel_for.h"

#include "base/key_set.h"
#include "base/permutation.h"
#include "base/saturated.h"
#include "format/images/pixel_count.h"
#include "format/text/row_reader.h"

namespace sheaf::image_map {
namespace {

constexpr std::size_t kLinesAtOnce = 8192;
constexpr std::int64_t kFilesAtOnce = 64;  // files that one thread opens

/// One line with its image.
struct ScannedImage {
  MapLine line;
  std::int64_t offset = 0;
  std::int64_t number = 0;
  std::int64_t archive = MapImages::kNone;
  std::int64_t entry = MapImages::kNone;
  std::int64_t size_bytes = 0;
  std::int64_t pixel_count = 0;
};

/// Fills a MapImages.
class Scan {
 public:
  Scan(const ByteSource& map, const LineRules& rules, const ReadOptions& options,
       const Context& context, MapArchives& archives)
      : map_(map), rules_(rules), options_(options), context_(context), archives_(archives) {}

  MapImages run(std::int64_t row_size_max) {
    internal::RowReader rows(map_, first_byte(), map_.size(), 1, options_.read_size_bytes,
                             row_size_max);
    std::vector<ScannedImage> images;
    internal::Row row;
    while (rows.next(row)) {
      if (!rules_.is_cntk && is_blank_line(row.text())) continue;
      images.push_back(take(row));
      if (images.size() < kLinesAtOnce) continue;
      add(images);
      images.clear();
    }
    add(images);
    archives_.end_search();
    MapImages result = finish();
    if (result.count() > 0) return result;
    throw DataError({location_in_map(map_, {.number = 1}, kEmpty, 0, 0, "none")});
  }

 private:
  // Returns the offset after a UTF-8 byte order mark, which does not belong to the first line.
  [[nodiscard]] std::int64_t first_byte() const {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    std::string bytes(kMark.size(), '\0');
    if (map_.size() < std::ssize(bytes)) return 0;
    map_.read_at(0, std::as_writable_bytes(std::span(bytes)));
    return bytes == kMark ? std::ssize(bytes) : 0;
  }

  [[nodiscard]] ScannedImage take(const internal::Row& row) {
    ScannedImage image{.line = parse_line(row.text(), row.line - 1, rules_),
                       .offset = row.offset,
                       .number = row.line};
    const MapLine& line = image.line;
    const LineLocation location{.text = row.text(), .offset = row.offset, .number = row.line};
    if (line.fault != nullptr) {
      if (rules_.is_cntk || line.fault == &kNumericKey) {
        throw_fault(location, *line.fault, line.fault_begin, line.fault_size, line.found);
      }
      return image;
    }
    const std::optional<EntryPath> parts = split_entry_path(line.path);
    if (!parts) return image;
    const bool may_be_folder =
        line.path.size() > parts->archive.size() && line.path[parts->archive.size()] == '/';
    const std::optional<std::int64_t> archive = archives_.find(parts->archive, may_be_folder);
    if (!archive) return image;
    image.archive = *archive;
    image.entry = archives_.find_entry(*archive, parts->entry).value_or(MapImages::kNone);
    if (image.entry == MapImages::kNone && rules_.is_cntk) {
      throw_fault(location, kEntry, line.path_begin, line.path_size, quoted(line.path));
    }
    return image;
  }

  [[noreturn]] void throw_fault(const LineLocation& line, const ErrorKind& kind, std::size_t begin,
                                std::size_t size, std::string found) const {
    Diagnostic diagnostic = location_in_map(map_, line, kind, begin, size, std::move(found));
    if (&kind == &kNumericKey) diagnostic.hint = internal::kTextKeysHint;
    throw DataError({std::move(diagnostic)});
  }

  void add(std::vector<ScannedImage>& images) {
    const std::int64_t count = std::ssize(images);
    const std::int64_t rounds = (count + kFilesAtOnce - 1) / kFilesAtOnce;
    parallel_for(context_.executor, rounds, [&](std::int64_t round) {
      const std::int64_t last = std::min(count, (round + 1) * kFilesAtOnce);
      for (std::int64_t i = round * kFilesAtOnce; i < last; ++i) {
        measure(images[static_cast<std::size_t>(i)]);
      }
    });
    check_interruption();
    for (const ScannedImage& each : images) append(each);
  }

  // Sets the size of an image. An image that cannot be opened is reported when it is read.
  void measure(ScannedImage& image) const {
    const bool is_entry = image.archive != MapImages::kNone;
    if (image.line.fault != nullptr || (is_entry && image.entry == MapImages::kNone)) return;
    if (is_entry) image.size_bytes = archives_.size_bytes(image.archive, image.entry);
    if (is_entry && !options_.reads_headers) return;
    try {
      const std::shared_ptr<const ByteSource> source =
          is_entry ? archives_.open(image.archive, image.entry)
                   : context_.file_system().open(image.line.path);
      image.size_bytes = source->size();
      if (!options_.reads_headers) return;
      image.pixel_count =
          internal::pixel_count_of(*source, 0, source->size(), options_.read_size_bytes);
    } catch (const IoError&) {
      if (!is_entry) image.size_bytes = 0;
    }
  }

  void append(const ScannedImage& image) {
    const SequenceKey& key = image.line.key;
    if (!rules_.is_cntk && !keys_.insert({.low = key.low, .high = key.high})) {
      result_.repeated.push_back(offsets_.size());
    }
    keys_low_.push_back(static_cast<std::int64_t>(key.low));
    keys_high_.push_back(static_cast<std::int64_t>(key.high));
    offsets_.push_back(image.offset);
    numbers_.push_back(image.number);
    archive_numbers_.push_back(image.archive);
    entries_.push_back(image.entry);
    end_ = internal::saturated_sum(end_, image.size_bytes);
    ends_.push_back(end_);
    if (options_.reads_headers) pixels_.push_back(image.pixel_count);
    result_.sizes_hash =
        internal::mixed(result_.sizes_hash ^ static_cast<std::uint64_t>(image.size_bytes));
  }

  [[nodiscard]] MapImages finish() {
    result_.keys_low = keys_low_.finish();
    result_.keys_high = keys_high_.finish();
    result_.line_offsets = offsets_.finish();
    result_.line_numbers = numbers_.finish();
    result_.archives = archive_numbers_.finish();
    result_.entries = entries_.finish();
    result_.image_ends = ends_.finish();
    result_.pixels = pixels_.finish();
    result_.repeated.shrink_to_fit();
    return std::move(result_);
  }

  const ByteSource& map_;
  const LineRules& rules_;
  const ReadOptions& options_;
  const Context& context_;
  MapArchives& archives_;
  MapImages result_;
  WideKeySet keys_;
  std::int64_t end_ = 0;
  PackedInts::Builder keys_low_;
  PackedInts::Builder keys_high_;
  PackedInts::Builder offsets_;
  PackedInts::Builder numbers_;
  PackedInts::Builder archive_numbers_;
  PackedInts::Builder entries_;
  PackedInts::Builder ends_;
  PackedInts::Builder pixels_;
};

}  // namespace

MapImages scan_map(const ByteSource& map, const LineRules& rules, const ReadOptions& options,
                   const Context& context, std::int64_t row_size_max, MapArchives& archives) {
  return Scan(map, rules, options, context, archives).run(row_size_max);
}

Diagnostic location_in_map(const ByteSource& map, const LineLocation& line, const ErrorKind& kind,
                           std::size_t begin, std::size_t size, std::string found) {
  Diagnostic diagnostic;
  diagnostic.path = map.name();
  diagnostic.line = line.number;
  diagnostic.column = static_cast<std::int64_t>(begin) + 1;
  diagnostic.byte_offset = line.offset + static_cast<std::int64_t>(begin);
  diagnostic.code = kind.code;
  diagnostic.expected = kind.expected;
  diagnostic.found = std::move(found);
  set_excerpt(diagnostic, line.text, static_cast<std::int64_t>(begin),
              static_cast<std::int64_t>(size));
  return diagnostic;
}

}  // namespace sheaf::image_map
