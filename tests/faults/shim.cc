// Makes calls of the file system fail on purpose: a library to load before a program with
// LD_PRELOAD.
//
// The library counts the calls for the files of one folder, kind by kind, and writes the counts at
// the end. The environment chooses the calls that fail:
//
//     SHEAF_FAULT_FOLDER  the folder; nothing happens without it
//     SHEAF_FAULT_CALL    the kind: open, stat, read, write, sync, close, rename or truncate
//     SHEAF_FAULT_ERROR   the error number (errno) of the failing call
//     SHEAF_FAULT_FIRST   the first call that fails, from 1; 0: none does
//     SHEAF_FAULT_LAST    the last call that fails; 0: all later calls fail, too
//     SHEAF_FAULT_EVERY   how many of these fail: 2 means every second one
//     SHEAF_FAULT_SHORT   the most bytes that a read or a write takes; 0: all
//     SHEAF_FAULT_COUNTS  the file for the counts, with a line "KIND NUMBER" for each kind
//
// Calls inside the C library do not pass through here: stdio has its own way.

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

enum Kind : std::uint8_t { kOpen, kStat, kRead, kWrite, kSync, kClose, kRename, kTruncate, kKinds };
constexpr std::array<const char*, kKinds> kNames = {"open", "stat",  "read",   "write",
                                                    "sync", "close", "rename", "truncate"};

constexpr std::size_t kFilesMax = 4096;

std::int64_t number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atoll(text);
}

/// The settings from the environment, and the state so far.
struct Plan {
  const char* folder = std::getenv("SHEAF_FAULT_FOLDER");
  const char* call = std::getenv("SHEAF_FAULT_CALL");
  const char* counts_path = std::getenv("SHEAF_FAULT_COUNTS");
  int error = static_cast<int>(number("SHEAF_FAULT_ERROR"));
  std::int64_t first = number("SHEAF_FAULT_FIRST");
  std::int64_t last = number("SHEAF_FAULT_LAST");
  std::int64_t every = number("SHEAF_FAULT_EVERY");
  std::int64_t short_size = number("SHEAF_FAULT_SHORT");
  std::array<std::atomic<std::int64_t>, kKinds> counts{};
  std::array<std::atomic<bool>, kFilesMax> is_watched{};  // [descriptor]

  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  ~Plan() {
    if (counts_path == nullptr) return;
    std::FILE* const file = std::fopen(counts_path, "w");
    if (file == nullptr) return;
    for (std::size_t i = 0; i < kKinds; ++i) {
      std::fprintf(file, "%s %lld\n", kNames[i], static_cast<long long>(counts[i]));
    }
    std::fclose(file);
  }
};

Plan& plan() {
  static Plan plan;
  return plan;
}

// Runs before any call, so that a program without calls has counts, too.
[[gnu::constructor]] void start() { static_cast<void>(plan()); }

bool is_watched(const char* path) {
  const char* const folder = plan().folder;
  return folder != nullptr && path != nullptr && std::string_view(path).starts_with(folder);
}

bool is_watched(int file) {
  return file >= 0 && static_cast<std::size_t>(file) < kFilesMax &&
         plan().is_watched[static_cast<std::size_t>(file)];
}

int watch(int file, bool on) {
  if (file >= 0 && static_cast<std::size_t>(file) < kFilesMax) {
    plan().is_watched[static_cast<std::size_t>(file)] = on;
  }
  return file;
}

/// Counts a call. Returns whether the call must fail, and sets errno.
bool fails(Kind kind) {
  Plan& chosen = plan();
  const std::int64_t n = ++chosen.counts[kind];
  if (chosen.call == nullptr || std::strcmp(chosen.call, kNames[kind]) != 0) return false;
  if (chosen.first == 0 || n < chosen.first || (chosen.last != 0 && n > chosen.last)) return false;
  if (chosen.every > 1 && (n - chosen.first) % chosen.every != 0) return false;
  errno = chosen.error;
  return true;
}

std::size_t shortened(std::size_t size) {
  const auto most = static_cast<std::size_t>(plan().short_size);
  return most != 0 && size > most ? most : size;
}

/// Returns the function of this name that the program would call without this library.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

mode_t mode_of(int flags, va_list arguments) {
  const bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has_mode ? va_arg(arguments, mode_t) : 0;
}

