#include "format/arrow/ipc_messages.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/text.h"
#include "base/unaligned.h"
#include "format/arrow/arrow_errors.h"
#include "format/arrow/ipc_numbers.h"

namespace sheaf::arrow {
namespace {

constexpr std::string_view kFileMagic = "ARROW1";
constexpr std::string_view kFeatherMagic = "FEA1";
constexpr std::uint32_t kContinuation = 0xFFFF'FFFF;
constexpr std::int64_t kFileHeadBytes = 8;
constexpr std::int64_t kFileTailBytes = 10;  // size of the footer, and the magic bytes

// Reads slightly more than requested, because the next message may lie close.
class HeadReader {
 public:
  explicit HeadReader(const ByteSource& source) : source_(source) {}

  // Lifetime: valid until the next call.
  std::span<const std::byte> at(std::int64_t offset, std::int64_t size) {
    if (size > source_.size() - offset) {
      fail(source_, kMessage, offset, formatted("the end of the file at {}", source_.size()));
    }
    if (offset < begin_ || offset + size > begin_ + std::ssize(window_)) {
      const std::int64_t wanted = std::min(std::max(size, kWindow), source_.size() - offset);
      window_.clear();
      window_.resize(static_cast<std::size_t>(wanted));
      begin_ = offset;
      source_.read_at(offset, window_);
    }
    return std::span<const std::byte>(window_).subspan(static_cast<std::size_t>(offset - begin_),
                                                       static_cast<std::size_t>(size));
  }

 private:
  static constexpr std::int64_t kWindow = 4096;

  const ByteSource& source_;
  std::int64_t begin_ = 0;
  std::vector<std::byte> window_;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct FoundMessage {
  IpcLocation location;
  IpcMessage message;
};

class MessageFinder {
 public:
  explicit MessageFinder(const ByteSource& source) : source_(source), heads_(source) {}

  IpcFile run() {
    const std::int64_t size = source_.size();
    const std::string_view begin = text_of(heads_.at(0, std::min<std::int64_t>(size, 6)));
    if (begin.starts_with(kFeatherMagic)) fail(source_, kFeather, 0, "Feather of version 1");
    if (begin == kFileMagic) {
      find_by_footer();
    } else {
      find_in_stream(begin);
    }
    return std::move(file_);
  }

 private:
  void find_in_stream(std::string_view begin) {
    file_.is_stream = true;
    const std::int64_t size = source_.size();
    if (size < 4) fail(source_, kMagic, 0, quoted(begin));
    const auto first = internal::load<std::uint32_t>(heads_.at(0, 4).data());
    if (first != kContinuation && first > size - 4) fail(source_, kMagic, 0, quoted(begin));
    std::int64_t at = 0;
    while (at < size) {
      const std::optional<FoundMessage> found = found_at(at);
      if (!found) return check_stream_end(at);
      const bool is_schema = found->message.kind == IpcKind::schema;
      if (is_schema != (at == 0)) {
        fail(source_, kSchema, at, is_schema ? "another schema" : "a batch");
      }
      if (is_schema) {
        take_schema(found->message.header, found->message.version);
      } else {
        take(*found);
      }
      at = found->location.end();
    }
  }

  void check_stream_end(std::int64_t at) {
    if (at == 0) fail(source_, kSchema, at, "the end of the stream");
    const auto mark = internal::load<std::uint32_t>(heads_.at(at, 4).data());
    const std::int64_t end = at + (mark == kContinuation ? 8 : 4);
    if (end == source_.size()) return;
    fail(source_, kMoreBytes, end, formatted("{} bytes", source_.size() - end));
  }

