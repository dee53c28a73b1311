/// \file
/// A transform of images: operations on one stream, one after the other.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/transform.h"

#include "image/image_header.h"
#include "transform/image_operation.h"
#include "transform/image_runner.h"

namespace sheaf::internal {

/// Applies operations to each image of a sequence. The first one may decode. All images of a
/// sequence, such as the frames of a video, get the same random numbers.
///
/// Reads the streams that operations want to see besides the images, then the images.
///
/// Operations in one pipeline do less than those in several: decode() knows then which part of an
/// image is needed. The pixels stay the same, except those of ImageDecoding::is_fast.
class ImagePipeline final : public Transform {
 public:
  /// Decodes images.
  explicit ImagePipeline(const ImageDecoding& decoding) : decoding_(decoding) {}

  /// Does one operation. `streams` are those read, as far as they are known.
  ImagePipeline(std::shared_ptr<const ImageOperation> operation, std::span<const Stream> streams);

  [[nodiscard]] std::string_view name() const noexcept override;
  [[nodiscard]] std::string options() const override;
  [[nodiscard]] bool is_random() const noexcept override;
  [[nodiscard]] std::vector<Stream> outputs(std::span<const Stream> inputs) const override;
  [[nodiscard]] std::optional<Shape> shape_max(std::size_t i) const override;
  [[nodiscard]] bool keeps_minibatch_size() const noexcept override { return true; }
  void apply(const TransformInput& input, TransformOutput& output) const override;
  [[nodiscard]] std::unique_ptr<OrderedDraws> ordered_draws(
      std::span<const std::int64_t> state) const override;
  [[nodiscard]] std::shared_ptr<const Transform> then(const std::shared_ptr<const Transform>& next,
                                                      std::string_view own_name,
                                                      std::string_view next_name) const override;

 private:
  /// An operation of the list.
  struct Part {
    std::shared_ptr<const ImageOperation> operation;
    std::string random_name;  // of its generator; empty: that of the transform
    std::size_t input = 0;    // which stream has its numbers, where the operation reads some
  };

  /// An image to be made.
  struct Planned {
    std::span<const std::byte> bytes;  // where it is decoded
    ImageHeader header;
    AnyPixels pixels;  // where it is not
    ImageForm made;
    std::vector<ImageStep> steps;
  };

  class Orderly;

  ImagePipeline() = default;

  [[nodiscard]] std::size_t number_count() const noexcept;
  [[nodiscard]] bool is_ordered() const noexcept;
  [[nodiscard]] static ImageForm form_before(const std::optional<ImageDecoding>& decoding,
                                             const Stream& stream);
  [[nodiscard]] static ImageForm begin_of_image(const std::optional<ImageDecoding>& decoding,
                                                const Stream* stream, const SequenceView& view,
                                                std::int64_t sample, Planned& planned);
  [[nodiscard]] std::vector<Planned> plan(const TransformInput& input) const;
  void plan_steps(const TransformInput& input, std::int64_t i, const ImageForm& form,
                  Planned& planned) const;
  [[nodiscard]] std::vector<AnyPixels> make_room(const std::vector<Planned>& all,
                                                 TransformOutput& output) const;
  void make(const TransformInput& input, const std::vector<Planned>& all,
            const std::vector<AnyPixels>& room, TransformOutput& output) const;

  std::optional<ImageDecoding> decoding_;
  std::vector<Part> parts_;
  std::vector<Stream> streams_;  // read, as far as they are known
  mutable ImageRunners runners_;
};

}  // namespace sheaf::internal
