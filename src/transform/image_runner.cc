#include "transform/image_runner.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "sheaf/error.h"

#include "image/pillow_bands.h"
#include "transform/image_mirror.h"

namespace sheaf::internal {
namespace {

AnyPixels pixels_of(const ImageForm& form, std::byte* values) noexcept {
  return {.type = form.type,
          .values = values,
          .height = form.height,
          .width = form.width,
          .channels = form.channels,
          .row_bytes = form.width * form.channels * element_size(form.type)};
}

template <typename T>
void fill(const AnyPixels& image, T value) {
  const PixelView<T> view = image.view<T>();
  for (std::int64_t y = 0; y < view.height; ++y) {
    std::fill_n(view.row(y), view.width * view.channels, value);
  }
}

void pad(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) {
  const PixelRegion& at = step.region;
  if (step.pad_value >= 0) {
    if (to.type == ElementType::u8) {
      fill(to, static_cast<std::uint8_t>(step.pad_value));
    } else if (to.type == ElementType::f32) {
      fill(to, static_cast<float>(step.pad_value));
    } else {
      fill(to, static_cast<double>(step.pad_value));
    }
  }
  copy_pixels(from, part_of(to, at));
  if (step.pad_value >= 0) return;
  const std::int64_t pixel_bytes = to.channels * element_size(to.type);
  const auto pixel_size = static_cast<std::size_t>(pixel_bytes);
  for (std::int64_t y = at.y; y < at.y + at.height; ++y) {
    std::byte* const row = to.row(y);
    const std::int64_t end = at.x + at.width;
    for (std::int64_t x = 0; x < at.x; ++x) {
      std::memcpy(row + x * pixel_bytes, row + at.x * pixel_bytes, pixel_size);
    }
    for (std::int64_t x = end; x < to.width; ++x) {
      std::memcpy(row + x * pixel_bytes, row + (end - 1) * pixel_bytes, pixel_size);
    }
  }
  const auto row_size = static_cast<std::size_t>(to.width) * pixel_size;
  for (std::int64_t y = 0; y < at.y; ++y) std::memcpy(to.row(y), to.row(at.y), row_size);
  for (std::int64_t y = at.y + at.height; y < to.height; ++y) {
    std::memcpy(to.row(y), to.row(at.y + at.height - 1), row_size);
  }
}

// Returns the largest reduction that leaves the image at least as large as the result of the
// resize.
int reduction_of(const PixelRegion& region, const ImageForm& made) noexcept {
  for (const int reduction : {4, 2}) {
    if (region.width >= reduction * made.width && region.height >= reduction * made.height) {
      return reduction;
    }
  }
  return 1;
}

bool can_resize_in_bands(const ImageHeader& header, const PixelRegion& region,
                         const ImageStep& step) noexcept {
  return step.kind == ImageStep::Kind::resize && step.has_antialias && has_bands(header) &&
         PillowBands::takes(region, step.made.width, step.made.height, step.filter);
}

PixelRegion cut_of(const PixelRegion& whole, const PixelRegion& part) noexcept {
  return {.x = whole.x + part.x, .y = whole.y + part.y, .width = part.width, .height = part.height};
}

template <typename T>
PixelView<const T> constant(const AnyPixels& image) noexcept {
  const PixelView<T> view = image.view<T>();
  return {.values = view.values,
          .width = view.width,
          .height = view.height,
          .channels = view.channels,
          .row_stride = view.row_stride};
}

}  // namespace

bool ImageRunner::decode(std::span<const std::byte> bytes, const ImageHeader& header,
                         const ImageDecoding& decoding, std::span<const ImageStep> steps,
                         const AnyPixels& to, ImageProblem& problem) {
  DecodeRequest request{.color = decoding.color, .rules = decoding.rules};
  request.region = {.width = header.width(), .height = header.height()};
  while (!steps.empty() && steps.front().kind == ImageStep::Kind::cut) {
    request.region = cut_of(request.region, steps.front().region);
    steps = steps.subspan(1);
  }
  if (decoding.is_fast && header.format == ImageFormat::jpeg) {
    const auto resize = std::ranges::find_if(
        steps, [](const ImageStep& step) { return step.kind != ImageStep::Kind::mirror; });
    if (resize != steps.end() && resize->kind == ImageStep::Kind::resize) {
      request.reduction = reduction_of(request.region, resize->made);
    }
  }
  if (request.reduction > 1) return decode_reduced(bytes, header, request, steps, to, problem);

  if (!steps.empty() && can_resize_in_bands(header, request.region, steps.front())) {
    return decode_in_bands(bytes, header, request, steps, to, problem);
  }

  const ImageForm form{.height = request.region.height,
                       .width = request.region.width,
                       .channels = decoding.channels()};
  request.margin = steps.empty() ? 0 : kDecodeMargin;
  const AnyPixels pixels = steps.empty() ? to : room_with_margin(form, request.margin);
  if (!decoder_.decode(bytes, header, request, pixels.view<std::uint8_t>(), problem, warnings_)) {
    return false;
  }
  if (!steps.empty()) run_aligned(pixels, steps, to);
  return true;
}

// Resizes each band of rows before it decodes the next one, so that large images need no large
// buffer.
bool ImageRunner::decode_in_bands(std::span<const std::byte> bytes, const ImageHeader& header,
                                  DecodeRequest request, std::span<const ImageStep> steps,
                                  const AnyPixels& to, ImageProblem& problem) {
  const ImageStep& resize = steps.front();
  ImageForm form = resize.made;
  form.height = kBandRows;
  form.width = request.region.width;
  request.margin = kDecodeMargin;
  const AnyPixels band = room_with_margin(form, request.margin);
  const bool is_last = steps.size() == 1;
  const AnyPixels resized = is_last ? to : room(resize.made, band.values);
  PillowBands bands(request.region, constant<std::uint8_t>(band), resized.view<std::uint8_t>(),
                    resize.filter, resize_memory_);
  largest_bytes_ = std::max(largest_bytes_, resize_memory_.bytes.size());
  request.bands = &bands;
  if (!decoder_.decode(bytes, header, request, band.view<std::uint8_t>(), problem, warnings_)) {
    return false;
  }
  bands.finish();
  if (!is_last) run_aligned(resized, steps.subspan(1), to);
  return true;
}

// Mirrors come after the resize, since there are fewer pixels then.
bool ImageRunner::decode_reduced(std::span<const std::byte> bytes, const ImageHeader& header,
                                 DecodeRequest request, std::span<const ImageStep> steps,
                                 const AnyPixels& to, ImageProblem& problem) {
  const auto entry = std::ranges::find(steps, ImageStep::Kind::resize, &ImageStep::kind);
  ImageStep resize = *entry;
  const auto reduction = static_cast<double>(request.reduction);
  const auto reduced = [&](std::int64_t extent) {
    return (extent + request.reduction - 1) / request.reduction;
  };
  const PixelRegion& cut = request.region;
  ResizeBox box{static_cast<double>(cut.x) / reduction, static_cast<double>(cut.y) / reduction,
                static_cast<double>(cut.x + cut.width) / reduction,
                static_cast<double>(cut.y + cut.height) / reduction};
  if (resize.has_antialias) {
    request.region = read_by_pillow(reduced(header.width()), reduced(header.height()), box,
                                    resize.made.width, resize.made.height, resize.filter);
  } else {
    const std::int64_t x = cut.x / request.reduction;
    const std::int64_t y = cut.y / request.reduction;
    request.region = {.x = x,
                      .y = y,
                      .width = reduced(cut.x + cut.width) - x,
                      .height = reduced(cut.y + cut.height) - y};
  }
  ImageForm form = resize.made;
  form.height = request.region.height;
  form.width = request.region.width;
  const AnyPixels decoded = room(form, nullptr);
  if (!decoder_.decode(bytes, header, request, decoded.view<std::uint8_t>(), problem, warnings_)) {
    return false;
  }
  const bool is_last = entry + 1 == steps.end() && entry == steps.begin();
  const AnyPixels resized = is_last ? to : room(resize.made, decoded.values);
  if (resize.has_antialias) {
    const auto x = static_cast<double>(request.region.x);
    const auto y = static_cast<double>(request.region.y);
    box = {box[0] - x, box[1] - y, box[2] - x, box[3] - y};
    resize_as_pillow(constant<std::uint8_t>(decoded), box, resized.view<std::uint8_t>(),
                     resize.filter, resize_memory_);
  } else {
    this->resize(resize, decoded, resized);
  }
  if (is_last) return true;
  std::vector<ImageStep> rest(steps.begin(), entry);
  for (ImageStep& each : rest) each.made = resize.made;
  rest.insert(rest.end(), entry + 1, steps.end());
  run_aligned(resized, rest, to);
  return true;
}

void ImageRunner::run(const AnyPixels& image, std::span<const ImageStep> steps,
                      const AnyPixels& to) {
  const auto address = reinterpret_cast<std::uintptr_t>(image.values);
  const auto alignment = static_cast<std::uintptr_t>(element_size(image.type));
  if (address % alignment == 0) {
    run_aligned(image, steps, to);
    return;
  }
  const AnyPixels aligned = room({.type = image.type,
                                  .height = image.height,
                                  .width = image.width,
                                  .channels = image.channels},
                                 nullptr);
  copy_pixels(image, aligned);
  run_aligned(aligned, steps, to);
}

void ImageRunner::run_aligned(AnyPixels image, std::span<const ImageStep> steps,
                              const AnyPixels& to) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ImageStep& step = steps[i];
    if (step.kind == ImageStep::Kind::cut) {
      image = part_of(image, step.region);
      continue;
    }
    const AnyPixels made = i + 1 == steps.size() ? to : room(step.made, image.values);
    run_step(step, image, made);
    image = made;
  }
  if (image.values != to.values) copy_pixels(image, to);
}

