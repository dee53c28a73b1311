// A line names its file as `.../NAME`, where `...` is the folder of the list. So a list and its
// files can move together, and readers do not take a file of the same name in the working
// directory.

#include "format/htk/htk_serializer.h"

#include <array>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "format/htk/htk_errors.h"
#include "format/htk/htk_header.h"
#include "format/writing.h"

namespace sheaf::htk {
namespace {

constexpr std::int64_t kFrameSizeMax = 0xFFFF;  // largest size in a header
constexpr std::size_t kNameSizeMax = 200;       // temporary names are longer; systems allow 255
constexpr std::string_view kExtension = ".htk";
constexpr std::string_view kNotInKeys("=\n\r\0", 4);
constexpr std::string_view kNotInPaths("[\\\n\r\0", 5);

// Returns the single stream of the files.
Stream checked_stream(std::span<const Stream> streams) {
  const Stream& stream = internal::only_stream("htk", streams);
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(formatted("stream \"{}\": {}", stream.name, why));
  };
  if (stream.storage != Storage::dense) refuse("HTK files hold dense frames, not sparse ones");
  if (stream.element_type != ElementType::f32) {
    refuse(formatted("HTK files hold f32, not {}; give the stream the dtype float32",
                     to_string(stream.element_type)));
  }
  if (!stream.sample_shape.is_fixed()) {
    refuse(formatted("frames of HTK files have one fixed shape, not {}",
                     to_string(stream.sample_shape)));
  }
  constexpr std::int64_t kDimMax = kFrameSizeMax / std::int64_t{sizeof(float)};
  if (const std::int64_t dim = stream.sample_shape.size(); dim < 1 || dim > kDimMax) {
    refuse(formatted("frames of HTK files have 1 to {} values, not {}", kDimMax, dim));
  }
  return stream;
}

// Checks the path. Readers put the folder of the list before the name of a file. A bracket in
// either would begin a range, and readers take a backslash for a slash.
void check_path(std::string_view path) {
  if (path.find_first_of(kNotInPaths) == std::string_view::npos) return;
  throw ConfigError(formatted(
      "{}: a list of this name cannot name its files: leave out [, \\ and line ends", path));
}

}  // namespace

/// Big-endian frames of some utterances, one after the other.
class HtkSerializer::Block final : public Serializer::Block {
 public:
  struct Utterance {
    std::string key;
    std::int64_t frame_count = 0;
  };

  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    auto bytes =
        frames.capacity_bytes() + static_cast<std::int64_t>(keys.capacity() * sizeof(SequenceKey));
    for (const Utterance& utterance : utterances) {
      bytes += static_cast<std::int64_t>(sizeof utterance + utterance.key.capacity());
    }
    return bytes;
  }

  Buffer frames;
  std::vector<Utterance> utterances;
  std::vector<SequenceKey> keys;  // of the texts, because keys are read back as texts
};

HtkSerializer::HtkSerializer(CreateRequest request, std::int64_t frames_max)
    : list_(std::move(request.sink)),
      create_file_(std::move(request.create_file)),
      stream_(checked_stream(request.streams)),
      options_(write_options_of(request.options)),
      frames_max_(frames_max) {
  internal::check_has_location("htk", list_->name(), create_file_ != nullptr);
  check_path(list_->name());
  archive_name_ = stem_of(list_->name()) + std::string(kExtension);
  if (!options_.has_archive) return;
  archive_ = create_file_(internal::beside(list_->name(), archive_name_));
  archive_->write(header_of(0));  // finish() knows the number
}

std::string HtkSerializer::key_of(const SequenceBatch& batch, std::size_t n) const {
  std::string key = internal::written_key(list_->name(), batch, n, kWrittenKey.code);
  const bool has_dots = (key + std::string(kExtension)).find("...") != std::string::npos;
  if (key.empty() || has_dots || key.find_first_of(kNotInKeys) != std::string::npos) {
    fail(key, kWrittenKey, quoted(key));
  }
  if (!options_.has_archive) static_cast<void>(file_name(key));
  return key;
}

void HtkSerializer::check_frames(const SequenceView& view, std::string_view key) const {
  if (!view.is_present) fail(key, kWrittenFrames, "none: the stream is absent");
  if (view.sample_count == 0) fail(key, kWrittenFrames, "none");
  if (view.sample_count > frames_max_) {
    fail(key, kManyFrames, formatted("{} of one utterance", view.sample_count));
  }
}

