#include "output/progress.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace sheaf::cli {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::chrono::milliseconds kPauseOnTerminal{100};
constexpr std::chrono::seconds kPauseElsewhere{5};

std::string time_text(double seconds) {
  constexpr double kDay = 86400;
  if (!(seconds < 100 * kDay)) return "long";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

// How many bytes this process has read, from files above all; 0 where the system does not tell.
std::int64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::int64_t bytes = 0;
  for (std::string name; file >> name >> bytes;) {
    if (name == "rchar:") return bytes;
  }
  return 0;
}

bool is_wanted(const Console& console, When when) noexcept {
  return when == When::always || (when == When::automatic && console.is_terminal());
}

constexpr double kMegabyte = 1e6;

}  // namespace

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

Progress::Progress(Console& console, When when, std::int64_t total_bytes)
    : console_(console), is_shown_(is_wanted(console, when)), total_bytes_(total_bytes) {
  update(0);
}

void Progress::opening() {
  if (is_shown_ && console_.rewrites_lines()) {
    console_.show_progress("opening the data; streams that are not declared are looked for");
  }
}

void Progress::begin() {
  begin_ = Clock::now();
  next_ = begin_;
  if (is_shown_ && console_.rewrites_lines()) show(begin_);
}

void Progress::update(std::int64_t done_bytes) {
  if (!is_shown_) return;
  done_bytes_ = done_bytes;
  if (const Clock::time_point now = Clock::now(); now >= next_) show(now);
}

void Progress::finish() {
  if (!is_shown_) return;
  if (console_.rewrites_lines()) {
    console_.show_progress("");
  } else {
    show(Clock::now());
  }
}

void Progress::show(Clock::time_point now) {
  const double seconds = std::chrono::duration_cast<Seconds>(now - begin_).count();
  console_.show_progress(progress_text(done_bytes_, total_bytes_, seconds));
  next_ = now;
  if (console_.rewrites_lines()) {
    next_ += kPauseOnTerminal;
  } else {
    next_ += kPauseElsewhere;
  }
}

OpeningProgress::OpeningProgress(Console& console, When when)
    : console_(console),
      is_shown_(is_wanted(console, when)),
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
  } else {
    show(Clock::now());
  }
}

void OpeningProgress::check() {
  if (outer_ != nullptr) outer_->check();
  if (const Clock::time_point now = Clock::now(); now >= next_) show(now);
}

void OpeningProgress::show(Clock::time_point now) {
  const double megabytes = static_cast<double>(bytes_read() - bytes_before_) / kMegabyte;
  const double seconds = std::chrono::duration_cast<Seconds>(now - begin_).count();
  std::string text = fmt::format("opening the data: {:.1f} MB read", megabytes);
  if (seconds >= 0.1) text += fmt::format(", {:.1f} MB/s", megabytes / seconds);
  console_.show_progress(text);
  next_ = now;
  if (console_.rewrites_lines()) {
    next_ += kPauseOnTerminal;
  } else {
    next_ += kPauseElsewhere;
  }
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