void ImageRunner::run_step(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) {
  switch (step.kind) {
    case ImageStep::Kind::cut:
      copy_pixels(part_of(from, step.region), to);
      return;
    case ImageStep::Kind::mirror:
      mirror_pixels(from, step.is_vertical, to);
      return;
    case ImageStep::Kind::resize:
      resize(step, from, to);
      return;
    case ImageStep::Kind::pad:
      pad(step, from, to);
      return;
    case ImageStep::Kind::other:
      step.operation->apply(step, from, to);
      return;
  }
}

void ImageRunner::resize(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) {
  for (const AnyPixels& each : {from, to}) {
    const std::int64_t bytes = each.height * each.width * each.channels * element_size(each.type);
    largest_bytes_ = std::max(largest_bytes_, static_cast<std::size_t>(bytes));
  }
  if (step.has_antialias) {
    const ResizeBox box{0, 0, static_cast<double>(from.width), static_cast<double>(from.height)};
    resize_as_pillow(constant<std::uint8_t>(from), box, to.view<std::uint8_t>(), step.filter,
                     resize_memory_);
  } else if (from.type == ElementType::u8) {
    resize_as_opencv(constant<std::uint8_t>(from), to.view<std::uint8_t>(), step.interpolation,
                     resize_memory_);
  } else if (from.type == ElementType::f32) {
    resize_as_opencv(constant<float>(from), to.view<float>(), step.interpolation, resize_memory_);
  } else {
    resize_as_opencv(constant<double>(from), to.view<double>(), step.interpolation, resize_memory_);
  }
}