std::unique_ptr<Serializer::Block> HtkSerializer::encode(const SequenceBatch& batch) const {
  auto block = std::make_unique<Block>();
  block->utterances.reserve(batch.keys.size());
  block->keys.reserve(batch.keys.size());
  const std::int64_t dim = stream_.sample_shape.size();
  const std::span<const SequenceView> views = batch.views.front();
  std::int64_t value_count = 0;
  for (std::size_t n = 0; n < batch.keys.size(); ++n) {
    std::string key = key_of(batch, n);
    check_frames(views[n], key);
    value_count += views[n].sample_count * dim;
    block->keys.push_back(key_of_text(key));
    block->utterances.push_back({std::move(key), views[n].sample_count});
  }
  block->frames.resize(value_count * std::int64_t{sizeof(float)});
  std::byte* to = block->frames.mutable_data();
  for (const SequenceView& view : views) {
    for (std::int64_t i = 0; i < view.sample_count * dim; ++i, to += sizeof(float)) {
      const std::uint32_t value = __builtin_bswap32(internal::load<std::uint32_t>(view.values, i));
      std::memcpy(to, &value, sizeof value);
    }
  }
  return block;
}

void HtkSerializer::append(std::unique_ptr<Serializer::Block> block) {
  const auto& encoded = static_cast<const Block&>(*block);
  internal::check_repeated(list_->name(), keys_.add(encoded.keys), kRepeatedKey);
  std::string lines;
  if (options_.has_archive) {
    append_to_archive(encoded, lines);
  } else {
    write_files(encoded, lines);
  }
  list_->write(std::as_bytes(std::span(lines)));
  utterance_count_ += std::ssize(encoded.utterances);
}

void HtkSerializer::append_to_archive(const Block& block, std::string& lines) {
  for (const Block::Utterance& utterance : block.utterances) {
    const std::int64_t first = frame_count_;
    frame_count_ += utterance.frame_count;
    if (frame_count_ > frames_max_) {
      fail(utterance.key, kManyFrames, formatted("{} so far", frame_count_));
    }
    lines += formatted("{}{}=.../{}[{},{}]\n", utterance.key, kExtension, archive_name_, first,
                       frame_count_ - 1);
  }
  archive_->write(block.frames.as<std::byte>());
}

void HtkSerializer::write_files(const Block& block, std::string& lines) const {
  std::span<const std::byte> frames = block.frames.as<std::byte>();
  const std::int64_t frame_size = stream_.sample_shape.size() * std::int64_t{sizeof(float)};
  for (const Block::Utterance& utterance : block.utterances) {
    const std::string name = file_name(utterance.key);
    const std::unique_ptr<ByteSink> file = create_file_(internal::beside(list_->name(), name));
    const auto size = static_cast<std::size_t>(utterance.frame_count * frame_size);
    file->write(header_of(utterance.frame_count));
    file->write(frames.first(size));
    file->finish();
    frames = frames.subspan(size);
    lines += formatted("{}{}=.../{}[0,{}]\n", utterance.key, kExtension, name,
                       utterance.frame_count - 1);
  }
}

void HtkSerializer::finish() {
  if (utterance_count_ == 0) fail("", kNoUtterance, "none");
  internal::check_repeated(list_->name(), keys_.finish(), kRepeatedKey);
  if (archive_) {
    archive_->overwrite(0, header_of(frame_count_));
    archive_->finish();
  }
  list_->finish();
}

std::array<std::byte, kHeaderSize> HtkSerializer::header_of(std::int64_t frame_count) const {
  return header_bytes({.frame_count = frame_count,
                       .period = options_.period,
                       .frame_size_bytes = static_cast<std::uint16_t>(stream_.sample_shape.size() *
                                                                      std::int64_t{sizeof(float)}),
                       .kind = options_.kind});
}

// Returns the file name for a key. Letters, digits and a few marks stay, and every other byte
// becomes %XX. So no key leads out of the folder, and different keys have different names.
std::string HtkSerializer::file_name(std::string_view key) const {
  std::string name;
  for (const char c : key) {
    const bool is_plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                          (c == '.' && !name.empty());
    name += is_plain ? std::string(1, c) : formatted("%{:02X}", static_cast<unsigned char>(c));
  }
  name += kExtension;
  if (name.size() > kNameSizeMax) fail(key, kFileName, formatted("{} bytes", name.size()));
  return name;
}

void HtkSerializer::fail(std::string_view key, const ErrorKind& kind, std::string found) const {
  internal::throw_unwritable({.path = list_->name(), .key = key, .stream = stream_.name}, kind,
                             std::move(found));
}

}  // namespace sheaf::htk
