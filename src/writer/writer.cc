#include "sheaf/writer.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "core/owned.h"
#include "format/writing.h"
#include "io/staged_files.h"
#include "writer/stream_choice.h"
#include "writer/turns.h"

// A call claims its turn, encodes on its own thread without a lock, and puts the block into Turns.
// Turns passes the block to the serializer after all earlier blocks.

namespace sheaf {
namespace {

std::string listed(std::span<const Stream> streams) {
  std::string text;
  for (const Stream& stream : streams) text += (text.empty() ? "" : ", ") + to_string(stream);
  return text.empty() ? "none" : text;
}

void check_whole(std::span<const SequenceKey> keys, std::span<const SequenceSlice> slices) {
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const SequenceSlice& slice = slices[i];
    if (slice.first == 0 && slice.count == slice.sequence_sample_count) continue;
    throw ConfigError(
        formatted("{} samples from sample {} of the {} of sequence {} cannot be written: sequences "
                  "are written whole; deliver them without truncation",
                  slice.count, slice.first, slice.sequence_sample_count, to_string(keys[i])));
  }
}

// Ignores keeps_together and describes_others, which do not change what is written.
bool is_written_alike(Stream a, const Stream& b) {
  a.keeps_together = b.keeps_together;
  a.describes_others = b.describes_others;
  return a == b;
}

FileSystem& file_system_of(const WriterOptions& options) {
  return options.files != nullptr ? *options.files : system_files();
}

void check_layout(const Minibatch& minibatch) {
  for (std::int64_t i = 0; i < std::ssize(minibatch.streams()); ++i) {
    if (minibatch.has_views(i)) continue;
    const Layout layout = minibatch.batch(i).layout;
    if (layout == Layout::packed || layout == Layout::truncated) {
      throw ConfigError(
          formatted("a `{}` minibatch cannot be written: samples of a sequence do not lie together "
                    "there; deliver `ragged` or `padded` ones",
                    to_string(layout)));
    }
    throw ConfigError(
        formatted("a `{}` minibatch whose stream \"{}\" has samples of variable shape cannot be "
                  "written: samples of a sequence do not lie together there; deliver `ragged` ones",
                  to_string(layout), minibatch.streams()[static_cast<std::size_t>(i)].name));
  }
}

}  // namespace

class Writer::State {
 public:
  State(std::string name, internal::StreamChoice choice,
        std::unique_ptr<internal::StagedFiles> files, std::unique_ptr<Serializer> serializer,
        std::int64_t waiting_bytes_max)
      : name_(std::move(name)),
        choice_(std::move(choice)),
        files_(std::move(files)),
        serializer_(std::move(serializer)),
        turns_(name_, waiting_bytes_max, [this](std::unique_ptr<Serializer::Block> block) {
          serializer_->append(std::move(block));
        }) {}

  [[nodiscard]] const internal::StreamChoice& choice() const noexcept { return choice_; }

  /// Writes the result of `encode` as the given turn, or as the next turn.
  template <typename Encode>
  void in_turn(std::optional<std::int64_t> turn, const Encode& encode) {
    ending_on_error([&] {
      if (turn) {
        turns_.claim(*turn);
      } else {
        turn = turns_.claim_next();
      }
      turns_.put(*turn, encode());
    });
  }

  void write(std::optional<std::int64_t> turn, const SequenceList& sequences);
  void write(std::optional<std::int64_t> turn, const Minibatch& minibatch);
  void write(std::optional<std::int64_t> turn, std::span<const SequenceKey> keys,
             const Chunk& chunk);

  void end_chunk(std::optional<std::int64_t> turn) {
    in_turn(turn, [&] {
      const Views none(choice_.streams().size());
      return serializer_->encode({.views = none, .ends_chunk = true});
    });
  }

  void fail(std::exception_ptr error) noexcept { turns_.fail(std::move(error)); }

  void finish() {
    ending_on_error([&] {
      turns_.close();
      serializer_->finish();
      files_->publish();
    });
  }

  [[nodiscard]] std::vector<Diagnostic> warnings() const { return serializer_->warnings(); }

