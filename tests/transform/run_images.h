/// \file
/// Applies transforms of images to images that a test writes down.

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

/// Returns an image of whole numbers from 0 to 255, others for each seed.
TestImage random_image(std::int64_t height, std::int64_t width, std::int64_t channels,
                       std::uint64_t seed = 0);

/// Returns an image in which pixel (y, x) has the values 10 y + x, plus 100 for each channel.
TestImage numbered_image(std::int64_t height, std::int64_t width, std::int64_t channels = 1);

/// Returns an 8-bit PNG file of the image: 1 or 3 channels.
std::string png_of(const TestImage& image);

/// What a transform reads: either encoded images, or pixels.
struct TestImages {
  std::vector<std::string> files = {};
  std::vector<TestImage> pixels = {};
  ElementType type = ElementType::u8;
  bool is_fixed = false;             // whether the stream has the shape of the first image
  std::vector<double> numbers = {};  // of the stream read before, where a transform has one
  std::vector<double> drawn = {};    // of OrderedDraws
  std::uint64_t seed = 0;
  std::uint64_t key = 0;
  SampleRange range = {0, SampleRange::kAll};
};

/// Applies a transform, and returns the images made. Appends to `warnings`, unless that is null.
std::vector<TestImage> run_images(const Transform& transform, const TestImages& images,
                                  std::vector<Diagnostic>* warnings = nullptr);

/// Returns what the transform draws for the images in slot `slot`.
std::vector<double> drawn_for(OrderedDraws& draws, std::int64_t slot, const TestImages& images);

/// Returns the stream that run_images() gives the transform, called "image".
Stream stream_of(const TestImages& images);

/// Joins transforms, each written as TYPE:OPTION=VALUE,OPTION=VALUE. The generator of each is that
/// of its type, with `#2` behind the second one of a type.
std::shared_ptr<const Transform> joined(const std::vector<std::string>& texts,
                                        const std::map<std::string, std::string>& files = {});

/// Makes the transforms, each on its own.
std::vector<std::shared_ptr<const Transform>> apart(
    const std::vector<std::string>& texts, const std::map<std::string, std::string>& files = {});

/// Applies transforms one after the other. Their generators are those of joined().
std::vector<TestImage> run_apart(const std::vector<std::string>& texts, TestImages images,
                                 const std::map<std::string, std::string>& files = {});

}  // namespace sheaf
