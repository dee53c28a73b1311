// Trains softmax regression on handwritten digits, by stochastic gradient descent in plain loops.
//
//   train_digits [FOLDER]     the folder of train.ctf and test.ctf; the default is testdata/digits

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>

#include "sheaf/reader.h"

namespace {

constexpr std::size_t kPixelCount = 64;
constexpr std::size_t kClassCount = 10;
constexpr float kPixelMax = 16;
constexpr float kLearningRate = 0.5F;
constexpr std::int64_t kSweeps = 40;
constexpr std::int64_t kBatchSize = 32;

using Scores = std::array<float, kClassCount>;

struct Model {
  std::array<Scores, kPixelCount> weights{};
  Scores biases{};
};

sheaf::Reader open(const std::string& path, std::int64_t sweeps) {
  sheaf::ReaderOptions options;
  options.format.streams = {
      {.name = "features", .sample_shape = sheaf::Shape{kPixelCount}},
      {.name = "labels",
       .storage = sheaf::Storage::sparse,
       .sample_shape = sheaf::Shape{kClassCount}},
  };
  options.order = {
      .minibatch_size = kBatchSize, .unit = sheaf::MinibatchUnit::sequences, .sweeps = sweeps};
  return sheaf::Reader(path, options);
}

Scores scores(const Model& model, std::span<const float> pixels) {
  Scores result = model.biases;
  for (std::size_t i = 0; i < kPixelCount; ++i) {
    for (std::size_t k = 0; k < kClassCount; ++k) {
      result[k] += pixels[i] / kPixelMax * model.weights[i][k];
    }
  }
  return result;
}

Scores softmax(const Scores& values) {
  const float max = *std::max_element(values.begin(), values.end());
  Scores result;
  float sum = 0;
  for (std::size_t k = 0; k < kClassCount; ++k) sum += result[k] = std::exp(values[k] - max);
  for (float& value : result) value /= sum;
  return result;
}

// Calls f(pixels, label) for each image of a minibatch. A sequence is one image, so the rows of the
// arrays are the images. A row of labels has one value, and the index of this value is the label.
template <typename F>
void for_each_image(const sheaf::Minibatch& minibatch, F&& f) {
  const auto pixels = minibatch.batch("features").values.as<float>();
  const auto labels = minibatch.batch("labels").indices.as<std::int32_t>();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    f(pixels.subspan(i * kPixelCount, kPixelCount), static_cast<std::size_t>(labels[i]));
  }
}

// Takes one step of gradient descent with the mean gradient of the minibatch.
void learn(Model& model, const sheaf::Minibatch& minibatch) {
  Model gradient;
  for_each_image(minibatch, [&](std::span<const float> pixels, std::size_t label) {
    Scores error = softmax(scores(model, pixels));
    error[label] -= 1;
    for (std::size_t k = 0; k < kClassCount; ++k) {
      gradient.biases[k] += error[k];
      for (std::size_t i = 0; i < kPixelCount; ++i) {
        gradient.weights[i][k] += pixels[i] / kPixelMax * error[k];
      }
    }
  });
  const float rate = kLearningRate / static_cast<float>(minibatch.sequence_count());
  for (std::size_t k = 0; k < kClassCount; ++k) {
    model.biases[k] -= rate * gradient.biases[k];
    for (std::size_t i = 0; i < kPixelCount; ++i) {
      model.weights[i][k] -= rate * gradient.weights[i][k];
    }
  }
}

// Returns the share of images that the model classifies correctly.
double accuracy(const Model& model, sheaf::Reader reader) {
  std::int64_t right = 0;
  std::int64_t count = 0;
  while (const auto minibatch = reader.next()) {
    for_each_image(*minibatch, [&](std::span<const float> pixels, std::size_t label) {
      const Scores found = scores(model, pixels);
      const auto best = std::max_element(found.begin(), found.end()) - found.begin();
      right += static_cast<std::size_t>(best) == label ? 1 : 0;
      ++count;
    });
  }
  return static_cast<double>(right) / static_cast<double>(count);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string folder = argc > 1 ? argv[1] : "testdata/digits";
    Model model;
    sheaf::Reader reader = open(folder + "/train.ctf", kSweeps);
    while (const auto minibatch = reader.next()) learn(model, *minibatch);

    const sheaf::ReaderStats stats = reader.stats();
    std::printf("C++: learned from %lld minibatches, %lld sequences\n",
                static_cast<long long>(stats.minibatches), static_cast<long long>(stats.sequences));
    std::printf("C++: test accuracy: %.1f %%\n",
                100 * accuracy(model, open(folder + "/test.ctf", 1)));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_digits: %s\n", error.what());
    return 1;
  }
}
