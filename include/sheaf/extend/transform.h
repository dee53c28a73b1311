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

/// The sequence that a transform processes, and the random numbers of the sequence.
struct TransformedSequence {
  KeyedGenerator::Name name = {};  // seed, sweep, key, and the name of the transform within its
                                   // chain
  std::string_view key_text = {};  // empty if keys are numbers
  std::span<const std::int64_t> sample_counts = {};  // of the whole sequence, in each input stream

  /// The numbers that OrderedDraws::draw() drew for the sequence. Empty for transforms without
  /// ordered draws.
  std::span<const double> drawn = {};

  /// Returns the generator of the sequence, at its first number. All calls return equal generators.
  [[nodiscard]] KeyedGenerator generator() const noexcept { return KeyedGenerator(name); }
};

/// The input of a transform.
struct TransformInput {
  const TransformedSequence& sequence;
  std::span<const Stream> streams;       // the streams that Transform::outputs() got
  std::span<const SequenceView> views;   // one for each stream, of the available samples
  std::span<const std::int64_t> firsts;  // the number of each view's first sample in its sequence
  SampleRange range;                     // the samples to make, the same in each output stream
};

/// The output of a transform. Its memory lives until the minibatch is packed.
class TransformOutput {
 public:
  /// Pre: `views` has one view for each stream. `streams`, `views` and `memory` outlive this
  ///      object.
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
    std::int64_t* sample_offsets;  // [sample_count + 1]; the first is 0, and the last must become
                                   // value_count
  };

  /// Makes room for the samples of a sparse stream.
  [[nodiscard]] Sparse sparse(std::size_t stream, std::int64_t sample_count,
                              std::int64_t value_count);

  /// The arrays of a stream of variable shape.
  struct Variable {
    std::byte* values;
    std::int64_t* sample_offsets;  // [sample_count + 1], as in Sparse
    std::int64_t* extents;         // [sample_count, rank]
  };
  [[nodiscard]] Variable variable(std::size_t stream, std::int64_t sample_count,
                                  std::int64_t value_count);

  /// Returns whether set() takes views with a sample_stride. That is the case if only a packer
  /// reads the output.
  [[nodiscard]] bool takes_strides() const noexcept { return takes_strides_; }

  /// Sets a stream to existing samples, such as samples of the input.
  ///
  /// Lifetime: the samples must live as long as the views of the input, or come from memory().
  void set(std::size_t stream, const SequenceView& view) noexcept { views_[stream] = view; }

  /// Returns memory for other purposes.
  [[nodiscard]] std::pmr::memory_resource& memory() noexcept { return memory_; }

  /// Adds a warning about the data of the sequence, which is still delivered. The caller adds key
  /// and path. `byte_offset` counts from the first value of the input stream.
  void warn(Diagnostic warning);

  /// Returns the warnings of warn().
  [[nodiscard]] std::vector<Diagnostic>& warnings() noexcept { return warnings_; }

  /// Makes the sequence a hole because its data are wrong, like a DataError of apply(). The other
  /// sequences of apply_many() are delivered. See Transform::apply() for the fields of the
  /// diagnostic.
  void leave_out(Diagnostic problem) { problem_ = std::move(problem); }

  /// Returns the diagnostic of leave_out().
  [[nodiscard]] std::optional<Diagnostic>& problem() noexcept { return problem_; }

 private:
  std::span<const Stream> streams_;
  std::span<SequenceView> views_;
  std::pmr::memory_resource& memory_;
  bool takes_strides_;
  std::vector<Diagnostic> warnings_;
  std::optional<Diagnostic> problem_;
};

/// Draws random numbers for one sequence after the other, in the order of the plan. The numbers of
/// a sequence depend on all earlier sequences. Only `compatibility=cntk` for images needs this; new
/// transforms should not use it. Position::draws stores the state.
///
/// Threads: one call at a time.
class OrderedDraws {
 public:
  virtual ~OrderedDraws() = default;

  /// Draws for sequence number `sequence` of its minibatch. Appends the numbers to `numbers`;
  /// apply() gets them as TransformedSequence::drawn. `views` has a view of each input stream.
  /// Draws and appends nothing for a sequence whose data are wrong.
  virtual void draw(std::int64_t sequence, std::span<const SequenceView> views,
                    std::vector<double>& numbers) = 0;

