/// \file
/// Applies image transforms to images written down in tests.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/transform.h"

namespace sheaf {

/// The pixels of an image: [height, width, channels], or any other shape of rank 3.
struct TestImage {
  std::vector<std::int64_t> extents = {};
  std::vector<double> values = {};

  friend bool operator==(const TestImage&, const TestImage&) = default;
};

/// Returns an image of whole numbers from 0 to 255 that depend on the seed.
TestImage random_image(std::int64_t height, std::int64_t width, std::int64_t channels,
                       std::uint64_t seed = 0);

/// Returns an image whose pixel (y, x) has the value 10 y + x, plus 100 for each channel.
TestImage numbered_image(std::int64_t height, std::int64_t width, std::int64_t channels = 1);

/// Returns an 8-bit PNG file of an image with 1 or 3 channels.
std::string png_of(const TestImage& image);

/// The input of a transform: either encoded images, or pixels.
struct TestImages {
  std::vector<std::string> files = {};
  std::vector<TestImage> pixels = {};
  ElementType type = ElementType::u8;
  bool is_fixed = false;             // whether the stream has the shape of the first image
  std::vector<double> numbers = {};  // of the extra stream, if the transform reads one
  std::vector<double> drawn = {};    // by OrderedDraws
  std::uint64_t seed = 0;
  std::uint64_t key = 0;
  SampleRange range = {0, SampleRange::kAll};
};

/// Applies a transform and returns the resulting images. Appends to `warnings` unless it is null.
std::vector<TestImage> run_images(const Transform& transform, const TestImages& images,
                                  std::vector<Diagnostic>* warnings = nullptr);

/// Returns the numbers drawn for the images of sequence `sequence` of a minibatch.
std::vector<double> drawn_for(OrderedDraws& draws, std::int64_t sequence, const TestImages& images);

/// Returns whether the images of a sequence look right to CheckedDraws.
bool looks_right_for(const OrderedDraws& draws, const TestImages& images);

/// Returns the input stream of run_images(), named "image".
Stream stream_of(const TestImages& images);

/// Joins transforms, each written as TYPE:OPTION=VALUE,OPTION=VALUE. A generator is named after the
/// type of its transform, with `#2` for the second one of a type.
std::shared_ptr<const Transform> joined(const std::vector<std::string>& texts,
                                        const std::map<std::string, std::string>& files = {});

/// Makes each transform separately.
std::vector<std::shared_ptr<const Transform>> apart(
    const std::vector<std::string>& texts, const std::map<std::string, std::string>& files = {});

/// Applies transforms one after the other, with the same generators as joined().
std::vector<TestImage> run_apart(const std::vector<std::string>& texts, TestImages images,
                                 const std::map<std::string, std::string>& files = {});

}  // namespace sheaf
