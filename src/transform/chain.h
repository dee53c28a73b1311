/// \file
/// The transforms of a data set, bound to its streams and applied one after the other.

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

/// The transforms that a program provides itself, by the name that a spec uses.
using TransformFunctions = std::map<std::string, std::shared_ptr<const Transform>>;

/// The numbers that ordered transforms drew for the sequences of a plan, in the order of the plan.
class DrawnNumbers {
 public:
  /// Appends the numbers of the next transform of the sequence, or of the first transform of the
  /// next sequence.
  void append(std::span<const double> numbers) {
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
    offsets_.push_back(numbers_.size());
  }

  /// Returns the numbers of the i-th append().
  ///
  /// Lifetime: until numbers are appended.
  [[nodiscard]] std::span<const double> at(std::size_t i) const noexcept {
    return std::span(numbers_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }

 private:
  std::vector<double> numbers_;
  std::vector<std::size_t> offsets_ = {0};
};

/// A sequence as input of a chain.
struct ChainedSequence {
  SequenceKey key = {};
  std::string_view key_text = {};  // empty if keys are numbers
  std::int64_t sweep = 0;
  bool needs_equal_streams =
      false;                   // whether the streams after all transforms must be equally long
  bool takes_strides = false;  // whether the results may have a sample_stride

  /// The numbers drawn by ChainDraws. Those of the chain's ordered transforms begin at
  /// `drawn_first`. Null if the chain has no ordered transforms.
  const DrawnNumbers* drawn = nullptr;
  std::size_t drawn_first = 0;
};

/// A finding of a transform about the data of a sequence. It lacks the location in the file.
struct TransformDiagnostic {
  Diagnostic diagnostic;
  std::size_t source = 0;  // stream of the data that has the values
};

/// Thrown by apply() if the data of a sequence are wrong.
struct WrongSequence {
  TransformDiagnostic finding;
};

class ChainDraws;

/// Applies transforms one after the other. Each transform reads only the samples that it needs.
///
/// The chain numbers the streams that transforms read and make: first the streams of the data, then
/// the streams that each transform makes. A new stream replaces an earlier one of the same name.
///
/// Threads: any number of threads may apply a chain. Each thread needs a Scratch of its own.
class TransformChain {
 public:
  /// The inputs besides the specs.
  struct Context {
    std::uint64_t seed = 0;  // of random transforms
    std::function<std::string(const std::string& path)> read_file = {};
    const TransformFunctions* functions = nullptr;  // null: none
  };

  /// Throws: ConfigError for an unknown type, option or stream, for a stream that a transform does
  ///         not take, and if the transforms leave open how many samples a sequence has. The
  ///         message begins with the text of the transform.
  TransformChain(std::span<const Stream> streams, std::span<const TransformSpec> specs,
                 const Context& context);

  /// Returns the streams after all transforms.
  [[nodiscard]] const std::vector<Stream>& streams() const noexcept { return streams_; }

  /// Returns the streams before the transforms.
  [[nodiscard]] const std::vector<Stream>& sources() const noexcept { return sources_; }

  /// Returns whether the transforms keep the number of samples that orders count.
  [[nodiscard]] bool keeps_counts() const noexcept { return counting_.empty(); }

  /// Returns the number of samples that orders count for a sequence with `sample_count` samples in
  /// the data.
  [[nodiscard]] std::int64_t sample_count(std::int64_t sample_count) const noexcept;

  /// Returns a text of everything besides the data that the result depends on: all transforms and
  /// options, and the seed if any transform is random.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// Returns about how many bytes the transforms make of a sequence with `sample_count` counted
  /// samples.
  [[nodiscard]] double made_bytes(std::int64_t sample_count) const noexcept;

  /// Checks that the transforms state the memory of their samples, as a memory limit requires.
  ///
  /// Throws: ConfigError that names the transform and the stream of variable shape.
  void check_sizes() const;

  /// The working memory of a thread that applies a chain. Keep it between calls with the same
  /// chain.
  struct Scratch {
    /// The use of a stream of the data, or of a stream that a transform makes.
    struct StreamUse {
      std::int64_t count = 0;  // samples of the whole sequence
      SampleRange needs = {};  // the samples needed
      bool is_present = false;
    };

    std::vector<StreamUse> streams;   // [stream number]
    std::vector<SequenceView> views;  // [stream number]: its samples needed

    // The inputs of the transforms, link by link.
    std::vector<std::int64_t> input_counts;
    std::vector<SequenceView> inputs;
    std::vector<std::int64_t> firsts;

