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

/// Whether a line of progress stays as the last one where there is no terminal.
enum class LastLine : std::uint8_t { none, printed };

/// Shows that data are being opened and indexed, until finish(): how many bytes were read, how
/// fast, and how long the pass over the data takes at most. How many passes opening takes, nobody
/// knows before.
class OpeningProgress final : public Interruption {
 public:
  /// `automatic`: where standard error is a terminal. `pass_bytes`: how large the data are; 0 where
  /// opening needs no pass over all of the data.
  ///
  /// Lifetime: `console` must outlive it. One at a time, on the thread that opens the data.
  OpeningProgress(Console& console, When when, std::int64_t pass_bytes,
                  LastLine last = LastLine::printed);
  OpeningProgress(const OpeningProgress&) = delete;
  OpeningProgress& operator=(const OpeningProgress&) = delete;
  ~OpeningProgress() override { finish(); }

  /// The data are open: take the line away; or print a last one where there is no terminal, unless
  /// another line follows.
  void finish();

  /// Asked by the library while it works.
  void check() override;

 private:
  using Clock = std::chrono::steady_clock;

  void show(Clock::time_point now);

  Console& console_;
  bool is_shown_;
  std::int64_t pass_bytes_;
  LastLine last_;
  std::int64_t bytes_before_;
  Interruption* outer_ = current_interruption();
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
  std::optional<InterruptionScope> scope_;
};

/// Shows how much is done, how fast it goes and how long it will take, a few times a second.
class Progress {
 public:
  /// `automatic`: where standard error is a terminal.
  ///
  /// Lifetime: `console` must outlive it.
  Progress(Console& console, When when, std::int64_t total_bytes);

  /// Shows that the library opens the data, which may read them once or twice.
  void opening();

  /// Begins the pass over open data, of `total_bytes` where that is not empty. The speed is
  /// measured from here on.
  void begin(std::optional<std::int64_t> total_bytes = {});

  /// Say how much is done. Cheap.
  void update(std::int64_t done_bytes);

  /// The pass is over: take the line away; or print a last one where there is no terminal.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void show(Clock::time_point now);

  Console& console_;
  When when_;
  bool is_shown_;
  std::int64_t total_bytes_;
  std::optional<OpeningProgress> opening_;
  std::int64_t done_bytes_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_;
};

/// What the lines say.
[[nodiscard]] std::string progress_text(std::int64_t done_bytes, std::int64_t total_bytes,
                                        double seconds);
[[nodiscard]] std::string opening_text(std::int64_t read_bytes, std::int64_t pass_bytes,
                                       double seconds);

/// Returns "7 s", "1 min 30 s" or "2 h 45 min".
[[nodiscard]] std::string time_text(double seconds);

/// Returns whether to show progress. `automatic`: where standard error is a terminal.
[[nodiscard]] bool shows_progress(const Console& console, When when) noexcept;

/// Returns the time from one line of progress to the next.
[[nodiscard]] std::chrono::milliseconds progress_pause(const Console& console) noexcept;

/// Add --progress and --no-progress.
///
/// Lifetime: `when` must outlive the parsing.
void add_progress_options(CLI::App& verb, When& when);

}  // namespace sheaf::cli