  /// Returns the state from which drawing can continue.
  [[nodiscard]] virtual std::vector<std::int64_t> state() const = 0;
};

/// A function of one sequence. A transform declares, without data, its output streams, their
/// numbers of samples, and the samples that it reads, so that orders, minibatch sizes and memory
/// can be planned without data. Frame mode and truncation request a part of a sequence.
/// Transforming a part must give the same samples as the corresponding part of the whole result.
///
/// A transform is not called for a sequence that lacks the first input stream. The output streams
/// are then absent, too.
///
/// Threads: all calls are safe from any number of threads.
class Transform {
 public:
  virtual ~Transform() = default;

  /// Returns the name in options and messages: "context".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Returns all options that change the result, in the form that a position stores:
  /// "left=5,right=5".
  [[nodiscard]] virtual std::string options() const = 0;

  /// Returns whether the result depends on the generator.
  [[nodiscard]] virtual bool is_random() const noexcept { return false; }

  /// Returns the output streams for these input streams.
  ///
  /// Throws: ConfigError for streams that the transform does not take. The message names the
  ///         stream.
  [[nodiscard]] virtual std::vector<Stream> outputs(std::span<const Stream> inputs) const = 0;

  /// Returns the largest possible extents of samples of output stream `i`, if their shape is
  /// variable. Returns nothing if they are unknown. These extents are used to plan memory: a run
  /// with a memory limit refuses an output stream without them, and a sample that exceeds them is
  /// an error.
  [[nodiscard]] virtual std::optional<Shape> shape_max(std::size_t i) const {
    static_cast<void>(i);
    return std::nullopt;
  }

  /// Returns whether every sample of the i-th output stream is a sample of the i-th input stream.
  /// Samples of variable shape then need no shape_max(), because the input samples have the same
  /// sizes.
  [[nodiscard]] virtual bool keeps_samples() const noexcept { return false; }

  /// Returns how many samples the output streams have if the first input stream has `sample_count`.
  ///
  /// Pre: sample_count is not negative. The result must not be negative, and must not decrease when
  ///      sample_count increases.
  [[nodiscard]] virtual std::int64_t sample_count(std::int64_t sample_count) const noexcept {
    return sample_count;
  }

  /// Returns whether sample_count() returns its argument for every number.
  [[nodiscard]] virtual bool keeps_counts() const noexcept { return true; }

  /// Returns whether a stream that defines the minibatch size may be an input other than the first.
  /// The stream then defines the minibatch size by its samples before the transform. If false, such
  /// inputs are refused, because the first input stream gives the number of samples.
  [[nodiscard]] virtual bool keeps_minibatch_size() const noexcept { return false; }

  /// Returns the input samples that are needed to make `range`. The result may exceed the ends of a
  /// stream; the input then has only the existing samples.
  ///
  /// Pre: range is not empty, and lies within the result.
  [[nodiscard]] virtual SampleRange reads(const SampleRange& range,
                                          const TransformedSequence& sequence) const {
    static_cast<void>(sequence);
    return range;
  }

  /// Returns the samples of the i-th input stream that are needed to make `range`. By default,
  /// returns reads() for each stream.
  ///
  /// Pre: as reads().
  [[nodiscard]] virtual SampleRange reads_of(std::size_t i, const SampleRange& range,
                                             const TransformedSequence& sequence) const {
    static_cast<void>(i);
    return reads(range, sequence);
  }

  /// Makes `input.range` of each output stream. The views of the input have at least the samples of
  /// reads_of(), clipped to the ends of the streams.
  ///
  /// Throws: ConfigError for a sequence that the transform does not support. The caller adds
  ///         transform and key to the message. DataError with one diagnostic if the data of the
  ///         sequence are wrong, such as a damaged image. The sequence then becomes a hole. The
  ///         diagnostic has stream, code, expected, found, and a byte_offset from the first value
  ///         of the input stream, or kNoOffset. The caller adds key and path.
  virtual void apply(const TransformInput& input, TransformOutput& output) const = 0;

