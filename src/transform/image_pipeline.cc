#include "transform/image_pipeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "base/unaligned.h"
#include "core/element_cast.h"
#include "transform/stream_checks.h"

namespace sheaf::internal {
namespace {

constexpr std::size_t kRank = 3;

// Returns the offset of a sample's bytes within the bytes of the view.
std::int64_t begin_of(const SequenceView& view, std::int64_t sample, std::int64_t size) noexcept {
  return view.sample_offsets == nullptr ? sample * size
                                        : view.sample_offsets[sample] - view.sample_offsets[0];
}

[[noreturn]] void refuse_data(std::string_view stream, std::string_view code, std::int64_t offset,
                              const std::string& expected, const std::string& found) {
  Diagnostic diagnostic;
  diagnostic.stream = stream;
  diagnostic.code = code;
  diagnostic.byte_offset = offset;
  diagnostic.expected = expected;
  diagnostic.found = found;
  throw DataError({diagnostic});
}

// An offset within a view is an offset within the sequence only if the view begins with the
// sequence.
std::int64_t offset_of(const TransformInput& input, std::int64_t sample, std::int64_t offset) {
  if (input.firsts.back() != 0) return Diagnostic::kNoOffset;
  return begin_of(input.views.back(), sample, 0) + offset;
}

[[noreturn]] void refuse_image(const TransformInput& input, std::int64_t offset,
                               const ImageRefused& refused) {
  const std::string& name = input.streams.back().name;
  if (refused.is_data) refuse_data(name, "image-size", offset, refused.expected, refused.found);
  throw ConfigError(
      formatted("stream \"{}\": expected {}, got {}", name, refused.expected, refused.found));
}

double number_in(const Stream& stream, const SequenceView& view, std::int64_t sample) {
  double number = 0;
  visit_number_type(stream.element_type, [&](auto zero) {
    number = static_cast<double>(load<decltype(zero)>(view.values, sample));
  });
  return number;
}

}  // namespace

ImagePipeline::ImagePipeline(std::shared_ptr<const ImageOperation> operation,
                             std::span<const Stream> streams)
    : streams_(streams.begin(), streams.end()) {
  parts_.push_back({.operation = std::move(operation), .random_name = {}});
}

std::string_view ImagePipeline::name() const noexcept {
  return decoding_ ? "decode" : parts_.front().operation->name();
}

std::string ImagePipeline::options() const {
  constexpr std::string_view kColors[] = {"rgb", "bgr", "grey"};
  std::string text;
  if (decoding_) {
    text = formatted(
        "color={},mode={},rules={},pixels_max={}",
        kColors[static_cast<std::size_t>(decoding_->color)], decoding_->is_fast ? "fast" : "exact",
        decoding_->rules == ImageRules::pillow ? "pillow" : "opencv", decoding_->pixels_max);
  }
  for (const Part& part : parts_) {
    if (decoding_ || &part != &parts_.front()) text += formatted(";{}:", part.operation->name());
    text += part.operation->options();
  }
  return text;
}

bool ImagePipeline::is_random() const noexcept {
  return std::ranges::any_of(parts_, [](const Part& part) {
    return part.operation->is_random() && !part.operation->ordered_seed();
  });
}

bool ImagePipeline::is_ordered() const noexcept {
  return std::ranges::any_of(
      parts_, [](const Part& part) { return part.operation->ordered_seed().has_value(); });
}

std::size_t ImagePipeline::number_count() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(
      parts_, [](const Part& part) { return part.operation->reads_number(); }));
}

// Returns the form of the images before the operations, as the stream declares it.
ImageForm ImagePipeline::form_before(const std::optional<ImageDecoding>& decoding,
                                     const Stream& stream) {
  if (decoding) {
    if (stream.element_type != ElementType::bytes) {
      refuse_stream(stream, "have bytes, such as those of image files");
    }
    return {
        .height = Shape::kVariable, .width = Shape::kVariable, .channels = decoding->channels()};
  }
  const std::span<const std::int64_t> extents = stream.sample_shape.extents();
  if (stream.storage != Storage::dense || extents.size() != kRank ||
      stream.element_type == ElementType::bytes) {
    refuse_stream(stream, "be dense, with images of [height, width, channels]");
  }
  return {.type = stream.element_type,
          .height = extents[0],
          .width = extents[1],
          .channels = extents[2]};
}

std::vector<Stream> ImagePipeline::outputs(std::span<const Stream> inputs) const {
  for (const Stream& stream : inputs.first(number_count())) {
    if (stream.storage != Storage::dense || !stream.sample_shape.is_fixed() ||
        stream.sample_shape.size() != 1 || !is_number_type(stream.element_type)) {
      refuse_stream(stream, "be dense, with one number a sample");
    }
  }
  Stream made = inputs.back();
  ImageForm form = form_before(decoding_, made);
  for (const Part& part : parts_) form = part.operation->form_after(form, made);
  const Shape shape = form.shape();
  if (shape.is_fixed() && shape.size() > kSampleValuesMax) {
    throw ConfigError(
        formatted("stream \"{}\": images of {} have too many values; a sample holds "
                  "{}",
                  made.name, to_string(shape), kSampleValuesMax));
  }
  made.element_type = form.type;
  made.sample_shape = shape;
  return {made};
}

