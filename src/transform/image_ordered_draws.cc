// Draws the numbers of images in the order of the plan, and merges pipelines.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "image/image_end.h"
#include "image/image_header.h"
#include "transform/checked_draws.h"
#include "transform/image_pipeline.h"
#include "transform/stream_checks.h"

namespace sheaf::internal {
namespace {

/// The generators of one operation. There is one for each number of a sequence in its minibatch,
/// made when the number first occurs.
class NumberedDraws {
 public:
  explicit NumberedDraws(std::uint32_t seed) noexcept : seed_(seed) {}

  /// Continues behind the numbers that each generator has drawn.
  void go_to(std::span<const std::int64_t> counts) {
    for (const std::int64_t count : counts) add(count);
  }

  [[nodiscard]] TwisterDraws& operator[](std::int64_t sequence) {
    while (std::ssize(generators_) <= sequence) add(0);
    return generators_[static_cast<std::size_t>(sequence)];
  }

  void append_state(std::vector<std::int64_t>& state) const {
    state.push_back(std::ssize(generators_));
    for (const TwisterDraws& draws : generators_) state.push_back(draws.count());
  }

 private:
  void add(std::int64_t count) {
    generators_.emplace_back(seed_ + static_cast<std::uint32_t>(generators_.size()), count);
  }

  std::uint32_t seed_;
  std::vector<TwisterDraws> generators_;
};

}  // namespace

/// Draws for the operations of a pipeline that draw in the order of the plan. The numbers of a
/// sequence are the height and the width of its first image, and then the numbers of each
/// operation. An operation that remembers a size has no generator.
class ImagePipeline::Orderly final : public CheckedDraws {
 public:
  Orderly(const ImagePipeline& pipeline, std::span<const std::int64_t> state)
      : decoding_(pipeline.decoding_), parts_(pipeline.parts_), streams_(pipeline.streams_) {
    while (!parts_.back().operation->ordered_seed()) parts_.pop_back();  // later ones do not matter
    std::span<const std::int64_t> left = state;
    for (const Part& part : parts_) {
      if (!part.operation->ordered_seed()) continue;
      const auto own = state.empty() ? std::span<const std::int64_t>{} : counts_of(left);
      if (part.operation->remembers_size()) {
        if (!own.empty() && own.size() != kExtentCount) refuse_state();
        sizes_.emplace_back(own.begin(), own.end());
      } else {
        draws_.emplace_back(*part.operation->ordered_seed()).go_to(own);
      }
    }
    if (!left.empty()) refuse_state();
  }

  [[nodiscard]] bool looks_right(std::span<const SequenceView> views) const override {
    const SequenceView& view = views.back();
    if (!decoding_ || view.sample_count == 0) return true;
    for (std::int64_t i = 0; i < view.sample_count; ++i) {
      const std::span<const std::byte> bytes = encoded(view, i);
      ImageHeader header;
      if (!read_header(bytes, header) || !is_whole_image(bytes, header.format)) return false;
    }
    return true;
  }

  void draw(std::int64_t sequence, std::span<const SequenceView> views,
            std::vector<double>& numbers) override {
    if (views.back().sample_count == 0) return;
    const std::size_t before = numbers.size();
    std::vector<TwisterDraws> kept;
    for (NumberedDraws& draws_of : draws_) kept.push_back(draws_of[sequence]);
    if (try_draw(sequence, views, numbers)) return;
    numbers.resize(before);
    for (std::size_t i = 0; i < kept.size(); ++i) draws_[i][sequence] = std::move(kept[i]);
  }

  [[nodiscard]] std::vector<std::int64_t> state() const override {
    std::vector<std::int64_t> state;
    auto draws_of = draws_.begin();
    auto size = sizes_.begin();
    for (const Part& part : parts_) {
      if (!part.operation->ordered_seed()) continue;
      if (part.operation->remembers_size()) {
        state.push_back(std::ssize(*size));
        state.insert(state.end(), size->begin(), size->end());
        ++size;
      } else {
        (draws_of++)->append_state(state);
      }
    }
    return state;
  }

 private:
  static constexpr std::size_t kExtentCount = 2;  // height and width

  [[noreturn]] static void refuse_state() {
    throw ConfigError(
        "the position does not fit the transforms: the draws of images are not those of the "
        "operations");
  }

  // Takes a list off the front: its size and then its numbers.
  static std::span<const std::int64_t> counts_of(std::span<const std::int64_t>& left) {
    if (left.empty() || left[0] < 0 || left[0] > std::ssize(left) - 1) refuse_state();
    const std::span counts = left.subspan(1, static_cast<std::size_t>(left[0]));
    if (std::ranges::any_of(counts, [](std::int64_t count) { return count < 0; })) refuse_state();
    left = left.subspan(1 + counts.size());
    return counts;
  }