  [[nodiscard]] WriterStats stats() const noexcept {
    return {.sequences = sequences_,
            .samples = samples_,
            .values_out_of_range = out_of_range_,
            .bytes = files_->bytes()};
  }

 private:
  using Views = std::vector<std::span<const SequenceView>>;

  template <typename Body>
  void ending_on_error(const Body& body) {
    try {
      body();
    } catch (...) {
      turns_.fail(std::current_exception());
      throw;
    }
  }

  void check_streams(std::span<const Stream> streams) const {
    if (std::ranges::equal(streams, choice_.given(), is_written_alike)) return;
    throw ConfigError(formatted("the streams to write are not those of the writer: {}; it takes {}",
                                listed(streams), listed(choice_.given())));
  }

  /// `views` are the views of the written streams, with the given values.
  [[nodiscard]] std::unique_ptr<Serializer::Block> encode(
      std::span<const SequenceKey> keys, std::span<const std::string_view> key_texts, Views views,
      std::span<const std::int64_t> costs) {
    if (keys.empty()) return nullptr;
    const internal::ChosenViews chosen = choice_.convert(std::move(views));
    if (chosen.lost) refuse_value(*chosen.lost, keys, key_texts);
    std::unique_ptr<Serializer::Block> block = serializer_->encode(
        {.keys = keys, .key_texts = key_texts, .costs = costs, .views = chosen.views});
    sequences_ += std::ssize(keys);
    samples_ += choice_.sample_count(chosen.views);
    out_of_range_ += chosen.values_out_of_range;
    return block;
  }

  [[noreturn]] void refuse_value(const internal::LostValue& lost, std::span<const SequenceKey> keys,
                                 std::span<const std::string_view> key_texts) const {
    const Stream& stream = choice_.streams()[lost.stream];
    const std::string key =
        key_texts.empty() ? to_string(keys[lost.sequence]) : std::string(key_texts[lost.sequence]);
    const std::string expected = formatted("a value that {} holds", to_string(stream.element_type));
    internal::throw_unwritable({.path = name_, .key = key, .stream = stream.name},
                               {"convert-value", expected},
                               formatted("{} as value {} of the sequence", lost.text, lost.value));
  }

  const std::string name_;
  const internal::StreamChoice choice_;
  const std::unique_ptr<internal::StagedFiles> files_;
  const std::unique_ptr<Serializer> serializer_;
  internal::Turns turns_;
  std::atomic<std::int64_t> sequences_ = 0;
  std::atomic<std::int64_t> samples_ = 0;
  std::atomic<std::int64_t> out_of_range_ = 0;
};

void Writer::State::write(std::optional<std::int64_t> turn, const SequenceList& sequences) {
  in_turn(turn, [&] {
    check_streams(*sequences.streams());
    check_whole(sequences.keys(), sequences.slices());
    Views views;
    for (std::int64_t i = 0; i < std::ssize(choice_.streams()); ++i) {
      views.push_back(sequences.views(choice_.source(i)));
    }
    return encode(sequences.keys(), sequences.key_texts(), std::move(views), sequences.costs());
  });
}

void Writer::State::write(std::optional<std::int64_t> turn, const Minibatch& minibatch) {
  in_turn(turn, [&] {
    check_streams(minibatch.streams());
    check_layout(minibatch);
    check_whole(minibatch.keys(), minibatch.slices());
    const auto stream_count = std::ssize(choice_.streams());
    std::vector<std::vector<SequenceView>> lists(static_cast<std::size_t>(stream_count));
    Views views;
    for (std::int64_t i = 0; i < stream_count; ++i) {
      std::vector<SequenceView>& list = lists[static_cast<std::size_t>(i)];
      list.reserve(minibatch.keys().size());
      for (std::int64_t n = 0; n < minibatch.sequence_count(); ++n) {
        list.push_back(minibatch.view(choice_.source(i), n));
      }
      views.emplace_back(list);
    }
    return encode(minibatch.keys(), minibatch.key_texts(), std::move(views), minibatch.costs());
  });
}