std::optional<Shape> ImagePipeline::shape_max(std::size_t i) const {
  static_cast<void>(i);
  ImageForm most{
      .height = Shape::kVariable, .width = Shape::kVariable, .channels = Shape::kVariable};
  if (decoding_) {
    most.channels = decoding_->channels();
  } else if (!streams_.empty()) {
    most = form_before(decoding_, streams_.back());
  }
  for (const Part& part : parts_) most = part.operation->most_after(most);
  const Shape shape = most.shape();
  return shape.is_fixed() ? std::optional(shape) : std::nullopt;
}

// Returns the form of an image before the first operation. `stream` may be null if images are
// decoded or their extents vary.
ImageForm ImagePipeline::begin_of_image(const std::optional<ImageDecoding>& decoding,
                                        const Stream* stream, const SequenceView& view,
                                        std::int64_t sample, Planned& planned) {
  if (decoding) {
    return {.height = planned.header.height(),
            .width = planned.header.width(),
            .channels = decoding->channels()};
  }
  ImageForm form;
  if (stream != nullptr) form = form_before({}, *stream);
  if (view.extents != nullptr) {
    const std::span extents(view.extents + sample * std::int64_t{kRank}, kRank);
    form.height = extents[0];
    form.width = extents[1];
    form.channels = extents[2];
  }
  if (form.height < 1 || form.width < 1 || form.channels < 1) {
    throw ImageRefused{.expected = "an image with pixels",
                       .found = formatted("one of {} x {} x {} (height x width x channels)",
                                          form.height, form.width, form.channels)};
  }
  const std::int64_t size = form.height * form.width * form.channels;
  planned.pixels = {.type = form.type,
                    // The steps only read these pixels.
                    .values = const_cast<std::byte*>(view.values) +
                              begin_of(view, sample, size) * element_size(form.type),
                    .height = form.height,
                    .width = form.width,
                    .channels = form.channels,
                    .row_bytes = form.width * form.channels * element_size(form.type)};
  return form;
}

namespace {

// Reads the header of an image.
//
// Throws: DataError.
ImageHeader header_of(const TransformInput& input, std::int64_t sample,
                      std::span<const std::byte> bytes, std::int64_t pixels_max) {
  const std::string& name = input.streams.back().name;
  ImageHeader header;
  ImageProblem problem;
  if (!read_image_header(bytes, header, problem)) {
    refuse_data(name, "image-header", offset_of(input, sample, problem.offset), problem.expected,
                problem.found);
  }
  if (header.height() > pixels_max / header.width()) {
    refuse_data(name, "image-size", offset_of(input, sample, 0),
                formatted("an image of at most {} pixels, as pixels_max says", pixels_max),
                formatted("one of {} x {} (height x width)", header.height(), header.width()));
  }
  return header;
}

// Returns the bytes of a sample of encoded images.
std::span<const std::byte> bytes_of(const SequenceView& view, std::int64_t sample) noexcept {
  const std::int64_t begin = begin_of(view, sample, 0);
  return {view.values + begin, static_cast<std::size_t>(begin_of(view, sample + 1, 0) - begin)};
}

}  // namespace

void ImagePipeline::plan_steps(const TransformInput& input, std::int64_t i, const ImageForm& form,
                               Planned& planned) const {
  const bool has_ordered = is_ordered();
  std::span<const double> drawn = input.sequence.drawn;
  if (has_ordered && drawn.size() >= 2) {
    if (drawn[0] != static_cast<double>(form.height) ||
        drawn[1] != static_cast<double>(form.width)) {
      throw ImageRefused{
          .expected = formatted("images of one size in a sequence, {} x {}", drawn[0], drawn[1]),
          .found = formatted("one of {} x {} (height x width)", form.height, form.width)};
    }
    drawn = drawn.subspan(2);
  }
  const bool was_refused = has_ordered && input.sequence.drawn.empty();
  const bool was_passed_over = has_ordered && input.sequence.drawn.size() == 1;
  const bool has_drawn = has_ordered && !was_refused && !was_passed_over;
  planned.made = form;
  for (const Part& part : parts_) {
    if (part.operation->remembers_size() && !has_drawn) continue;
    double number = 0;
    if (part.operation->reads_number()) {
      number = number_in(input.streams[part.input], input.views[part.input],
                         input.range.first + i - input.firsts[part.input]);
    }
    if (part.operation->ordered_seed() && has_drawn) {
      ReplayedDraws draws(drawn);
      part.operation->plan(planned.made, number, draws, planned.steps);
    } else {
      KeyedGenerator::Name name = input.sequence.name;
      if (!part.random_name.empty()) name.transform = part.random_name;
      KeyedImageDraws draws(name);
      part.operation->plan(planned.made, number, draws, planned.steps);
    }
    if (!planned.steps.empty()) planned.made = planned.steps.back().made;
  }
  if (was_refused) {  // because of the numbers drawn, which are unknown here
    throw ImageRefused{.expected = "an image that all transforms take", .found = "another one"};
  }
}

