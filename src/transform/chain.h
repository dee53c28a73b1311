/// \file
/// The transforms of a data set, bound to its streams.

#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
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
#include "sheaf/error.h"
#include "sheaf/extend/transform.h"

#include "core/view_part.h"

namespace sheaf::internal {

/// Transforms that a program made itself, by the name that a spec gives them.
using TransformFunctions = std::map<std::string, std::shared_ptr<const Transform>>;

/// What ordered transforms drew for the sequences of a plan, in the order of the plan.
class DrawnNumbers {
 public:
  /// Appends the numbers of the next transform of a sequence, or of the first of the next sequence.
  void append(std::span<const double> numbers) {
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
    offsets_.push_back(numbers_.size());
  }

  /// Returns the i-th numbers that were appended.
  ///
  /// Lifetime: until numbers are appended.
  [[nodiscard]] std::span<const double> at(std::size_t i) const noexcept {
    return std::span(numbers_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }

 private:
  std::vector<double> numbers_;
  std::vector<std::size_t> offsets_ = {0};
};

/// A sequence that a chain is applied to.
struct ChainedSequence {
  SequenceKey key = {};
  std::string_view key_text = {};  // empty where keys are numbers
  std::int64_t sweep = 0;
  bool needs_equal_streams =
      false;                   // whether the streams after all transforms must be equally long
  bool takes_strides = false;  // whether the results may have a sample_stride

  /// What ChainDraws drew: the numbers of the chain's ordered transforms begin at `drawn_first`.
  /// Null where the chain has none.
  const DrawnNumbers* drawn = nullptr;
  std::size_t drawn_first = 0;
};

/// Something that a transform found in the data of a sequence. The place in the file is not in it.
struct TransformFinding {
  Diagnostic diagnostic;
  std::size_t source = 0;  // the stream of the data that has the values
};

/// What apply() throws where the data of a sequence are wrong.
struct WrongSequence {
  TransformFinding finding;
};

class ChainDraws;

/// Applies transforms one after the other. Each reads no more samples than it needs.
///
/// The chain numbers what transforms read and make: first the streams of the data, then the streams
/// that each transform makes. A transform that makes a stream of the same name takes its place.
///
/// Threads: any number of threads may apply a chain. Each thread needs a scratch of its own.
class TransformChain {
 public:
  /// What is known besides the specs.
  struct Context {
    std::uint64_t seed = 0;  // of the random transforms
    std::function<std::string(const std::string& path)> read_file = {};
    const TransformFunctions* functions = nullptr;  // null: none
  };

  /// Throws: ConfigError for an unknown type, option or stream, for a stream that a transform does
  ///         not take, and where the transforms leave open how many samples a sequence has. The
  ///         message begins with the text of the transform.
  TransformChain(std::span<const Stream> streams, std::span<const TransformSpec> specs,
                 const Context& context);

  /// Returns the streams after all transforms.
  [[nodiscard]] const std::vector<Stream>& streams() const noexcept { return streams_; }

  /// Returns the streams before the transforms.
  [[nodiscard]] const std::vector<Stream>& sources() const noexcept { return sources_; }

  /// Returns whether a sequence keeps the number of samples that orders count.
  [[nodiscard]] bool keeps_counts() const noexcept { return counting_.empty(); }

  /// Returns how many samples orders count where the data have `sample_count`.
  [[nodiscard]] std::int64_t sample_count(std::int64_t sample_count) const noexcept;

  /// Returns a text of all transforms and options, and of the seed where any of them is random:
  /// what the result depends on besides the data.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// Returns about how many bytes the transforms make of a sequence of so many counted samples.
  [[nodiscard]] double made_bytes(std::int64_t sample_count) const noexcept;

  /// Checks that the transforms say how much memory their samples take, as a memory limit needs it.
  ///
  /// Throws: ConfigError that names the transform and the stream of variable shape.
  void check_sizes() const;

  /// What a thread needs to apply a chain, kept between calls with the same chain.
  struct Scratch {
    /// A stream of the data, or one that a transform makes.
    struct Slot {
      std::int64_t count = 0;  // samples of the whole sequence
      SampleRange needs = {};  // which of them are needed
      bool is_present = false;
    };

    std::vector<Slot> slots;
    std::vector<SequenceView> views;  // of the needed samples of each slot

    // What the transforms read, those of one link after those of the other.
    std::vector<std::int64_t> input_counts;
    std::vector<SequenceView> inputs;
    std::vector<std::int64_t> firsts;

    std::vector<TransformFinding> warnings;  // of the sequence of the last call
  };

  /// Applies the chain to one sequence, given by a view of each stream of the data. `slice` says
  /// which samples of the result the caller wants; empty means all. Sets `results`, a view of each
  /// stream of the result. Returns the number of samples that the longest of these streams has in
  /// the whole sequence.
  ///
  /// Lifetime: results refer to `sources` and to `memory`.
  /// Throws:   WrongSequence where the data are wrong; ConfigError that names the transform and the
  ///           sequence; what a function throws.
  std::int64_t apply(const ChainedSequence& sequence, std::span<const SequenceView> sources,
                     const std::optional<SampleRange>& slice, std::span<SequenceView> results,
                     std::pmr::memory_resource& memory, Scratch& scratch) const;

