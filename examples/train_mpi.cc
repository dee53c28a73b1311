// Trains softmax regression on handwritten digits, in several processes that average their
// gradients.
//
//   mpirun -n 3 train_mpi [--data FILE] [--checkpoint FILE] [--die-at STEP]
//
// Every process reads its part of the same global minibatches, so any number of processes learns
// the same model. A killed run continues after its checkpoint, with any number of processes.
// --die-at kills the run at a step.

#include <array>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <stdexcept>
#include <string>
#include <vector>

#include <mpi.h>

#include "sheaf/reader.h"
#include "sheaf/worker.h"

namespace {

constexpr std::size_t kPixelCount = 64;
constexpr std::size_t kClassCount = 10;
constexpr double kPixelMax = 16;
constexpr double kLearningRate = 0.5;
constexpr std::int64_t kStepsBetweenCheckpoints = 10;

using Scores = std::array<double, kClassCount>;

/// The weights of all pixels, [pixel][class], followed by the biases.
using Model = std::vector<double>;

Model empty_model() { return Model((kPixelCount + 1) * kClassCount); }

struct Arguments {
  std::string data = "testdata/digits/train.ctf";
  std::string checkpoint = {};
  std::int64_t die_at = 0;
};

struct Checkpoint {
  std::int64_t step = 0;
  sheaf::Position position = {};
  Model model = empty_model();
};

Scores softmax(const Model& model, const float* pixels) {
  Scores scores;
  double sum = 0;
  for (std::size_t k = 0; k < kClassCount; ++k) {
    double score = model[kPixelCount * kClassCount + k];
    for (std::size_t i = 0; i < kPixelCount; ++i) {
      score += pixels[i] / kPixelMax * model[i * kClassCount + k];
    }
    sum += scores[k] = std::exp(score);
  }
  for (double& score : scores) score /= sum;
  return scores;
}

/// Sums over the images of a minibatch. `numbers` has the gradient, the loss and the number of
/// images. `keys` adds up a hash of each key: equal sums mean equal minibatches.
struct Sums {
  std::vector<double> numbers = std::vector<double>((kPixelCount + 1) * kClassCount + 2);
  std::uint64_t keys = 0;
};

void add(const sheaf::Minibatch& minibatch, const Model& model, Sums& sums) {
  const auto pixels = minibatch.batch("features").values.as<float>();
  const auto labels = minibatch.batch("labels").indices.as<std::int32_t>();
  const std::size_t loss = model.size();
  for (std::size_t n = 0; n < labels.size(); ++n) {
    const float* const image = pixels.data() + n * kPixelCount;
    const auto label = static_cast<std::size_t>(labels[n]);
    Scores error = softmax(model, image);
    sums.numbers[loss] -= std::log(error[label]);
    sums.numbers[loss + 1] += 1;
    error[label] -= 1;
    for (std::size_t k = 0; k < kClassCount; ++k) {
      sums.numbers[kPixelCount * kClassCount + k] += error[k];
      for (std::size_t i = 0; i < kPixelCount; ++i) {
        sums.numbers[i * kClassCount + k] += image[i] / kPixelMax * error[k];
      }
    }
  }
  for (const sheaf::SequenceKey& key : minibatch.keys()) {
    sums.keys += sheaf::key_of_text(sheaf::to_string(key)).low;
  }
}

/// Adds up the sums of all processes.
void add_up(Sums& sums) {
  MPI_Allreduce(MPI_IN_PLACE, sums.numbers.data(), static_cast<int>(sums.numbers.size()),
                MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &sums.keys, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/// Replaces the file in one step. A run that is killed while it saves leaves the older checkpoint.
void save(const std::string& path, const Checkpoint& checkpoint) {
  const std::string unfinished = path + ".unfinished";
  std::ofstream file(unfinished);
  file << checkpoint.step << '\n' << sheaf::to_json(checkpoint.position) << '\n';
  file << std::hexfloat;
  for (const double weight : checkpoint.model) file << weight << '\n';
  file.close();
  if (!file) throw std::runtime_error(unfinished + ": cannot be written");
  std::filesystem::rename(unfinished, path);
}

Checkpoint load(const std::string& path) {
  std::ifstream file(path);
  Checkpoint checkpoint;
  std::string line;
  std::getline(file, line);
  checkpoint.step = std::stoll(line);
  std::getline(file, line);
  checkpoint.position = sheaf::position_from_json(line);
  for (double& weight : checkpoint.model) {
    if (!std::getline(file, line)) throw std::runtime_error(path + ": ends early");
    weight = std::stod(line);
  }
  return checkpoint;
}

sheaf::Reader open(const Arguments& arguments, const sheaf::Worker& worker,
                   const Checkpoint& from) {
  sheaf::ReaderOptions options;
  options.format.streams = {
      {.name = "features", .sample_shape = sheaf::Shape{kPixelCount}},
      {.name = "labels",
       .storage = sheaf::Storage::sparse,
       .sample_shape = sheaf::Shape{kClassCount}},
  };
  options.order = {.minibatch_size = 32,  // for all processes together
                   .unit = sheaf::MinibatchUnit::sequences,
                   .sweeps = 3,
                   .worker_index = worker.index,
                   .worker_count = worker.count,
                   .algorithm = sheaf::OrderAlgorithm::keyed,
                   .seed = 7,
                   .window_chunks = sheaf::kAll};
  if (from.step > 0) options.run.start = from.position;
  return sheaf::Reader(arguments.data, options);
}

void train(const Arguments& arguments, const sheaf::Worker& worker) {
  Checkpoint now;
  if (!arguments.checkpoint.empty() && std::filesystem::exists(arguments.checkpoint)) {
    now = load(arguments.checkpoint);
  }
  sheaf::Reader reader = open(arguments, worker, now);
  while (const auto minibatch = reader.next()) {
    Sums sums;
    add(*minibatch, now.model, sums);
    add_up(sums);
    const double count = sums.numbers.back();
    for (std::size_t i = 0; i < now.model.size(); ++i) {
      now.model[i] -= kLearningRate / count * sums.numbers[i];
    }
    ++now.step;
    now.position = minibatch->position;
    if (worker.index == 0) {
      std::printf("step %lld: %.0f images, keys %016llx, loss %.6f\n",
                  static_cast<long long>(now.step), count,
                  static_cast<unsigned long long>(sums.keys),
                  sums.numbers[now.model.size()] / count);
      std::fflush(stdout);
      const bool is_due = now.step % kStepsBetweenCheckpoints == 0;
      if (is_due && !arguments.checkpoint.empty()) save(arguments.checkpoint, now);
    }
    if (now.step == arguments.die_at) std::raise(SIGKILL);
  }
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::runtime_error(name + ": expected a value");
    const std::string value = argv[i + 1];
    if (name == "--data") {
      arguments.data = value;
    } else if (name == "--checkpoint") {
      arguments.checkpoint = value;
    } else if (name == "--die-at") {
      arguments.die_at = std::stoll(value);
    } else {
      throw std::runtime_error(name + ": expected --data, --checkpoint or --die-at");
    }
  }
  return arguments;
}

/// Throws if MPI and the launcher disagree about the processes. If MPI does not know the launcher,
/// each process takes itself for the only one, and would learn only from its own part.
void check_processes(const sheaf::Worker& worker) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (worker.index == rank && worker.count == size) return;
  throw std::runtime_error("MPI says that this is process " + std::to_string(rank) + " of " +
                           std::to_string(size) + ", but " + worker.source + " says " +
                           std::to_string(worker.index) + " of " + std::to_string(worker.count));
}

}  // namespace

int main(int argc, char** argv) {
  bool is_running = false;  // whether other processes may wait for this one
  try {
    const Arguments arguments = parse(argc, argv);
    const sheaf::Worker worker = sheaf::worker();
    int thread_level = 0;  // readers have threads, but only the main thread calls MPI
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &thread_level);
    is_running = true;
    check_processes(worker);
    if (worker.index == 0) {
      std::printf("worker 0 of %lld: %s\n", static_cast<long long>(worker.count),
                  worker.source.c_str());
    }
    train(arguments, worker);
    MPI_Finalize();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "train_mpi: %s\n", error.what());
    if (is_running) MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}