std::vector<ImagePipeline::Planned> ImagePipeline::plan(const TransformInput& input) const {
  const SequenceView& view = input.views.back();
  const std::int64_t first = input.range.first - input.firsts.back();
  std::vector<Planned> all(static_cast<std::size_t>(input.range.count));
  for (std::int64_t i = 0; i < input.range.count; ++i) {
    Planned& planned = all[static_cast<std::size_t>(i)];
    if (decoding_) {
      planned.bytes = bytes_of(view, first + i);
      planned.header = header_of(input, first + i, planned.bytes, decoding_->pixels_max);
    }
    try {
      const ImageForm form =
          begin_of_image(decoding_, &input.streams.back(), view, first + i, planned);
      plan_steps(input, i, form, planned);
    } catch (const ImageRefused& refused) {
      const std::int64_t offset =
          decoding_ ? offset_of(input, first + i, 0) : std::int64_t{Diagnostic::kNoOffset};
      refuse_image(input, offset, refused);
    }
  }
  return all;
}

// Returns the memory for the images in the output.
std::vector<AnyPixels> ImagePipeline::make_room(const std::vector<Planned>& all,
                                                TransformOutput& output) const {
  const bool is_fixed = output.streams()[0].sample_shape.is_fixed();
  const std::int64_t count = std::ssize(all);
  std::int64_t value_count = 0;
  for (const Planned& planned : all) {
    const ImageForm& made = planned.made;
    value_count += made.height * made.width * made.channels;
  }
  std::byte* values = nullptr;
  if (is_fixed) {
    values = output.dense_bytes(0, count);
  } else {
    const TransformOutput::Variable made = output.variable(0, count, value_count);
    values = made.values;
    std::int64_t* extents = made.extents;
    made.sample_offsets[0] = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const Shape shape = all[static_cast<std::size_t>(i)].made.shape();
      made.sample_offsets[i + 1] = made.sample_offsets[i] + shape.size();
      extents = std::ranges::copy(shape.extents(), extents).out;
    }
  }
  std::vector<AnyPixels> room;
  for (const Planned& planned : all) {
    const ImageForm& made = planned.made;
    const std::int64_t row_bytes = made.width * made.channels * element_size(made.type);
    room.push_back({.type = made.type,
                    .values = values,
                    .height = made.height,
                    .width = made.width,
                    .channels = made.channels,
                    .row_bytes = row_bytes});
    values += made.height * row_bytes;
  }
  return room;
}

void ImagePipeline::make(const TransformInput& input, const std::vector<Planned>& all,
                         const std::vector<AnyPixels>& room, TransformOutput& output) const {
  const std::string& name = input.streams.back().name;
  const std::int64_t first = input.range.first - input.firsts.back();
  const ImageRunners::Loan runner(runners_);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Planned& planned = all[i];
    if (!decoding_) {
      runner->run(planned.pixels, planned.steps, room[i]);
      continue;
    }
    const std::int64_t sample = first + static_cast<std::int64_t>(i);
    ImageProblem problem;
    runner->warnings().clear();
    if (!runner->decode(planned.bytes, planned.header, *decoding_, planned.steps, room[i],
                        problem)) {
      refuse_data(name, "image-data", offset_of(input, sample, problem.offset), problem.expected,
                  problem.found);
    }
    for (const ImageProblem& strange : runner->warnings()) {
      Diagnostic warning;
      warning.stream = name;
      warning.code = "image-warning";
      warning.byte_offset = offset_of(input, sample, strange.offset);
      warning.expected = strange.expected;
      warning.found = strange.found;
      output.warn(std::move(warning));
    }
  }
}

void ImagePipeline::apply(const TransformInput& input, TransformOutput& output) const {
  if (!std::ranges::all_of(input.views, &SequenceView::is_present)) {
    static constexpr std::byte kNothing{};
    static constexpr std::int64_t kNoOffset = 0;
    const bool is_fixed = output.streams()[0].sample_shape.is_fixed();
    output.set(0, {.values = &kNothing,
                   .sample_offsets = is_fixed ? nullptr : &kNoOffset,
                   .extents = is_fixed ? nullptr : &kNoOffset,
                   .is_present = false});
    return;
  }
  const std::span<const std::int64_t> counts = input.sequence.sample_counts;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
    if (counts[i] == counts.back()) continue;
    throw ConfigError(
        formatted("streams \"{}\" and \"{}\" must have equal numbers of samples: got "
                  "{} and {}",
                  input.streams[i].name, input.streams.back().name, counts[i], counts.back()));
  }
  const std::vector<Planned> all = plan(input);
  make(input, all, make_room(all, output), output);
}

}  // namespace sheaf::internal
