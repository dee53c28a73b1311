#include "output/progress.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sheaf/open.h"

namespace sheaf::cli {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds kPauseOnTerminal{100};
constexpr std::chrono::milliseconds kPauseElsewhere{5000};

// Returns the number of bytes that this process has read, mostly from files. Returns 0 if the
// system does not tell.
std::int64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::int64_t bytes = 0;
  for (std::string name; file >> name >> bytes;) {
    if (name == "rchar:") return bytes;
  }
  return 0;
}

constexpr double kMegabyte = 1e6;

}  // namespace

std::string time_text(double seconds) {
  constexpr double kDay = 86400;
  if (!(seconds < 100 * kDay)) return "long";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

bool shows_progress(const Console& console, When when) noexcept {
  return when == When::always || (when == When::automatic && console.is_terminal());
}

std::chrono::milliseconds progress_pause(const Console& console) noexcept {
  return console.rewrites_lines() ? kPauseOnTerminal : kPauseElsewhere;
}

std::string progress_text(std::int64_t done_bytes, std::int64_t total_bytes, double seconds) {
  const double done = static_cast<double>(done_bytes);
  const double total = static_cast<double>(total_bytes);
  const double share = total_bytes > 0 ? std::min(done / total, 1.0) : 1.0;
  std::string text = fmt::format("{:3.0f} %, {:.1f} of {:.1f} MB", share * 100, done / kMegabyte,
                                 total / kMegabyte);
  if (done_bytes <= 0 || seconds <= 0) return text;
  const double rate = done / seconds;
  text += fmt::format(", {:.1f} MB/s", rate / kMegabyte);
  if (done < total) text += fmt::format(", {} left", time_text((total - done) / rate));
  return text;
}

// The text never shows a pass at 100 %, because a pass goes on after its last bytes are read.
std::string opening_text(std::int64_t read_bytes, std::int64_t pass_bytes, double seconds) {
  constexpr double kSecondsMin = 0.1;
  const double read = static_cast<double>(read_bytes);
  std::string text = fmt::format("opening the data: {:.1f} MB read", read / kMegabyte);
  if (seconds < kSecondsMin || read_bytes <= 0) return text;
  const double rate = read / seconds;
  text += fmt::format(", {:.1f} MB/s", rate / kMegabyte);
  if (pass_bytes <= 0) return text;
  const std::int64_t in_pass = read_bytes % pass_bytes;
  const double share = static_cast<double>(in_pass) / static_cast<double>(pass_bytes);
  text += fmt::format(", {:.0f} % of pass {}, at most {} left", share * 100,
                      1 + read_bytes / pass_bytes,
                      time_text(static_cast<double>(pass_bytes - in_pass) / rate));
  return text;
}

Progress::Progress(Console& console, When when, std::int64_t total_bytes)
    : console_(console),
      when_(when),
      is_shown_(shows_progress(console, when)),
      total_bytes_(total_bytes) {}

void Progress::opening() { opening_.emplace(console_, when_, total_bytes_, LastLine::none); }

void Progress::begin() {
  opening_.reset();
  has_begun_ = true;
  done_bytes_ = 0;
  begin_ = Clock::now();
  if (is_shown_) show(begin_);
}

void Progress::begin(const Deserializer& data, std::int64_t more_bytes) {
  if (const std::optional<PartBytes> part = part_bytes(data)) total_bytes_ = part->size_bytes;
  total_bytes_ += more_bytes;
  begin();
}

void Progress::update(std::int64_t done_bytes) {
  if (!is_shown_) return;
  done_bytes_ = done_bytes;
  if (const Clock::time_point now = Clock::now(); now >= next_) show(now);
}

void Progress::finish() {
  opening_.reset();
  if (!is_shown_ || !has_begun_) return;
  if (console_.rewrites_lines()) {
    console_.show_progress("");
  } else {
    show(Clock::now());
  }
}

void Progress::show(Clock::time_point now) {
  const double seconds = std::chrono::duration_cast<Seconds>(now - begin_).count();
  console_.show_progress(progress_text(done_bytes_, total_bytes_, seconds));
  next_ = now + progress_pause(console_);
}

OpeningProgress::OpeningProgress(Console& console, When when, std::int64_t pass_bytes,
                                 LastLine last)
    : console_(console),
      is_shown_(shows_progress(console, when)),
      pass_bytes_(pass_bytes),
      last_(last),
      bytes_before_(is_shown_ ? bytes_read() : 0) {
  if (!is_shown_) return;
  scope_.emplace(*this);
  if (console_.rewrites_lines()) {
    show(begin_);
  } else {
    next_ += kPauseElsewhere;
  }
}

void OpeningProgress::finish() {
  if (!scope_) return;
  scope_.reset();
  if (console_.rewrites_lines()) {
    console_.show_progress("");
  } else if (last_ == LastLine::printed) {
    show(Clock::now());
  }
}

void OpeningProgress::check() {
  if (outer_ != nullptr) outer_->check();
  if (const Clock::time_point now = Clock::now(); now >= next_) show(now);
}

void OpeningProgress::show(Clock::time_point now) {
  const double seconds = std::chrono::duration_cast<Seconds>(now - begin_).count();
  console_.show_progress(opening_text(bytes_read() - bytes_before_, pass_bytes_, seconds));
  next_ = now + progress_pause(console_);
}

void add_progress_options(CLI::App& verb, When& when) {
  verb.add_flag_callback(
          "--progress", [&when] { when = When::always; },
          "Show progress also where standard error is no terminal")
      ->group("Messages");
  verb.add_flag_callback(
          "--no-progress", [&when] { when = When::never; }, "Show no progress")
      ->group("Messages");
}

}  // namespace sheaf::cli