  /// How many sequences one call takes. `one` means calls of apply(); the others mean calls of
  /// apply_many().
  ///
  /// any:  the sequences that one thread prepares. Their number must not change the result.
  /// step: the sequences of this worker's minibatch. The result may depend on all of them.
  enum class Batch : std::uint8_t { one, any, step };
  [[nodiscard]] virtual Batch batch() const noexcept { return Batch::one; }

  /// Makes the ranges of several sequences, one output for each input. By default, calls apply().
  ///
  /// Pre:    as apply(), for each sequence.
  /// Throws: as apply(). If batch() is `any`, the caller then calls again for each single sequence.
  virtual void apply_many(std::span<const TransformInput> inputs,
                          std::span<TransformOutput> outputs) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) apply(inputs[i], outputs[i]);
  }

  /// Returns an object that draws numbers in the order of the plan, if the transform needs that.
  /// The inputs of the transform must then be streams of the data. `state` is the result of
  /// OrderedDraws::state() at the place where the run begins; empty at the start of a run.
  ///
  /// Throws: ConfigError for an invalid state.
  [[nodiscard]] virtual std::unique_ptr<OrderedDraws> ordered_draws(
      std::span<const std::int64_t> state) const {
    static_cast<void>(state);
    return nullptr;
  }

  /// Returns one transform that does the work of this transform and then the work of `next`.
  /// Returns null if that would not save work, as by default. The joint transform reads the inputs
  /// of `next` except the last one, which this transform makes, and then the inputs of this
  /// transform. The joint transform draws the same random numbers as the two transforms. `own_name`
  /// and `next_name` are the names of their generators (KeyedGenerator::Name::transform).
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
  std::vector<std::string> streams = {};            // input streams; empty: all, if the type allows
                                                    // that
  std::vector<std::string> as = {};                 // names of the output streams; empty: the same
  std::map<std::string, std::string> options = {};  // by name: {"left", "5"}

  friend bool operator==(const TransformSpec&, const TransformSpec&) = default;
};

/// Parses a text "TYPE:STREAM+STREAM:OPTION=VALUE,OPTION=VALUE", such as
/// "context:features:left=5,right=5". The streams, the options, or both may be left out. The option
/// `as` names the output streams: "delta:features:as=deltas".
///
/// Throws: ConfigError that quotes the text.
[[nodiscard]] TransformSpec parse_transform(std::string_view text);

/// Returns a text that parse_transform() understands.
[[nodiscard]] std::string to_string(const TransformSpec& spec);

/// An option of a type of transforms.
struct TransformOption {
  std::string_view name = {};
  std::string_view default_text = {};  // empty: the option has no default
  std::string_view help = {};          // one line
  bool is_path = false;                // whether the value is a path; in a spec, relative to its
                                       // folder

  /// Whether the option names a stream that the transform reads before the others. Such an option
  /// is required.
  bool is_stream = false;
};

/// A request to make a transform.
struct TransformRequest {
  std::map<std::string, std::string> options = {};

  /// The streams that the transform will read. Empty if the streams are not known yet.
  std::span<const Stream> streams = {};

  /// Returns the text of a file that an option names. Null if there are no files.
  std::function<std::string(const std::string& path)> read_file = {};
};

/// How a type of transforms handles the given streams.
enum class TransformUse : std::uint8_t {
  each,      // a transform for each stream
  together,  // one transform of all streams
  select,    // keeps these streams and drops the others; no function
  rename,    // gives the streams the names of `as`; no function
};

/// A type of transforms: an element of the table of types.
struct TransformType {
  std::string_view name = {};         // "context"
  std::string_view description = {};  // one line
  TransformUse use = TransformUse::each;
  bool takes_all = false;  // whether an empty list of streams means all streams
  std::span<const TransformOption> options = {};

  /// Makes a transform. Null if `use` is select or rename.
  ///
  /// Throws: ConfigError that names the option and its valid values.
  std::shared_ptr<const Transform> (*make)(const TransformRequest& request) = nullptr;
};

/// Returns the transform types of the library.
[[nodiscard]] std::span<const TransformType> builtin_transforms() noexcept;

}  // namespace sheaf