  void find_by_footer() {
    const std::int64_t size = source_.size();
    if (size < kFileHeadBytes + kFileTailBytes) {
      fail(source_, kFooter, size, formatted("a file of {} bytes", size));
    }
    const std::int64_t tail_at = size - kFileTailBytes;
    std::array<std::byte, kFileTailBytes> tail{};
    source_.read_at(tail_at, tail);
    const std::string_view magic = text_of(tail).substr(4);
    if (magic != kFileMagic) fail(source_, kFooter, tail_at + 4, quoted(magic));
    const auto footer_bytes = internal::load<std::int32_t>(tail.data());
    if (footer_bytes <= 0 || footer_bytes > tail_at - kFileHeadBytes) {
      fail(source_, kFooter, tail_at, formatted("a footer of {} bytes", footer_bytes));
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(footer_bytes));
    source_.read_at(tail_at - footer_bytes, bytes);
    take_footer({.file = &source_, .offset = tail_at - footer_bytes, .bytes = bytes});
  }

  void take_footer(const FlatBytes& bytes) {
    const FlatTable footer = flat_root(bytes);
    const auto version = footer.number<std::int16_t>(kFooterVersion);
    check_version(bytes, version);
    const std::optional<FlatTable> schema = footer.table(kFooterSchema);
    if (!schema) fail(source_, kFooter, footer.location(), "a footer without a schema");
    const FlatVector dictionaries = footer.vector(kFooterDictionaries, kBlockBytes);
    const FlatVector batches = footer.vector(kFooterBatches, kBlockBytes);
    // The version of the messages tells which buffers there are. pyarrow 26 writes V5 into the
    // footer of a file whose messages have version V4.
    const FlatVector& blocks = dictionaries.size() > 0 ? dictionaries : batches;
    const bool has_any = blocks.size() > 0;
    take_schema(*schema, has_any ? message_in(blocks, 0, bytes.offset).message.version : version);
    for (std::int64_t i = 0; i < dictionaries.size(); ++i) {
      take_block(dictionaries, i, IpcKind::dictionary, bytes.offset);
    }
    for (std::int64_t i = 0; i < batches.size(); ++i) {
      take_block(batches, i, IpcKind::batch, bytes.offset);
    }
  }

  void take_block(const FlatVector& blocks, std::int64_t i, IpcKind kind, std::int64_t end) {
    const FoundMessage found = message_in(blocks, i, end);
    if (found.message.kind != kind) {
      fail(source_, kBlock, blocks.location(i),
           formatted("a message of another kind at {}", found.location.offset));
    }
    take(found);
  }

  // `end` is the start of the footer.
  // Lifetime: the message is valid until the next call.
  FoundMessage message_in(const FlatVector& blocks, std::int64_t i, std::int64_t end) {
    const auto offset = blocks.number<std::int64_t>(i);
    const auto metadata_bytes = blocks.number<std::int32_t>(i, kBlockMetadataAt);
    const auto body_bytes = blocks.number<std::int64_t>(i, kBlockBodyAt);
    const bool is_inside = offset >= kFileHeadBytes && offset < end && metadata_bytes >= 0 &&
                           metadata_bytes <= end - offset && body_bytes >= 0 &&
                           body_bytes <= end - offset - metadata_bytes;
    if (is_inside) {
      const std::optional<FoundMessage> found = found_at(offset);
      const bool is_same = found && found->location.body_offset() == offset + metadata_bytes &&
                           found->location.body_bytes == body_bytes;
      if (is_same) return *found;
    }
    fail(source_, kBlock, blocks.location(i),
         formatted("{} bytes of metadata and {} of a body at {}", metadata_bytes, body_bytes,
                   offset));
  }

  // Returns nothing if a mark ends the stream here.
  // Lifetime: the message is valid until the next call.
  std::optional<FoundMessage> found_at(std::int64_t at) {
    IpcLocation location{.offset = at, .prefix_bytes = 4};
    auto size = internal::load<std::uint32_t>(heads_.at(at, 4).data());
    if (size == kContinuation) {
      size = internal::load<std::uint32_t>(heads_.at(at + 4, 4).data());
      location.prefix_bytes = 8;
    }
    if (size == 0) return std::nullopt;
    if (size > std::uint32_t{std::numeric_limits<std::int32_t>::max()}) {
      fail(source_, kMessage, at, formatted("metadata of {} bytes", size));
    }
    location.metadata_bytes = static_cast<std::int32_t>(size);
    const IpcMessage message =
        read_message({.file = &source_,
                      .offset = location.metadata_offset(),
                      .bytes = heads_.at(location.metadata_offset(), location.metadata_bytes)});
    location.body_bytes = message.body_bytes;
    if (location.body_bytes > source_.size() - location.body_offset()) {
      fail(source_, kMessage, at,
           formatted("a body of {} bytes, where the file has {} more", location.body_bytes,
                     source_.size() - location.body_offset()));
    }
    return FoundMessage{.location = location, .message = message};
  }