AnyPixels ImageRunner::room(const ImageForm& form, const std::byte* in_use) {
  const auto lies_in = [&](const std::vector<double>& buffer) {
    const auto bytes = std::as_bytes(std::span(buffer));
    return std::less_equal<>()(bytes.data(), in_use) &&
           std::less<>()(in_use, bytes.data() + bytes.size());
  };
  std::vector<double>& buffer = buffers_[lies_in(buffers_[0]) ? 1 : 0];
  const auto bytes =
      static_cast<std::size_t>(form.height * form.width * form.channels * element_size(form.type));
  const std::size_t size = (bytes + sizeof(double) - 1) / sizeof(double);
  largest_bytes_ = std::max(largest_bytes_, size * sizeof(double));
  if (buffer.size() < size) {
    buffer.clear();  // the old values are not needed
    buffer.resize(size);
  }
  return pixels_of(form, std::as_writable_bytes(std::span(buffer)).data());
}

AnyPixels ImageRunner::room_with_margin(const ImageForm& form, std::int64_t margin) {
  ImageForm wide = form;
  wide.width += 2 * margin;
  return part_of(room(wide, nullptr), {.x = margin, .width = form.width, .height = form.height});
}

void ImageRunner::trim() {
  if (largest_bytes_ <= kKeptBytes) return;
  largest_bytes_ = 0;
  for (std::vector<double>& buffer : buffers_) std::vector<double>().swap(buffer);
  resize_memory_ = ResizeMemory();
  decoder_ = ImageDecoder();
}

std::size_t ImageRunner::held_bytes() const noexcept {
  return (buffers_[0].capacity() + buffers_[1].capacity()) * sizeof(double);
}

std::unique_ptr<ImageRunner> ImageRunners::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<ImageRunner> runner = std::move(free_.back());
      free_.pop_back();
      return runner;
    }
  }
  return std::make_unique<ImageRunner>();
}

void ImageRunners::put(std::unique_ptr<ImageRunner> runner) noexcept {
  try {
    runner->trim();
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(runner));
  } catch (const std::bad_alloc&) {
    return;  // drops the runner; a later call makes another
  }
}

}  // namespace sheaf::internal
