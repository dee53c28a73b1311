// The first line of a table names the archive, without a folder, and the other lines leave the
// archive out. So a table and its archive can move together.

#include "format/lattice/lattice_serializer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/file_system.h"
#include "sheaf/extend/format.h"

#include "base/text.h"
#include "format/lattice/lattice_block.h"
#include "format/lattice/lattice_errors.h"
#include "format/named_file.h"
#include "format/writing.h"

namespace sheaf::lattice {
namespace {

constexpr std::string_view kArchiveExtension = ".lat";
constexpr std::string_view kNotInKeys("=\n\r\0", 4);
constexpr std::string_view kNotInPaths("\\\n\r\0", 4);
constexpr std::int64_t kFloatSize = 4;

// Returns the single stream of a table.
Stream written_stream(std::span<const Stream> streams) {
  const Stream& stream = internal::only_stream("lattice", streams);
  const bool is_bytes = stream.element_type == ElementType::bytes;
  const bool is_floats = stream.element_type == ElementType::f32 && stream.sample_shape == Shape{1};
  if (stream.storage == Storage::dense && (is_bytes || is_floats)) return stream;
  throw ConfigError(formatted(
      "stream {}: lattices are opaque bytes, or dense f32 samples of shape [1] with these bytes, "
      "not {}",
      quoted(stream.name), to_string(stream)));
}

// Checks the path. Readers look for an archive in the working directory before the folder of the
// table.
void check_path(std::string_view path, const std::string& archive_name, FileSystem& files) {
  if (path.find_first_of(kNotInPaths) != std::string_view::npos) {
    throw ConfigError(formatted(
        "{}: a table of this name cannot name its archive: leave out \\ and line ends", path));
  }
  const std::string archive = internal::beside(path, archive_name);
  if (archive == archive_name || !files.exists(archive_name) ||
      files.is_same_file(archive, archive_name)) {
    return;
  }
  throw ConfigError(
      formatted("{}: the working directory has another {}, which readers would take for the "
                "archive of this table; give the table another name",
                path, archive_name));
}

// Describes a fault for people who examine the bytes.
std::string text_of(const BlockFault& fault) {
  return formatted("{} at byte {} of the lattice", fault.found, fault.byte_offset);
}

bool are_zeros(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte each) { return each == std::byte{0}; });
}

}  // namespace

/// Some lattices, one after the other.
class LatticeSerializer::Block final : public Serializer::Block {
 public:
  struct Lattice {
    std::string key;
    std::int64_t size_bytes = 0;
  };

  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    auto sum =
        bytes.capacity_bytes() + static_cast<std::int64_t>(keys.capacity() * sizeof(SequenceKey));
    for (const Lattice& each : lattices) {
      sum += static_cast<std::int64_t>(sizeof each + each.key.capacity());
    }
    return sum;
  }

  Buffer bytes;
  std::vector<Lattice> lattices;
  std::vector<SequenceKey> keys;  // of the texts, because keys are read back as texts
};

LatticeSerializer::LatticeSerializer(CreateRequest request)
    : toc_(std::move(request.sink)), stream_(written_stream(request.streams)) {
  check_format_options("lattice", {}, request.options.extra, "for writing");
  internal::check_has_location("lattice", toc_->name(), request.create_file != nullptr);
  archive_name_ = formatted("{}{}", internal::file_stem(toc_->name()), kArchiveExtension);
  check_path(toc_->name(), archive_name_,
             request.files != nullptr ? *request.files : system_files());
  archive_ = request.create_file(internal::beside(toc_->name(), archive_name_));
}

// A byte order mark matters only at the start of a table, but any key may become the first one.
std::string LatticeSerializer::key_of(const SequenceBatch& batch, std::size_t n) const {
  std::string key = internal::written_key(toc_->name(), batch, n, kWrittenKey.code);
  const bool has_mark =
      key.starts_with("\xEF\xBB\xBF") || key.starts_with("\xFF\xFE") || key.starts_with("\xFE\xFF");
  if (key.empty() || has_mark || key.find_first_of(kNotInKeys) != std::string::npos) {
    fail(key, kWrittenKey, quoted(key));
  }
  return key;
}

