// Writes the results of a model from several threads. Each result has the key of its image. The
// model is linear. It assigns an image to the digit with the nearest mean image.
//
//   predict [FOLDER [OUT [THREADS]]]
//
// FOLDER has train.ctf and test.ctf; the default is testdata/digits. The scores of test.ctf go to
// OUT; the default is digits.ctf. Any number of threads writes the same bytes.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sheaf/reader.h"
#include "sheaf/writer.h"

namespace {

constexpr std::size_t kPixelCount = 64;
constexpr std::size_t kClassCount = 10;

/// score[k] = weights[k] * pixels + biases[k]
struct Model {
  std::array<std::array<float, kPixelCount>, kClassCount> weights{};
  std::array<float, kClassCount> biases{};
};

sheaf::Reader open(const std::string& path) {
  sheaf::ReaderOptions options;
  options.format.streams = {
      {.name = "features", .sample_shape = sheaf::Shape{kPixelCount}},
      {.name = "labels",
       .storage = sheaf::Storage::sparse,
       .sample_shape = sheaf::Shape{kClassCount}},
  };
  options.order = {.minibatch_size = 32, .unit = sheaf::MinibatchUnit::sequences, .sweeps = 1};
  options.packing = sheaf::Layout::ragged;
  return sheaf::Reader(path, options);
}

// The pixels and the digits of the images in a minibatch.
struct Images {
  std::span<const float> pixels;
  std::span<const std::int32_t> labels;
};

Images images_of(const sheaf::Minibatch& minibatch) {
  return {minibatch.batch("features").values.as<float>(),
          minibatch.batch("labels").indices.as<std::int32_t>()};
}

// Returns a model with the mean image m of each digit. The nearest mean to x has the largest
// m * x - |m|^2 / 2, because |x - m|^2 = |x|^2 - 2 (m * x - |m|^2 / 2).
Model learn(sheaf::Reader reader) {
  Model model;
  std::array<float, kClassCount> counts{};
  while (const auto minibatch = reader.next()) {
    const Images images = images_of(*minibatch);
    for (std::size_t i = 0; i < images.labels.size(); ++i) {
      const auto label = static_cast<std::size_t>(images.labels[i]);
      for (std::size_t j = 0; j < kPixelCount; ++j) {
        model.weights[label][j] += images.pixels[i * kPixelCount + j];
      }
      counts[label] += 1;
    }
  }
  for (std::size_t k = 0; k < kClassCount; ++k) {
    for (float& weight : model.weights[k]) {
      weight /= std::max(counts[k], 1.0F);
      model.biases[k] -= weight * weight / 2;
    }
  }
  return model;
}

// Returns the scores of each sample, in sequences of the same lengths as in the minibatch.
sheaf::Chunk scores(const Model& model, const sheaf::Minibatch& minibatch,
                    std::span<const sheaf::Stream> streams) {
  const sheaf::StreamBatch& features = minibatch.batch("features");
  const auto pixels = features.values.as<float>();
  std::vector<sheaf::Column> columns(1);
  for (std::size_t at = 0; at < pixels.size(); at += kPixelCount) {
    for (std::size_t k = 0; k < kClassCount; ++k) {
      float score = model.biases[k];
      for (std::size_t j = 0; j < kPixelCount; ++j) score += model.weights[k][j] * pixels[at + j];
      columns[0].values.push_back(score);
    }
  }
  for (const std::int64_t offset : features.sequence_offsets.as<std::int64_t>()) {
    columns[0].sequence_offsets.push_back(offset);
  }
  return {streams, minibatch.sequence_count(), std::move(columns)};
}

// Runs the threads. Each thread takes the next minibatch and its number, and writes the results
// with this number as the turn.
class Prediction {
 public:
  Prediction(const Model& model, sheaf::Reader reader, sheaf::Writer& writer)
      : model_(model), reader_(std::move(reader)), writer_(writer) {}

  void run(int thread_count) {
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(thread_count));
    for (int i = 0; i < thread_count; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
    writer_.finish();  // throws the error of a thread
  }

 private:
  void work() noexcept {
    try {
      for (;;) {
        std::int64_t turn = 0;
        std::optional<sheaf::Minibatch> minibatch;
        {
          const std::lock_guard lock(mutex_);
          minibatch = reader_.next();
          turn = turn_++;
        }
        if (!minibatch) return;
        writer_.write(turn, minibatch->keys(), scores(model_, *minibatch, writer_.streams()));
      }
    } catch (...) {
      writer_.fail(std::current_exception());  // other threads must not wait for this turn
    }
  }

  const Model& model_;
  sheaf::Reader reader_;
  sheaf::Writer& writer_;
  std::mutex mutex_;  // guards reader_ and turn_
  std::int64_t turn_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string folder = argc > 1 ? argv[1] : "testdata/digits";
    const std::string out = argc > 2 ? argv[2] : "digits.ctf";
    const int thread_count = argc > 3 ? std::max(1, std::atoi(argv[3])) : 2;
    const Model model = learn(open(folder + "/train.ctf"));
    const std::vector<sheaf::Stream> streams = {
        {.name = "scores", .element_type = sheaf::ElementType::f32, .sample_shape = {kClassCount}}};
    sheaf::Writer writer(out, streams, {});
    Prediction(model, open(folder + "/test.ctf"), writer).run(thread_count);
    std::printf("%lld sequences of scores in %s\n",
                static_cast<long long>(writer.stats().sequences), out.c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
