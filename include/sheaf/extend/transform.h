/// \file
/// Functions of one sequence, applied after the order is decided and before sequences are packed.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/keyed_generator.h"
#include "sheaf/types.h"

namespace sheaf {

/// Which sequence a transform works on, and the random numbers that belong to the sequence.
struct TransformedSequence {
  KeyedGenerator::Name name = {};  // seed, sweep, key, and the transform within its chain
  std::string_view key_text = {};  // empty where keys are numbers
  std::span<const std::int64_t> sample_counts = {};  // of the whole sequence, in each stream read

  /// What OrderedDraws::draw() gave for the sequence; empty for transforms without ordered draws.
  std::span<const double> drawn = {};

  /// Returns the generator, at its first number. Each call returns the same generator.
  [[nodiscard]] KeyedGenerator generator() const noexcept { return KeyedGenerator(name); }
};

/// What a transform reads.
struct TransformInput {
  const TransformedSequence& sequence;
  std::span<const Stream> streams;       // as Transform::outputs() got them
  std::span<const SequenceView> views;   // one of each stream, of the samples that are there
  std::span<const std::int64_t> firsts;  // the number of a view's first sample in its sequence
  SampleRange range;                     // the samples to make, the same in each stream made
};

/// Where a transform puts what it makes. The memory lives until the minibatch is packed.
class TransformOutput {
 public:
  /// Pre: `views` has one view of each stream; the parts outlive this.
  TransformOutput(std::span<const Stream> streams, std::span<SequenceView> views,
                  std::pmr::memory_resource& memory, bool takes_strides = false) noexcept
      : streams_(streams), views_(views), memory_(memory), takes_strides_(takes_strides) {}

  [[nodiscard]] std::span<const Stream> streams() const noexcept { return streams_; }

  /// Makes room for the samples of a dense stream of fixed shape, and returns the first value. The
  /// memory is not initialised.
  ///
  /// Pre: T has the size of a value of the stream; 0 <= stream < streams().size(), here and below.
  template <typename T>
  [[nodiscard]] T* dense(std::size_t stream, std::int64_t sample_count) {
    return reinterpret_cast<T*>(dense_bytes(stream, sample_count));
  }
  [[nodiscard]] std::byte* dense_bytes(std::size_t stream, std::int64_t sample_count);

  /// The arrays of a sparse stream.
  struct Sparse {
    std::byte* values;
    std::byte* indices;
    std::int64_t* sample_offsets;  // [sample_count + 1]; the first is 0, the last value_count
  };

  /// Makes room for the samples of a sparse stream.
  [[nodiscard]] Sparse sparse(std::size_t stream, std::int64_t sample_count,
                              std::int64_t value_count);

  /// Makes room for samples of variable shape.
  struct Variable {
    std::byte* values;
    std::int64_t* sample_offsets;  // [sample_count + 1], as above
    std::int64_t* extents;         // [sample_count, rank]
  };
  [[nodiscard]] Variable variable(std::size_t stream, std::int64_t sample_count,
                                  std::int64_t value_count);

  /// Returns whether set() takes views with a sample_stride: nothing but a packer reads the output.
  [[nodiscard]] bool takes_strides() const noexcept { return takes_strides_; }

  /// Hands on samples that are there already, such as samples of the input.
  ///
  /// Lifetime: that of the input's views, or of the output's memory.
  void set(std::size_t stream, const SequenceView& view) noexcept { views_[stream] = view; }

  /// Returns memory for anything else.
  [[nodiscard]] std::pmr::memory_resource& memory() noexcept { return memory_; }

  /// Notes something strange in the data of the sequence, which is delivered all the same. The
  /// caller knows key and path; `byte_offset` counts from the first value of the stream read.
  void warn(Diagnostic warning);

  /// Returns what warn() noted.
  [[nodiscard]] std::vector<Diagnostic>& warnings() noexcept { return warnings_; }

  /// Leaves the sequence out, since its data are wrong: the sequence becomes a hole, as a DataError
  /// of apply() makes it one. The other sequences of apply_many() are delivered. The diagnostic is
  /// that of Transform::apply().
  void leave_out(Diagnostic problem) { problem_ = std::move(problem); }

  /// Returns what leave_out() noted.
  [[nodiscard]] std::optional<Diagnostic>& problem() noexcept { return problem_; }