// Lattices in floats are padded with zeros. Only the parts of the lattice tell where the padding
// begins.
std::span<const std::byte> LatticeSerializer::lattice_of(const SequenceView& view,
                                                         std::string_view key) const {
  const bool is_bytes = stream_.element_type == ElementType::bytes;
  if (!view.is_present) fail(key, kWrittenCount, "none: the stream is absent");
  if (is_bytes ? view.sample_count != 1 : view.sample_count == 0) {
    fail(key, kWrittenCount, formatted("{}", view.sample_count));
  }
  const std::int64_t size = is_bytes ? view.value_count : view.sample_count * kFloatSize;
  std::span<const std::byte> bytes(view.values, static_cast<std::size_t>(size));
  const std::optional<BlockFault> fault = fault_of_block(bytes);
  if (fault) {
    const auto end = static_cast<std::size_t>(fault->byte_offset);
    const bool is_padding = !is_bytes && fault->kind == &kEnd && bytes.size() - end < kFloatSize &&
                            are_zeros(bytes.subspan(end));
    if (!is_padding) fail(key, *fault->kind, text_of(*fault));
    bytes = bytes.first(end);
  } else if (!is_bytes && !has_parts(bytes)) {
    fail(key, kWrittenFloats, "version 1");
  }
  if (std::ssize(bytes) > kLatticeSizeMax) {
    fail(key, kTooLarge, formatted("{} bytes", bytes.size()));
  }
  return bytes;
}

std::unique_ptr<Serializer::Block> LatticeSerializer::encode(const SequenceBatch& batch) const {
  auto block = std::make_unique<Block>();
  block->lattices.reserve(batch.keys.size());
  block->keys.reserve(batch.keys.size());
  std::vector<std::span<const std::byte>> parts;
  parts.reserve(batch.keys.size());
  std::int64_t size = 0;
  for (std::size_t n = 0; n < batch.keys.size(); ++n) {
    std::string key = key_of(batch, n);
    parts.push_back(lattice_of(batch.views.front()[n], key));
    block->keys.push_back(key_of_text(key));
    block->lattices.push_back({std::move(key), std::ssize(parts.back())});
    size += std::ssize(parts.back());
  }
  block->bytes.resize(size);
  std::byte* to = block->bytes.mutable_data();
  for (const std::span<const std::byte> part : parts) to = std::ranges::copy(part, to).out;
  return block;
}

void LatticeSerializer::append(std::unique_ptr<Serializer::Block> block) {
  const auto& encoded = static_cast<const Block&>(*block);
  internal::check_repeated(toc_->name(), keys_.add(encoded.keys), kRepeatedKey);
  std::string lines;
  for (const Block::Lattice& lattice : encoded.lattices) {
    lines +=
        formatted("{}={}[{}]\n", lattice.key, size_bytes_ == 0 ? archive_name_ : "", size_bytes_);
    size_bytes_ += lattice.size_bytes;
  }
  toc_->write(std::as_bytes(std::span(lines)));
  archive_->write(encoded.bytes.as<std::byte>());
}

void LatticeSerializer::finish() {
  if (size_bytes_ == 0) fail("", kNoLattice, "none");
  internal::check_repeated(toc_->name(), keys_.finish(), kRepeatedKey);
  archive_->finish();
  toc_->finish();
}

void LatticeSerializer::fail(std::string_view key, const internal::ErrorKind& kind,
                             std::string found) const {
  internal::throw_unwritable({.path = toc_->name(), .key = key, .stream = stream_.name}, kind,
                             std::move(found));
}

}  // namespace sheaf::lattice
