/// \file
/// Makes the pixels of images whose steps are planned.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "image/image_decoder.h"
#include "image/image_header.h"
#include "image/resize.h"
#include "transform/image_operation.h"

namespace sheaf::internal {

/// The options of decoding.
struct ImageDecoding {
  ImageColor color = ImageColor::rgb;
  ImageRules rules = ImageRules::pillow;
  bool is_fast = false;  // JPEG may be decoded at 1/2 or 1/4 of its size before a resize
  std::int64_t pixels_max = kImagePixelsMax;

  [[nodiscard]] std::int64_t channels() const noexcept { return color == ImageColor::grey ? 1 : 3; }
};

/// Makes pixels. Holds the memory of one thread.
class ImageRunner {
 public:
  /// Decodes an image, applies the steps, and writes the result to `to`.
  ///
  /// Returns false and sets `problem` if the image cannot be decoded. Appends to warnings().
  ///
  /// Pre: `header` belongs to `bytes`; `to` has the form of the last step.
  [[nodiscard]] bool decode(std::span<const std::byte> bytes, const ImageHeader& header,
                            const ImageDecoding& decoding, std::span<const ImageStep> steps,
                            const AnyPixels& to, ImageProblem& problem);

  /// Applies the steps to the pixels of an image. The pixels may have any alignment.
  void run(const AnyPixels& image, std::span<const ImageStep> steps, const AnyPixels& to);

  /// Frees all memory if an image took more than kKeptBytes. So a few large images do not hold
  /// memory for the rest of a run.
  void trim();
  static constexpr std::size_t kKeptBytes = std::size_t{64} << 20;

  /// Returns how many bytes the buffers between steps hold.
  [[nodiscard]] std::size_t held_bytes() const noexcept;

  /// Returns the warnings of decoders. The caller clears the list.
  [[nodiscard]] std::vector<ImageProblem>& warnings() noexcept { return warnings_; }

 private:
  [[nodiscard]] bool decode_reduced(std::span<const std::byte> bytes, const ImageHeader& header,
                                    DecodeRequest request, std::span<const ImageStep> steps,
                                    const AnyPixels& to, ImageProblem& problem);
  [[nodiscard]] bool decode_in_bands(std::span<const std::byte> bytes, const ImageHeader& header,
                                     DecodeRequest request, std::span<const ImageStep> steps,
                                     const AnyPixels& to, ImageProblem& problem);
  void run_aligned(AnyPixels image, std::span<const ImageStep> steps, const AnyPixels& to);
  void run_step(const ImageStep& step, const AnyPixels& from, const AnyPixels& to);
  void resize(const ImageStep& step, const AnyPixels& from, const AnyPixels& to);

  // Returns a buffer that does not contain `in_use`.
  [[nodiscard]] AnyPixels room(const ImageForm& form, const std::byte* in_use);

  // Returns a buffer with `margin` more pixels before and behind each row of pixels.
  [[nodiscard]] AnyPixels room_with_margin(const ImageForm& form, std::int64_t margin);

  ImageDecoder decoder_;
  ResizeMemory resize_memory_;
  std::size_t largest_bytes_ = 0;   // of an image since trim() last freed memory
  std::vector<double> buffers_[2];  // of type double, which has the largest alignment
  std::vector<ImageProblem> warnings_;
};

/// Lends runners to threads, and keeps the runners that are returned.
///
/// Threads: all calls are safe from any number of threads.
class ImageRunners {
 public:
  /// A borrowed runner. The destructor returns it.
  class Loan {
   public:
    explicit Loan(ImageRunners& from) : from_(from), runner_(from.take()) {}
    ~Loan() { from_.put(std::move(runner_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    [[nodiscard]] ImageRunner& operator*() const noexcept { return *runner_; }
    [[nodiscard]] ImageRunner* operator->() const noexcept { return runner_.get(); }

   private:
    ImageRunners& from_;
    std::unique_ptr<ImageRunner> runner_;
  };

 private:
  [[nodiscard]] std::unique_ptr<ImageRunner> take();
  void put(std::unique_ptr<ImageRunner> runner) noexcept;

  std::mutex mutex_;
  std::vector<std::unique_ptr<ImageRunner>> free_;
};

}  // namespace sheaf::internal
