#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "sheaf/byte_source.h"
#include "sheaf/error.h"
#include "sheaf/reader.h"

#include "data_options.h"
#include "format_minibatch.h"
#include "output.h"
#include "position_file.h"
#include "verbs.h"

namespace sheaf::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct ReadOptions {
  DataOptions data;
  LinearOrderOptions order;
  std::string unit = "samples";
  std::string sweep_ends = "cross";
  std::string packing = "padded";
  std::string format = "summary";
  std::vector<std::string> streams;  // to print; empty: all
  std::int64_t minibatches_max = std::numeric_limits<std::int64_t>::max();
  std::string resume;
  std::string save_position;
  bool json = false;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Most resident memory of this process so far. The kernel's account in /proc begins with this
// program; the one of getrusage() may be that of the process that started it.
std::int64_t peak_rss_bytes() {
  if (std::FILE* const file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    long long kilobytes = -1;
    while (kilobytes < 0 && std::fgets(line, sizeof line, file) != nullptr) {
      if (std::sscanf(line, "VmHWM: %lld kB", &kilobytes) != 1) kilobytes = -1;
    }
    std::fclose(file);
    if (kilobytes >= 0) return static_cast<std::int64_t>(kilobytes) << 10;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) << 10;
}

// Bytes of the source before a place of file order, all sweeps counted.
std::int64_t bytes_before(const Place& place, const Deserializer& data, std::int64_t size_bytes) {
  const std::int64_t swept = place.sweep * size_bytes;
  if (place.sequence == 0) return swept;
  std::int64_t left = place.sequence;
  for (ChunkIndex chunk{}; const auto info = data.index().chunk(chunk); chunk = next(chunk)) {
    if (left < info->sequence_count) {
      return swept + info->offset_bytes + data.index().sequences(chunk)->offset_bytes(left);
    }
    left -= info->sequence_count;
    if (left == 0) return swept + info->offset_bytes + info->size_bytes;
  }
  return swept + size_bytes;
}

struct Speed {
  ReaderStats stats;
  std::int64_t bytes = 0;
  double seconds = 0;
  double first_minibatch_seconds = 0;
  std::int64_t peak_rss_bytes = 0;
};

void append_speed(std::string& out, const Speed& speed, bool is_json) {
  const double samples_per_second = static_cast<double>(speed.stats.samples) / speed.seconds;
  const double megabytes_per_second = static_cast<double>(speed.bytes) / 1e6 / speed.seconds;
  if (is_json) {
    fmt::format_to(std::back_inserter(out),
                   "{{\"minibatches\":{},\"sequences\":{},\"samples\":{},\"holes\":{},\"bytes\":{},"
                   "\"seconds\":{},\"samples_per_second\":{},\"megabytes_per_second\":{},"
                   "\"first_minibatch_seconds\":{},\"peak_rss_bytes\":{},\"memory_bytes_max\":{}}}",
                   speed.stats.minibatches, speed.stats.sequences, speed.stats.samples,
                   speed.stats.holes, speed.bytes, speed.seconds, samples_per_second,
                   megabytes_per_second, speed.first_minibatch_seconds, speed.peak_rss_bytes,
                   speed.stats.memory_bytes_max);
    return;
  }
  fmt::format_to(std::back_inserter(out),
                 "minibatches {}, sequences {}, samples {}, left out {}; {} bytes in {:.3f} s: "
                 "{:.1f} MB/s, {:.0f} samples/s; first minibatch after {:.3f} s; "
                 "peak memory {:.1f} MiB",
                 speed.stats.minibatches, speed.stats.sequences, speed.stats.samples,
                 speed.stats.holes, speed.bytes, speed.seconds, megabytes_per_second,
                 samples_per_second, speed.first_minibatch_seconds,
                 static_cast<double>(speed.peak_rss_bytes) / (1 << 20));
}

void append(std::string& out, const ReadOptions& options, const Minibatch& minibatch,
            std::int64_t number, std::span<const std::int64_t> streams) {
  if (options.format == "keys") {
    append_keys(out, minibatch);
  } else if (options.format == "json" || options.json) {
    append_minibatch(out, minibatch, streams, options.format == "json");
  } else {
    append_summary(out, minibatch, number, streams);
  }
}

// Numbers of the streams to print.
std::vector<std::int64_t> chosen_streams(const ReadOptions& options, const Deserializer& data) {
  std::vector<std::int64_t> chosen;
  std::string known;
  for (const std::string& name : options.streams) {
    std::int64_t number = 0;
    for (const Stream& stream : data.streams()) {
      if (stream.name == name) break;
      ++number;
    }
    chosen.push_back(number);
    if (number < std::ssize(data.streams())) continue;
    for (const Stream& stream : data.streams()) known += (known.empty() ? "" : ", ") + stream.name;
    throw ConfigError(
        fmt::format("--streams: there is no stream \"{}\"; there are: {}", name, known));
  }
  for (std::int64_t i = 0; options.streams.empty() && i < std::ssize(data.streams()); ++i) {
    chosen.push_back(i);
  }
  return chosen;
}

// Throws: ConfigError for a --format that is not one of these.
void check_format(const std::string& format) {
  if (format == "matrix") {
    throw ConfigError(
        "--format matrix prints the packed layout, which this version does not have; "
        "--format json prints every array");
  }
  constexpr const char* kFormats[] = {"summary", "keys", "json", "none"};
  if (std::find(std::begin(kFormats), std::end(kFormats), format) == std::end(kFormats)) {
    throw ConfigError(
        fmt::format("--format is one of {}: got \"{}\"", fmt::join(kFormats, ", "), format));
  }
}

int run_read(ReadOptions& options) {
  check_format(options.format);
  options.order.unit =
      options.unit == "sequences" ? MinibatchUnit::sequences : MinibatchUnit::samples;
  options.order.cut_at_sweep_end = options.sweep_ends == "cut";
  const Layout packing = options.packing == "ragged" ? Layout::ragged : Layout::padded;
  if (!options.resume.empty()) options.data.run.start = load_position(options.resume);

  const auto start = Clock::now();
  const auto data = open(options.data);
  Reader reader = make_reader(data, options.order, packing, options.data.run);
  const std::vector<std::int64_t> streams = chosen_streams(options, *data);
  const Position first = reader.position();
  const bool is_silent = options.format == "none";

  Output output;
  double first_minibatch_seconds = 0;
  const auto deliver = [&] {
    for (std::int64_t number = 0; number < options.minibatches_max; ++number) {
      const auto minibatch = reader.next();
      if (!minibatch) return;
      if (number == 0) first_minibatch_seconds = seconds_since(start);
      if (is_silent || (options.format == "keys" && minibatch->sequence_count() == 0)) continue;
      append(output.text(), options, *minibatch, number, streams);
      output.end_line();
    }
  };
  try {
    deliver();
  } catch (const Error&) {
    output.flush();  // what was good before it
    throw;
  }
  const double seconds = seconds_since(start);
  if (is_silent) {
    const std::int64_t size = open_file(options.data.path)->size();
    const std::int64_t bytes =
        bytes_before(reader.position().place, *data, size) - bytes_before(first.place, *data, size);
    append_speed(output.text(),
                 {reader.stats(), bytes, seconds, first_minibatch_seconds, peak_rss_bytes()},
                 options.json);
    output.end_line();
  }
  output.flush();
  print_left_out(reader);
  if (!options.save_position.empty()) save_position(options.save_position, reader.position());
  return kExitGood;
}

void add_order_options(CLI::App& app, ReadOptions& options) {
  app.add_option("--minibatch-size", options.order.minibatch_size,
                 "A minibatch has at most so many, but at least one whole sequence")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--unit", options.unit, "What --minibatch-size counts: samples or sequences")
      ->check(CLI::IsMember({"samples", "sequences"}).description(""))
      ->type_name("UNIT")
      ->capture_default_str();
  app.add_option("--sweeps", options.order.sweeps,
                 "How often to deliver all sequences; 0: without end")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--sweep-ends", options.sweep_ends,
                 "cross: a minibatch may hold the end of a sweep and the start of the next; "
                 "cut: it may not")
      ->check(CLI::IsMember({"cross", "cut"}).description(""))
      ->type_name("HOW")
      ->capture_default_str();
  app.add_option("--packing", options.packing,
                 "padded: sequences side by side, filled up with zeros; ragged: back to back")
      ->check(CLI::IsMember({"padded", "ragged"}).description(""))
      ->type_name("LAYOUT")
      ->capture_default_str();
}

}  // namespace

Verb add_read(CLI::App& parent) {
  CLI::App* const app = parent.add_subcommand("read", "Deliver a file's minibatches");
  const auto options = std::make_shared<ReadOptions>();
  add_data_options(*app, options->data);
  add_max_errors_option(*app, options->data);
  add_order_options(*app, *options);
  app->add_option("--format", options->format,
                  "For each minibatch - summary: a line of counts and shapes; keys: JSON with the "
                  "keys of its sequences; json: JSON with every array, flat, in row-major order. "
                  "none: a single line about speed")
      ->type_name("FORMAT")
      ->capture_default_str();
  app->add_option("--streams", options->streams, "Which streams to print, and in which order")
      ->type_name("A,B")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--max-minibatches", options->minibatches_max, "Stop after so many minibatches")
      ->type_name("N")
      ->check(
          CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()).description(""));
  app->add_option("--resume", options->resume, "Go on from a position that --save-position wrote")
      ->type_name("FILE");
  app->add_option("--save-position", options->save_position,
                  "Write the position after the last minibatch, when all is printed")
      ->type_name("FILE");
  app->add_flag("--json", options->json, "JSON objects also for the formats summary and none");
  return {app, [options] { return run_read(*options); }};
}

}  // namespace sheaf::cli