  /// Returns the largest batch that a transform of the chain takes.
  [[nodiscard]] Transform::Batch batch() const noexcept { return batch_; }

  /// A sequence of apply_many().
  struct Call {
    ChainedSequence sequence = {};
    std::span<const SequenceView> sources = {};
    std::optional<SampleRange> slice = {};
    std::span<SequenceView> results = {};
    std::int64_t longest = 0;            // what apply() returns
    std::exception_ptr error = nullptr;  // what apply() throws
    std::vector<TransformFinding> warnings = {};
  };

  /// Applies the chain to several sequences, transform by transform.
  ///
  /// Lifetime: as apply().
  void apply_many(std::span<Call> calls, std::pmr::memory_resource& memory) const;

  /// Returns how many transforms of the chain draw numbers in the order of the plan.
  [[nodiscard]] std::size_t ordered_count() const noexcept { return ordered_.size(); }

 private:
  friend class ChainDraws;

  struct Link {
    std::shared_ptr<const Transform> transform;
    std::string random_name;  // of its generator
    std::string label;        // in messages
    std::vector<std::size_t> inputs;
    std::vector<Stream> input_streams;
    std::size_t first_input = 0;  // among the inputs of all links
    std::size_t first_output = 0;
    std::vector<Stream> output_streams;
    std::vector<SequenceView> empty_views;         // of the outputs, before there are samples
    std::vector<std::optional<Shape>> shapes_max;  // of the outputs, where the transform says one
    double sample_bytes = 0;  // of a sample of each output; streams of unknown size count nothing
    bool is_read = false;     // whether another link reads an output
    std::string unsized;      // the first output whose samples may have any size; else empty
    std::size_t source = 0;   // the stream of the data that the last input comes from
    std::optional<std::size_t> ordered;  // which of ordered_ the transform is
  };
  class Builder;

  struct Work;

  void begin(const ChainedSequence& sequence, std::span<const SequenceView> sources,
             const std::optional<SampleRange>& slice, Scratch& scratch) const;
  void plan(const ChainedSequence& sequence, const std::optional<SampleRange>& slice,
            Scratch& scratch) const;
  void check_equal_streams(const ChainedSequence& sequence, const Scratch& scratch) const;
  [[nodiscard]] std::span<SequenceView> begin_link(const Link& link, Scratch& scratch) const;
  [[nodiscard]] TransformInput input_of(const Link& link, const TransformedSequence& transformed,
                                        Scratch& scratch) const;
  void apply(const Link& link, const ChainedSequence& sequence, std::pmr::memory_resource& memory,
             Scratch& scratch) const;
  void apply_batch(const Link& link, std::span<Work> works,
                   std::pmr::memory_resource& memory) const;
  static void check_made(const Link& link, const ChainedSequence& sequence, const Scratch& scratch);
  static void check_extents(const Link& link, std::size_t output, const ChainedSequence& sequence,
                            const SequenceView& view);
  std::int64_t finish(const std::optional<SampleRange>& slice, std::span<SequenceView> results,
                      const Scratch& scratch) const;
  [[nodiscard]] TransformedSequence transformed(const Link& link, const ChainedSequence& sequence,
                                                const Scratch& scratch) const;
  [[noreturn]] static void refuse(const Link& link, const ChainedSequence& sequence,
                                  std::string_view what);
  [[nodiscard]] static WrongSequence wrong_sequence(const Link& link, Diagnostic diagnostic);
  static void note_warnings(const Link& link, TransformOutput& output, Scratch& scratch);

  std::uint64_t seed_;
  std::vector<Stream> sources_;
  std::vector<SampleSizes> source_sizes_;  // one for each of the streams
  std::vector<Link> links_;
  std::vector<std::size_t> ordered_;  // numbers of links
  std::size_t slot_count_ = 0;
  std::size_t input_count_ = 0;  // of all links
  std::vector<std::size_t> result_slots_;
  std::vector<Stream> streams_;
  std::vector<SampleSizes> result_sizes_;                   // one for each of the streams
  std::vector<std::shared_ptr<const Transform>> counting_;  // change the number that orders count
  std::string text_;
  Transform::Batch batch_ = Transform::Batch::one;
};

/// Draws the numbers of a chain's ordered transforms, in the order of the plan.
///
/// Threads: one call at a time.
class ChainDraws {
 public:
  /// Begins where state() was. An empty state is the start of a run.
  ///
  /// Lifetime: the chain must outlive this.
  /// Throws:   ConfigError for a state that cannot be one.
  ChainDraws(const TransformChain& chain, std::span<const std::int64_t> state);

  /// Draws for the sequence in place `slot` of its minibatch, given by a view of each stream of the
  /// data, and appends what each ordered transform drew. For a hole, `sources` is empty.
  void draw(std::int64_t slot, std::span<const SequenceView> sources, DrawnNumbers& drawn);

  /// Returns Position::draws.
  [[nodiscard]] std::vector<std::int64_t> state() const;

 private:
  const TransformChain& chain_;
  std::vector<std::unique_ptr<OrderedDraws>> draws_;  // one for each ordered transform
  std::vector<SequenceView> views_;
  std::vector<double> numbers_;
};

}  // namespace sheaf::internal