int open_next(const char* name, const char* path, int flags, mode_t mode) {
  const bool on = is_watched(path);
  if (on && fails(kOpen)) return -1;
  return watch(next<int(const char*, int, ...)>(name)(path, flags, mode), on);
}

int openat_next(const char* name, int folder, const char* path, int flags, mode_t mode) {
  const bool on = is_watched(path);
  if (on && fails(kOpen)) return -1;
  return watch(next<int(int, const char*, int, ...)>(name)(folder, path, flags, mode), on);
}

ssize_t pread_next(const char* name, int file, void* into, std::size_t size, off_t offset) {
  const bool on = is_watched(file);
  if (on && fails(kRead)) return -1;
  return next<ssize_t(int, void*, std::size_t, off_t)>(name)(file, into,
                                                             on ? shortened(size) : size, offset);
}

ssize_t pwrite_next(const char* name, int file, const void* bytes, std::size_t size, off_t offset) {
  const bool on = is_watched(file);
  if (on && fails(kWrite)) return -1;
  return next<ssize_t(int, const void*, std::size_t, off_t)>(name)(
      file, bytes, on ? shortened(size) : size, offset);
}

std::FILE* fopen_next(const char* name, const char* path, const char* mode) {
  const bool on = is_watched(path);
  if (on && fails(kOpen)) return nullptr;
  std::FILE* const file = next<std::FILE*(const char*, const char*)>(name)(path, mode);
  if (file != nullptr) watch(::fileno(file), on);
  return file;
}

int truncate_next(const char* name, int file, off_t size) {
  if (is_watched(file) && fails(kTruncate)) return -1;
  return next<int(int, off_t)>(name)(file, size);
}

int mkostemp_next(const char* name, char* path, int flags) {
  const bool on = is_watched(path);
  if (on && fails(kOpen)) return -1;
  return watch(next<int(char*, int)>(name)(path, flags), on);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_next("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_next("open64", path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return openat_next("openat", folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return openat_next("openat64", folder, path, flags, mode);
}

std::FILE* fopen(const char* path, const char* mode) { return fopen_next("fopen", path, mode); }

std::FILE* fopen64(const char* path, const char* mode) { return fopen_next("fopen64", path, mode); }

int mkostemp(char* path, int flags) { return mkostemp_next("mkostemp", path, flags); }

int mkostemp64(char* path, int flags) { return mkostemp_next("mkostemp64", path, flags); }

int fstat(int file, struct stat* status) noexcept {
  if (is_watched(file) && fails(kStat)) return -1;
  return next<int(int, struct stat*)>("fstat")(file, status);
}

ssize_t read(int file, void* into, std::size_t size) {
  const bool on = is_watched(file);
  if (on && fails(kRead)) return -1;
  return next<ssize_t(int, void*, std::size_t)>("read")(file, into, on ? shortened(size) : size);
}

ssize_t pread(int file, void* into, std::size_t size, off_t offset) {
  return pread_next("pread", file, into, size, offset);
}

ssize_t pread64(int file, void* into, std::size_t size, off64_t offset) {
  return pread_next("pread64", file, into, size, offset);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  const bool on = is_watched(file);
  if (on && fails(kWrite)) return -1;
  return next<ssize_t(int, const void*, std::size_t)>("write")(file, bytes,
                                                               on ? shortened(size) : size);
}

ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  return pwrite_next("pwrite", file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void* bytes, std::size_t size, off64_t offset) {
  return pwrite_next("pwrite64", file, bytes, size, offset);
}

int fsync(int file) {
  if (is_watched(file) && fails(kSync)) return -1;
  return next<int(int)>("fsync")(file);
}

// A file is closed even if the call reports an error.
int close(int file) {
  const bool on = is_watched(file);
  watch(file, false);
  const int status = next<int(int)>("close")(file);
  return on && fails(kClose) ? -1 : status;
}

int rename(const char* from, const char* to) noexcept {
  if (is_watched(from) && fails(kRename)) return -1;
  return next<int(const char*, const char*)>("rename")(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) noexcept {
  if (is_watched(from) && fails(kRename)) return -1;
  return next<int(int, const char*, int, const char*, unsigned int)>("renameat2")(
      from_folder, from, to_folder, to, flags);
}

int ftruncate(int file, off_t size) noexcept { return truncate_next("ftruncate", file, size); }

int ftruncate64(int file, off64_t size) noexcept {
  return truncate_next("ftruncate64", file, size);
}

}  // extern "C"