 private:
  std::span<const Stream> streams_;
  std::span<SequenceView> views_;
  std::pmr::memory_resource& memory_;
  bool takes_strides_;
  std::vector<Diagnostic> warnings_;
  std::optional<Diagnostic> problem_;
};

/// Draws random numbers for one sequence after the other, in the order of the plan. What is drawn
/// for a sequence depends on all sequences before: `compatibility=cntk` needs that for images, and
/// nothing else should. Position::draws keeps the state.
///
/// Threads: one call at a time.
class OrderedDraws {
 public:
  virtual ~OrderedDraws() = default;

  /// Draws for the sequence in place `slot` of its minibatch. Appends the numbers, which apply()
  /// gets as TransformedSequence::drawn. `views` has a view of each stream that the transform
  /// reads. Draws and appends nothing for a sequence whose data are wrong.
  virtual void draw(std::int64_t slot, std::span<const SequenceView> views,
                    std::vector<double>& numbers) = 0;

  /// Returns all that is needed to go on from here.
  [[nodiscard]] virtual std::vector<std::int64_t> state() const = 0;
};

/// A function of one sequence. A transform knows before it sees data which streams it makes, how
/// many samples they have, and which samples it reads, so that orders, minibatch sizes and memory
/// are planned without data. Frame mode and truncation ask for a part of a sequence: the part of
/// the result must be the result's part.
///
/// A sequence in which the first stream read is absent is not handed to a transform: the streams
/// made are absent, too.
///
/// Threads: all calls are safe from any number of threads.
class Transform {
 public:
  virtual ~Transform() = default;

  /// Returns the name in options and messages: "context".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Returns all options that change the result, as a position carries them: "left=5,right=5".
  [[nodiscard]] virtual std::string options() const = 0;

  /// Returns whether the result depends on the generator.
  [[nodiscard]] virtual bool is_random() const noexcept { return false; }

  /// Returns the streams that the transform makes of these streams.
  ///
  /// Throws: ConfigError for streams that the transform does not take. The message names the
  ///         stream.
  [[nodiscard]] virtual std::vector<Stream> outputs(std::span<const Stream> inputs) const = 0;

  /// Returns the largest extents that samples of stream number `i` of outputs() may have, where
  /// their shape is variable. Nothing where that is not known. Memory is planned by these extents:
  /// a run with a memory limit refuses a stream made without them, and a sample beyond them is an
  /// error.
  [[nodiscard]] virtual std::optional<Shape> shape_max(std::size_t i) const {
    static_cast<void>(i);
    return std::nullopt;
  }

  /// Returns whether every sample of the i-th stream made is a sample of the i-th stream read. Then
  /// samples of variable shape need no shape_max(): they are as large as those read.
  [[nodiscard]] virtual bool keeps_samples() const noexcept { return false; }

  /// Returns how many samples the streams made have where the first stream read has `sample_count`.
  ///
  /// Pre: sample_count is not negative; the result must not be either, and must never fall while
  ///      sample_count grows.
  [[nodiscard]] virtual std::int64_t sample_count(std::int64_t sample_count) const noexcept {
    return sample_count;
  }

  /// Returns whether sample_count() gives back every number that it gets.
  [[nodiscard]] virtual bool keeps_counts() const noexcept { return true; }

  /// Returns whether a stream that defines the minibatch size goes on to do so by the samples that
  /// it had before the transform, where the transform first reads another stream. Otherwise that is
  /// refused: the first stream gives the number of samples.
  [[nodiscard]] virtual bool keeps_minibatch_size() const noexcept { return false; }

  /// Returns which samples of the streams read are needed to make `range`. Samples beyond the ends
  /// of a stream may be named; they do not come.
  ///
  /// Pre: range is not empty, and lies in the result.
  [[nodiscard]] virtual SampleRange reads(const SampleRange& range,
                                          const TransformedSequence& sequence) const {
    static_cast<void>(sequence);
    return range;
  }

  /// Returns which samples of the i-th stream read are needed to make `range`. By default the same
  /// samples of each stream, as reads() says.
  ///
  /// Pre: as reads().
  [[nodiscard]] virtual SampleRange reads_of(std::size_t i, const SampleRange& range,
                                             const TransformedSequence& sequence) const {
    static_cast<void>(i);
    return reads(range, sequence);
  }

  /// Makes `input.range` of each stream. The views of the input have at least the samples that
  /// reads_of() named, without those beyond the ends of the streams.
  ///
  /// Throws: ConfigError for a sequence that the transform cannot take. The message tells neither
  ///         transform nor key: the caller adds both. DataError with one diagnostic where the data
  ///         of the sequence are wrong, such as a damaged image: the sequence becomes a hole. The
  ///         diagnostic has stream, code, expected, found, and a byte_offset from the first value
  ///         of the stream read, or kNoPlace: the caller adds key and path.
  virtual void apply(const TransformInput& input, TransformOutput& output) const = 0;