void Writer::State::write(std::optional<std::int64_t> turn, std::span<const SequenceKey> keys,
                          const Chunk& chunk) {
  in_turn(turn, [&] {
    if (std::ssize(keys) != chunk.sequence_count()) {
      throw ConfigError(formatted("{} keys were given for a chunk of {} sequences", keys.size(),
                                  chunk.sequence_count()));
    }
    if (chunk.stream_count() != std::ssize(choice_.given())) {
      throw ConfigError(formatted("the chunk to write has {} streams; the writer takes {}: {}",
                                  chunk.stream_count(), choice_.given().size(),
                                  listed(choice_.given())));
    }
    SequenceList sequences(
        std::make_shared<std::vector<Stream>>(choice_.given().begin(), choice_.given().end()));
    for (std::int64_t n = 0; n < chunk.sequence_count(); ++n) {
      if (!chunk.is_hole(n)) sequences.add(keys[static_cast<std::size_t>(n)], chunk, n);
    }
    Views views;
    for (std::int64_t i = 0; i < std::ssize(choice_.streams()); ++i) {
      views.push_back(sequences.views(choice_.source(i)));
    }
    return encode(sequences.keys(), sequences.key_texts(), std::move(views), sequences.costs());
  });
}

Writer::Writer(const std::string& path, std::span<const Stream> streams,
               const WriterOptions& options, std::span<const Format> formats) {
  internal::StreamChoice choice(streams, options.streams);
  const Format& format = find_writable_format(path, options.format, formats);
  auto files = std::make_unique<internal::StagedFiles>(file_system_of(options));
  const auto create = [&staged = *files, existing = options.existing](const std::string& name) {
    return staged.create(name, {.existing = existing});
  };
  std::unique_ptr<Serializer> serializer =
      format.create({.sink = create(path),
                     .streams = {choice.streams().begin(), choice.streams().end()},
                     .options = options.format,
                     .create_file = create,
                     .files = files.get()});
  state_ = std::make_unique<State>(path, std::move(choice), std::move(files), std::move(serializer),
                                   options.waiting_bytes_max);
}

Writer::Writer(std::unique_ptr<ByteSink> sink, std::span<const Stream> streams,
               const WriterOptions& options, std::span<const Format> formats) {
  internal::StreamChoice choice(streams, options.streams);
  std::string name(sink->name());
  const Format& format = find_writable_format(name, options.format, formats);
  auto files = std::make_unique<internal::StagedFiles>(file_system_of(options));
  std::unique_ptr<Serializer> serializer =
      format.create({.sink = files->add(std::move(sink)),
                     .streams = {choice.streams().begin(), choice.streams().end()},
                     .options = options.format,
                     .files = files.get()});
  state_ = std::make_unique<State>(std::move(name), std::move(choice), std::move(files),
                                   std::move(serializer), options.waiting_bytes_max);
}

Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Writer::State& Writer::state() const { return internal::owned(state_, "the Writer"); }

std::span<const Stream> Writer::streams() const noexcept {
  if (state_ == nullptr) return {};
  return state_->choice().streams();
}

void Writer::write(std::int64_t turn, const SequenceList& sequences) {
  state().write(turn, sequences);
}
void Writer::write(const SequenceList& sequences) { state().write(std::nullopt, sequences); }
void Writer::write(std::int64_t turn, const Minibatch& minibatch) {
  state().write(turn, minibatch);
}
void Writer::write(const Minibatch& minibatch) { state().write(std::nullopt, minibatch); }
void Writer::write(std::int64_t turn, std::span<const SequenceKey> keys, const Chunk& chunk) {
  state().write(turn, keys, chunk);
}
void Writer::write(std::span<const SequenceKey> keys, const Chunk& chunk) {
  state().write(std::nullopt, keys, chunk);
}

void Writer::skip(std::int64_t turn) {
  state().in_turn(turn, [] { return nullptr; });
}

void Writer::end_chunk(std::int64_t turn) { state().end_chunk(turn); }
void Writer::end_chunk() { state().end_chunk(std::nullopt); }

void Writer::fail(std::exception_ptr error) noexcept {
  if (state_ != nullptr) state_->fail(std::move(error));
}
void Writer::finish() { state().finish(); }
WriterStats Writer::stats() const noexcept {
  return state_ == nullptr ? WriterStats{} : state_->stats();
}

std::vector<Diagnostic> Writer::warnings() const { return state().warnings(); }

}  // namespace sheaf