    std::vector<TransformDiagnostic> warnings;  // about the sequence of the last call
  };

  /// Applies the chain to one sequence. `sources` has a view of each stream of the data. `slice`
  /// gives the wanted samples of the result. Empty means all. Sets `results` to a view of each
  /// stream of the result. Returns the number of samples of the longest of these streams in the
  /// whole sequence.
  ///
  /// Lifetime: results refer to `sources` and to `memory`.
  /// Throws:   WrongSequence if the data are wrong; ConfigError that names the transform and the
  ///           sequence; the exceptions of a function.
  std::int64_t apply(const ChainedSequence& sequence, std::span<const SequenceView> sources,
                     const std::optional<SampleRange>& slice, std::span<SequenceView> results,
                     std::pmr::memory_resource& memory, Scratch& scratch) const;

  /// Returns the largest batch of the transforms.
  [[nodiscard]] Transform::Batch batch() const noexcept { return batch_; }

  /// An input of apply_many(), with its results.
  struct Call {
    ChainedSequence sequence = {};
    std::span<const SequenceView> sources = {};
    std::optional<SampleRange> slice = {};
    std::span<SequenceView> results = {};
    std::int64_t longest = 0;            // return value of apply()
    std::exception_ptr error = nullptr;  // exception of apply()
    std::vector<TransformDiagnostic> warnings = {};
  };

  /// Applies the chain to several sequences, one transform after the other.
  ///
  /// Lifetime: as apply().
  void apply_many(std::span<Call> calls, std::pmr::memory_resource& memory) const;

  /// Returns how many transforms of the chain draw numbers in the order of the plan.
  [[nodiscard]] std::size_t ordered_count() const noexcept { return ordered_.size(); }

 private:
  friend class ChainDraws;

  struct Link {
    std::shared_ptr<const Transform> transform;
    std::string random_name;  // name of its random generator
    std::string label;        // for messages
    std::vector<std::size_t> inputs;
    std::vector<Stream> input_streams;
    std::size_t first_input = 0;  // index among the inputs of all links
    std::size_t first_output = 0;
    std::vector<Stream> output_streams;
    std::vector<SequenceView> empty_views;         // of the outputs, before any samples are made
    std::vector<std::optional<Shape>> shapes_max;  // of the outputs, if the transform states them
    double sample_bytes = 0;             // of a sample of all outputs; unknown sizes count as 0
    bool is_read = false;                // whether another link reads an output
    std::string unsized;                 // first output with samples of any size, if any
    std::size_t source = 0;              // stream of the data that the last input comes from
    std::optional<std::size_t> ordered;  // number of the transform in ordered_
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
  std::vector<SampleSizes> source_sizes_;  // [stream of the data]
  std::vector<Link> links_;
  std::vector<std::size_t> ordered_;  // links of ordered transforms
  std::size_t numbered_count_ = 0;    // of the streams that transforms read and make
  std::size_t input_count_ = 0;       // of all links
  std::vector<std::size_t> result_numbers_;
  std::vector<Stream> streams_;
  std::vector<SampleSizes> result_sizes_;  // [stream of the result]
  // Transforms that change the counted samples.
  std::vector<std::shared_ptr<const Transform>> counting_;
  std::string text_;
  Transform::Batch batch_ = Transform::Batch::one;
};

/// Draws the numbers of a chain's ordered transforms in the order of the plan.
///
/// Threads: one call at a time.
class ChainDraws {
 public:
  /// Continues from the result of state(). An empty state is the start of a run.
  ///
  /// Lifetime: the chain must outlive the object.
  /// Throws:   ConfigError for an impossible state.
  ChainDraws(const TransformChain& chain, std::span<const std::int64_t> state);

  /// Draws for the sequence with number `sequence` of its minibatch. `sources` has a view of each
  /// stream of the data. It is empty for a hole. Appends the numbers that each ordered transform
  /// drew. Returns false for a hole, and for a sequence whose data look wrong to a transform with
  /// CheckedDraws. Such transforms then draw nothing, and the next sequence of the minibatch has
  /// the same number.
  bool draw(std::int64_t sequence, std::span<const SequenceView> sources, DrawnNumbers& drawn);

  /// Returns the content of Position::draws.
  [[nodiscard]] std::vector<std::int64_t> state() const;

 private:
  const TransformChain& chain_;
  std::vector<std::unique_ptr<OrderedDraws>> draws_;  // [ordered transform]
  std::vector<std::vector<SequenceView>> views_;      // [ordered transform][input]
  std::vector<double> numbers_;
};

}  // namespace sheaf::internal