  /// How many sequences one call takes. `one` calls apply(), the others call apply_many().
  ///
  /// any:  the sequences that one thread prepares; how many these are changes nothing.
  /// step: the sequences of this worker's minibatch, so that the result may depend on them.
  enum class Batch : std::uint8_t { one, any, step };
  [[nodiscard]] virtual Batch batch() const noexcept { return Batch::one; }

  /// Makes the ranges of several sequences, one output for each input. By default calls apply().
  ///
  /// Pre:    all of apply(), for each sequence.
  /// Throws: as apply(). Where batch() is `any`, the caller then calls again, for each sequence
  ///         alone.
  virtual void apply_many(std::span<const TransformInput> inputs,
                          std::span<TransformOutput> outputs) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) apply(inputs[i], outputs[i]);
  }

  /// Returns what draws numbers in the order of the plan, where the transform needs that. Then the
  /// transform must read streams of the data. `state` is what OrderedDraws::state() returned at the
  /// place where the run begins; empty at the start of a run.
  ///
  /// Throws: ConfigError for a state that cannot be one.
  [[nodiscard]] virtual std::unique_ptr<OrderedDraws> ordered_draws(
      std::span<const std::int64_t> state) const {
    static_cast<void>(state);
    return nullptr;
  }

  /// Returns one transform that does the work of this transform and then the work of `next`.
  /// Returns null where a joint transform would not save work, as by default. The joint transform
  /// reads the inputs of `next` except the last one, which this transform makes, and then the
  /// inputs of this transform. The joint transform draws the same random numbers as the two:
  /// `own_name` and `next_name` are the names of their generators
  /// (KeyedGenerator::Name::transform).
  [[nodiscard]] virtual std::shared_ptr<const Transform> then(
      const std::shared_ptr<const Transform>& next, std::string_view own_name,
      std::string_view next_name) const {
    static_cast<void>(next);
    static_cast<void>(own_name);
    static_cast<void>(next_name);
    return nullptr;
  }
};

/// Says which transform to apply to which streams, as plain data.
struct TransformSpec {
  std::string type = {};                            // "context"
  std::vector<std::string> streams = {};            // read; empty: all, where the type allows that
  std::vector<std::string> as = {};                 // names of the streams made; empty: the same
  std::map<std::string, std::string> options = {};  // by name: {"left", "5"}

  friend bool operator==(const TransformSpec&, const TransformSpec&) = default;
};

/// Parses a text "TYPE:STREAM+STREAM:OPTION=VALUE,OPTION=VALUE", such as
/// "context:features:left=5,right=5". The streams, the options, or both may be left out. The option
/// `as` names the streams made: "delta:features:as=deltas".
///
/// Throws: ConfigError that quotes the text.
[[nodiscard]] TransformSpec parse_transform(std::string_view text);

/// Returns the text that parse_transform() understands.
[[nodiscard]] std::string to_string(const TransformSpec& spec);

/// An option of a type of transforms.
struct TransformOption {
  std::string_view name = {};
  std::string_view default_text = {};  // empty: the option has no default
  std::string_view help = {};          // one line
  bool is_path = false;                // a path of a file: in a spec, relative to its folder

  /// Whether the option names a stream, which the transform reads before the others. The option is
  /// then needed.
  bool is_stream = false;
};

/// What a transform is made of.
struct TransformRequest {
  std::map<std::string, std::string> options = {};

  /// The streams that the transform will read. Empty where nothing is known of the streams yet.
  std::span<const Stream> streams = {};

  /// Returns the text of a file that an option names. Null where there are no files.
  std::function<std::string(const std::string& path)> read_file = {};
};

/// How a type of transforms treats the streams that it is given.
enum class TransformUse : std::uint8_t {
  each,      // a transform for each stream
  together,  // one transform of all streams
  select,    // keeps these streams and drops the others; no function
  rename,    // gives the streams the names of `as`; no function
};

/// A type of transforms: a row of the table.
struct TransformType {
  std::string_view name = {};         // "context"
  std::string_view description = {};  // one line
  TransformUse use = TransformUse::each;
  bool takes_all = false;  // whether no streams means all streams
  std::span<const TransformOption> options = {};

  /// Makes a transform. Null where `use` is select or rename.
  ///
  /// Throws: ConfigError that names the option and what it may be.
  std::shared_ptr<const Transform> (*make)(const TransformRequest& request) = nullptr;
};

/// Returns the types of the library.
[[nodiscard]] std::span<const TransformType> builtin_transforms() noexcept;

}  // namespace sheaf
