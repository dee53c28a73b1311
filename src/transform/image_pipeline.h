/// \file
/// A transform of images: a list of operations on one stream.

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

/// Applies operations to each image of a sequence. The first operation may decode. All images of a
/// sequence, such as the frames of a video, get the same random numbers.
///
/// Reads the streams that operations need besides the images, and then the images.
///
/// Operations in one pipeline do less work than in several, since the decoder then knows which part
/// of an image is needed. The pixels stay the same, except with ImageDecoding::is_fast.
class ImagePipeline final : public Transform {
 public:
  /// Makes a pipeline that decodes images.
  explicit ImagePipeline(const ImageDecoding& decoding) : decoding_(decoding) {}

  /// Makes a pipeline of one operation. `streams` are the streams read, as far as they are known.
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
  /// An operation of the pipeline.
  struct Part {
    std::shared_ptr<const ImageOperation> operation;
    std::string random_name;  // of its generator; empty: as the transform
    std::size_t input = 0;    // stream of the numbers that the operation reads, if any
  };

  /// An image to make.
  struct Planned {
    std::span<const std::byte> bytes;  // encoded image, if it is decoded
    ImageHeader header;
    AnyPixels pixels;  // pixels, if it is not
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
  std::vector<Stream> streams_;  // streams read, as far as they are known
  mutable ImageRunners runners_;
};

}  // namespace sheaf::internal