  void take_schema(const FlatTable& schema, std::int16_t version) {
    file_.schema = read_schema(schema, version);
    version_ = version;
    for (const IpcField& column : file_.schema.columns) {
      depends_on_version_ |= depends_on_version(column);
    }
  }

  static bool depends_on_version(const IpcField& field) {
    const LayoutKind kind = field.layout.kind;
    return kind == LayoutKind::sparse_union || kind == LayoutKind::dense_union ||
           kind == LayoutKind::run_ends ||
           std::any_of(field.children.begin(), field.children.end(), depends_on_version);
  }

  void take(const FoundMessage& found) {
    // The version tells how many buffers unions and arrays of runs have.
    if (depends_on_version_ && found.message.version != version_) {
      fail(source_, kVersion, found.location.offset,
           formatted("version V{} behind a schema of version V{}", found.message.version + 1,
                     version_ + 1));
    }
    IpcLocation location = found.location;
    if (found.message.kind == IpcKind::dictionary) {
      const IpcDictionaryHeader header = read_dictionary_header(found.message.header);
      file_.dictionaries.push_back(
          {.location = location, .id = header.id, .is_delta = header.is_delta});
      return;
    }
    location.row_count = row_count_of(found.message.header);
    location.dictionaries_before = std::ssize(file_.dictionaries);
    if (__builtin_add_overflow(row_count_, location.row_count, &row_count_)) {
      fail(source_, kRows, location.offset, formatted("{} rows behind others", location.row_count));
    }
    file_.is_compressed |= codec_of(found.message.header) != IpcCodec::none;
    file_.batches.push_back(location);
  }

  const ByteSource& source_;
  HeadReader heads_;
  IpcFile file_;
  std::int16_t version_ = 0;
  bool depends_on_version_ = false;
  std::int64_t row_count_ = 0;
};

}  // namespace

IpcFile find_messages(const ByteSource& source) { return MessageFinder(source).run(); }

Recognition looks_like_ipc(std::string_view first_bytes) noexcept {
  if (first_bytes.starts_with(kFileMagic)) return Recognition::certain;
  if (first_bytes.starts_with(kFeatherMagic)) return Recognition::possible;
  if (first_bytes.size() < 8) return Recognition::no;
  constexpr std::uint32_t kSchemaBytesMax = std::uint32_t{1} << 28;
  const auto bytes = std::as_bytes(std::span(first_bytes));
  const auto size = internal::load<std::uint32_t>(bytes.data(), 1);
  const bool is_stream = internal::load<std::uint32_t>(bytes.data()) == kContinuation &&
                         size >= 16 && size <= kSchemaBytesMax && size % 4 == 0;
  return is_stream ? Recognition::possible : Recognition::no;
}

IpcMetadata::IpcMetadata(const ByteSource& source, const IpcLocation& location)
    : bytes_(static_cast<std::size_t>(location.metadata_bytes)),
      flat_{.file = &source, .offset = location.metadata_offset(), .bytes = bytes_} {
  source.read_at(location.metadata_offset(), bytes_);
}

FlatTable IpcMetadata::header(IpcKind kind) const {
  const IpcMessage message = read_message(flat_);
  if (message.kind != kind) {
    fail(*flat_.file, kMessage, flat_.offset, "a message of another kind than before");
  }
  return message.header;
}

}  // namespace sheaf::arrow