  // Returns false if the image is wrong.
  bool try_draw(std::int64_t sequence, std::span<const SequenceView> views,
                std::vector<double>& numbers) {
    try {
      ImageForm form;
      Planned planned;
      if (!begin(views.back(), form, planned)) return false;
      numbers.push_back(static_cast<double>(form.height));
      numbers.push_back(static_cast<double>(form.width));
      std::vector<ImageStep> steps;
      auto draws_of = draws_.begin();
      std::vector<std::vector<std::int64_t>> sizes = sizes_;
      auto size = sizes.begin();
      for (const Part& part : parts_) {
        if (part.operation->remembers_size()) {
          const std::vector<std::int64_t> own = {form.height, form.width};
          const bool counts = *size == own || is_decodable(planned, steps, form);
          if (counts && size->empty()) *size = own;
          const std::vector<std::int64_t>& expected = counts ? *size : own;
          numbers.insert(numbers.end(), expected.begin(), expected.end());
          ++size;
          continue;
        }
        // The size of a cut never depends on a number of another stream.
        if (part.operation->ordered_seed()) {
          RecordingDraws draws((*draws_of++)[sequence], numbers);
          part.operation->plan(form, 0, draws, steps);
        } else {
          KeyedImageDraws none(KeyedGenerator::Name{});  // unused: then() sees to that
          part.operation->plan(form, 0, none, steps);
        }
        if (!steps.empty()) form = steps.back().made;
      }
      sizes_ = std::move(sizes);
      return true;
    } catch (const ImageRefused&) {
      return false;
    }
  }

  // An image that cannot be decoded is left out, so its size must not count.
  bool is_decodable(const Planned& planned, std::span<const ImageStep> steps,
                    const ImageForm& made) const {
    if (!decoding_) return true;
    const std::int64_t row_bytes = made.width * made.channels * element_size(made.type);
    std::vector<double> values(static_cast<std::size_t>(made.height * row_bytes) / sizeof(double) +
                               1);
    const AnyPixels pixels{.type = made.type,
                           .values = reinterpret_cast<std::byte*>(values.data()),
                           .height = made.height,
                           .width = made.width,
                           .channels = made.channels,
                           .row_bytes = row_bytes};
    ImageProblem problem;
    return ImageRunner().decode(planned.bytes, planned.header, *decoding_, steps, pixels, problem);
  }

  static std::span<const std::byte> encoded(const SequenceView& view, std::int64_t image) {
    const std::int64_t begin = view.sample_offsets[image];
    const std::int64_t size = view.sample_offsets[image + 1] - begin;
    return {view.values + (begin - view.sample_offsets[0]), static_cast<std::size_t>(size)};
  }

  // Returns false if the header is wrong, or the image has too many pixels.
  bool read_header(std::span<const std::byte> bytes, ImageHeader& header) const {
    ImageProblem problem;
    if (!read_image_header(bytes, header, problem)) return false;
    return header.height() <= decoding_->pixels_max / header.width();
  }

  bool begin(const SequenceView& view, ImageForm& form, Planned& planned) const {
    if (decoding_) {
      planned.bytes = encoded(view, 0);
      if (!read_header(planned.bytes, planned.header)) return false;
    }
    form =
        begin_of_image(decoding_, streams_.empty() ? nullptr : &streams_.back(), view, 0, planned);
    return true;
  }

  std::optional<ImageDecoding> decoding_;
  std::vector<Part> parts_;
  std::vector<Stream> streams_;
  std::vector<NumberedDraws> draws_;              // of operations that draw
  std::vector<std::vector<std::int64_t>> sizes_;  // of those that remember; empty before an image
};

std::unique_ptr<OrderedDraws> ImagePipeline::ordered_draws(
    std::span<const std::int64_t> state) const {
  if (!is_ordered()) return nullptr;
  return std::make_unique<Orderly>(*this, state);
}

std::shared_ptr<const Transform> ImagePipeline::then(const std::shared_ptr<const Transform>& next,
                                                     std::string_view own_name,
                                                     std::string_view next_name) const {
  const auto* const second = dynamic_cast<const ImagePipeline*>(next.get());
  if (second == nullptr || second->decoding_) return nullptr;
  // Draws in the order of the plan are made before the sequence is known, so they come before keyed
  // draws.
  if (is_random() && second->is_ordered()) return nullptr;
  if (!parts_.empty() && parts_.back().operation->makes_planes()) return nullptr;

  auto joined = std::shared_ptr<ImagePipeline>(new ImagePipeline);
  joined->decoding_ = decoding_;
  const auto add = [&](const Part& part, std::string_view name, std::size_t input) {
    Part added = part;
    if (added.random_name.empty()) added.random_name = name;
    added.input = part.input + input;
    joined->parts_.push_back(std::move(added));
  };
  for (const Part& part : parts_) add(part, own_name, second->number_count());
  for (const Part& part : second->parts_) add(part, next_name, 0);
  if (!streams_.empty() && second->streams_.size() > second->number_count()) {
    joined->streams_.assign(second->streams_.begin(), second->streams_.end() - 1);
    joined->streams_.insert(joined->streams_.end(), streams_.begin(), streams_.end());
  }
  return joined;
}

}  // namespace sheaf::internal
