#include "format/megatron/megatron_serializer.h"

#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/buffer.h"
#include "sheaf/extend/format.h"

#include "base/text.h"
#include "format/megatron/megatron_errors.h"
#include "format/megatron/megatron_list.h"
#include "format/megatron/megatron_options.h"
#include "format/megatron/megatron_types.h"
#include "format/writing.h"

namespace sheaf::megatron {
namespace {

constexpr std::int64_t kNumbersAtOnce = 1 << 13;
constexpr std::int64_t kTokensMax = std::numeric_limits<std::int32_t>::max();

// Returns the single stream of the files.
Stream checked_stream(const CreateRequest& request) {
  check_format_options("megatron", {}, request.options.extra, "for writing");
  const Stream& stream = internal::only_stream("megatron", request.streams);
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(formatted("stream \"{}\": {}", stream.name, why));
  };
  if (stream.storage == Storage::sparse) refuse("files of Megatron hold dense tokens");
  if (stream.sample_shape != Shape{1}) {
    refuse(formatted("a sample is one token, of the shape [1], not {}",
                     to_string(stream.sample_shape)));
  }
  if (!token_type_of(stream.element_type)) {
    refuse(formatted("files of Megatron have no tokens of type {}; the transform cast gives others",
                     to_string(stream.element_type)));
  }
  return stream;
}

std::unique_ptr<ByteSink> create_tokens(std::string_view path, const CreateRequest& request) {
  internal::check_has_location("megatron", path, request.create_file != nullptr);
  return request.create_file(tokens_path_beside(path));
}

/// Writes 64-bit numbers, some thousands at a time.
template <typename NumberOf>
void write_numbers(ByteSink& sink, std::int64_t count, const NumberOf& number_of) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    numbers.push_back(number_of(i));
    if (std::ssize(numbers) < kNumbersAtOnce && i + 1 < count) continue;
    sink.write(std::as_bytes(std::span(numbers)));
    numbers.clear();
  }
}

}  // namespace

/// Tokens of some sequences, one after the other.
class MegatronSerializer::Block final : public Serializer::Block {
 public:
  [[nodiscard]] std::int64_t memory_bytes() const noexcept override {
    return tokens.capacity_bytes() +
           static_cast<std::int64_t>(lengths.capacity() * sizeof(std::int32_t));
  }

  Buffer tokens;
  std::vector<std::int32_t> lengths;
};

MegatronSerializer::MegatronSerializer(CreateRequest request)
    : list_(std::move(request.sink)),
      stream_(checked_stream(request)),
      tokens_(create_tokens(list_->name(), request)) {}

std::unique_ptr<Serializer::Block> MegatronSerializer::encode(const SequenceBatch& batch) const {
  auto block = std::make_unique<Block>();
  const std::span<const SequenceView> views = batch.views.front();
  std::int64_t token_count = 0;
  for (std::size_t n = 0; n < views.size(); ++n) {
    const SequenceView& view = views[n];
    if (!view.is_present) fail(batch, n, kWrittenAbsent, "none");
    if (view.sample_count > kTokensMax) {
      fail(batch, n, kWrittenCount, formatted("{}", view.sample_count));
    }
    block->lengths.push_back(static_cast<std::int32_t>(view.sample_count));
    token_count += view.sample_count;
  }
  const std::int64_t size = element_size(stream_.element_type);
  block->tokens.reserve(token_count * size);
  block->tokens.resize(token_count * size);
  std::byte* to = block->tokens.mutable_data();
  for (const SequenceView& view : views) {
    const std::int64_t bytes = view.sample_count * size;
    if (bytes > 0) std::memcpy(to, view.values, static_cast<std::size_t>(bytes));
    to += bytes;
  }
  return block;
}

void MegatronSerializer::append(std::unique_ptr<Serializer::Block> block) {
  const auto& encoded = static_cast<const Block&>(*block);
  lengths_.insert(lengths_.end(), encoded.lengths.begin(), encoded.lengths.end());
  tokens_->write(encoded.tokens.as<std::byte>());
}

void MegatronSerializer::finish() {
  if (lengths_.empty()) {
    internal::throw_unwritable({.path = list_->name()}, kWrittenNothing, "no sequence");
  }
  tokens_->finish();
  const auto count = static_cast<std::int64_t>(lengths_.size());
  const TokenType type = *token_type_of(stream_.element_type);
  list_->write(header_bytes({.type = type, .sequence_count = count, .document_count = count}));
  list_->write(std::as_bytes(std::span(lengths_)));
  std::int64_t location = 0;
  write_numbers(*list_, count, [&](std::int64_t i) {
    return std::exchange(location,
                         location + lengths_[static_cast<std::size_t>(i)] * type.size_bytes);
  });
  write_numbers(*list_, count + 1, [](std::int64_t i) { return i; });
  list_->finish();
}

void MegatronSerializer::fail(const SequenceBatch& batch, std::size_t sequence,
                              const internal::ErrorKind& kind, std::string found) const {
  const std::string key = batch.key_texts.empty() ? to_string(batch.keys[sequence])
                                                  : std::string(batch.key_texts[sequence]);
  internal::throw_unwritable({.path = list_->name(), .key = key, .stream = stream_.name}, kind,
                             std::move(found));
}

}  // namespace sheaf::megatron
