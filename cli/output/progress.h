/// \file
/// How far a long pass over the data is.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sheaf/extend/interruption.h"

#include "output/console.h"

namespace CLI {
class App;
}

namespace sheaf::cli {

/// Shows how much is done, how fast it goes and how long it will take, a few times a second.
class Progress {
 public:
  /// `automatic`: where standard error is a terminal.
  ///
  /// Lifetime: `console` must outlive it.
  Progress(Console& console, When when, std::int64_t total_bytes);

  /// Show on a terminal that the data are being opened, which may take a pass of its own.
  void opening();

  /// Say that the data are open. The speed is measured from here on.
  void begin();

  /// Say how much is done. Cheap.
  void update(std::int64_t done_bytes);

  /// The pass is over: take the line away; or print a last one where there is no terminal.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void show(Clock::time_point now);

  Console& console_;
  bool is_shown_;
  std::int64_t total_bytes_;
  std::int64_t done_bytes_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
};

/// Shows that data are being opened and indexed, and how many bytes were read for that, until
/// finish(). A verb that shows no Progress has this one: how many passes opening takes, and over
/// how much of the data, nobody knows before.
class OpeningProgress final : public Interruption {
 public:
  /// `automatic`: where standard error is a terminal.
  ///
  /// Lifetime: `console` must outlive it. One at a time, on the thread that opens the data.
  OpeningProgress(Console& console, When when);
  OpeningProgress(const OpeningProgress&) = delete;
  OpeningProgress& operator=(const OpeningProgress&) = delete;
  ~OpeningProgress() override { finish(); }

  /// The data are open: take the line away; or print a last one where there is no terminal.
  void finish();

  /// Asked by the library while it works.
  void check() override;

 private:
  using Clock = std::chrono::steady_clock;

  void show(Clock::time_point now);

  Console& console_;
  bool is_shown_;
  std::int64_t bytes_before_;
  Interruption* outer_ = current_interruption();
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
  std::optional<InterruptionScope> scope_;
};

/// What the line says.
[[nodiscard]] std::string progress_text(std::int64_t done_bytes, std::int64_t total_bytes,
                                        double seconds);

/// Add --progress and --no-progress.
///
/// Lifetime: `when` must outlive the parsing.
void add_progress_options(CLI::App& verb, When& when);

}  // namespace sheaf::cli
