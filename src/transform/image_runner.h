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

/// How images are decoded.
struct ImageDecoding {
  ImageColor color = ImageColor::rgb;
  ImageRules rules = ImageRules::pillow;
  bool is_fast = false;  // whether JPEG may be decoded at a half or a quarter before a resize
  std::int64_t pixels_max = kImagePixelsMax;

  [[nodiscard]] std::int64_t channels() const noexcept { return color == ImageColor::grey ? 1 : 3; }
};

/// Memory of one thread that makes pixels.
class ImageRunner {
 public:
  /// Decodes an image, does the steps, and puts the result into `to`.
  ///
  /// Returns false, and sets `problem`, where the image cannot be decoded. Appends to warnings().
  ///
  /// Pre: `header` is that of `bytes`; `to` has the form of the last step.
  [[nodiscard]] bool decode(std::span<const std::byte> bytes, const ImageHeader& header,
                            const ImageDecoding& decoding, std::span<const ImageStep> steps,
                            const AnyPixels& to, ImageProblem& problem);

  /// Does the steps with the pixels of an image. The pixels may have any alignment.
  void run(const AnyPixels& image, std::span<const ImageStep> steps, const AnyPixels& to);

  /// Frees all memory where an image had more than kKeptBytes: a few large images must not hold
  /// memory for the rest of a run.
  void trim();
  static constexpr std::size_t kKeptBytes = std::size_t{64} << 20;

  /// Returns how many bytes the buffers between two steps hold.
  [[nodiscard]] std::size_t held_bytes() const noexcept;

  /// Returns what decoders found strange, to be cleared by the caller.
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

  // A buffer that `in_use` is not in.
  [[nodiscard]] AnyPixels room(const ImageForm& form, const std::byte* in_use);

  // A buffer with so many pixels more before and behind each row.
  [[nodiscard]] AnyPixels room_with_margin(const ImageForm& form, std::int64_t margin);

  ImageDecoder decoder_;
  ResizeMemory resize_memory_;
  std::size_t largest_bytes_ = 0;   // of an image since the last trim() that freed memory
  std::vector<double> buffers_[2];  // doubles, as these have the largest alignment
  std::vector<ImageProblem> warnings_;
};

/// Lends a runner to each thread that asks, and keeps those that come back.
///
/// Threads: all calls are safe from any number of threads.
class ImageRunners {
 public:
  /// A runner on loan: it goes back at the end.
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
