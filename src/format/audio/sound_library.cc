// Building sheaf needs no header of libsndfile, and running it needs no libsndfile. A program that
// reads no such recording never looks for the library.

#include "format/audio/sound_library.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <dlfcn.h>
#include <pthread.h>

#include "sheaf/extend/sound_library.h"

#include "base/text.h"

namespace sheaf {
namespace internal {
namespace {

#ifdef __APPLE__
constexpr const char* kSystemName = "libsndfile.1.dylib";
#else
constexpr const char* kSystemName = "libsndfile.so.1";
#endif

/// SF_FORMAT_INFO of sndfile.h.
struct SndfileFormat {
  int format = 0;
  const char* name = nullptr;
  const char* extension = nullptr;
};

/// The path that was set, and the loaded libraries by path.
struct Libraries {
  std::mutex lock{};
  std::string path{};
  std::map<std::string, std::unique_ptr<SoundLibrary>> loaded{};
};

Libraries& libraries();

// Threads that open recordings hold the other lock during a read. They do not exist in a forked
// process, which therefore gets new locks.
void start_anew_in_child() {
  Libraries& all = libraries();
  for (const auto& [path, library] : all.loaded) std::construct_at(&library->opening);
  all.lock.unlock();
}

// Never destroyed, because threads may decode until the process ends.
Libraries& libraries() {
  static auto* const all = [] {
    static_cast<void>(pthread_atfork([] { libraries().lock.lock(); },
                                     [] { libraries().lock.unlock(); }, start_anew_in_child));
    return new Libraries;
  }();
  return *all;
}

template <typename Function>
bool find(void* library, const char* name, Function*& function, std::string& why) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) why = formatted("there is no {} in the library", name);
  return function != nullptr;
}

std::unique_ptr<SoundLibrary> load(const char* name, std::string& why) {
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const text = dlerror();
    why = text == nullptr ? formatted("{}: cannot be loaded", name) : text;
    return nullptr;
  }
  auto found = std::make_unique<SoundLibrary>();
  const bool has_all = find(library, "sf_open_virtual", found->open, why) &&
                       find(library, "sf_close", found->close, why) &&
                       find(library, "sf_seek", found->seek, why) &&
                       find(library, "sf_readf_float", found->read, why) &&
                       find(library, "sf_error", found->error, why) &&
                       find(library, "sf_strerror", found->error_text, why) &&
                       find(library, "sf_command", found->command, why) &&
                       find(library, "sf_version_string", found->version, why);
  if (!has_all) {
    why = formatted("{}: {}", name, why);
    dlclose(library);
    return nullptr;
  }
  return found;
}

}  // namespace

bool SoundLibrary::reads(int type) const {
  int count = 0;
  command(nullptr, kSndfileMajorCount, &count, sizeof count);
  for (int i = 0; i < count; ++i) {
    SndfileFormat format{.format = i};
    command(nullptr, kSndfileMajor, &format, sizeof format);
    if ((format.format & kSndfileTypeMask) == type) return true;
  }
  return false;
}

const SoundLibrary* find_sound_library(std::string& why) {
  Libraries& all = libraries();
  const std::lock_guard guard(all.lock);
  const auto known = all.loaded.find(all.path);
  if (known != all.loaded.end()) return known->second.get();
  std::unique_ptr<SoundLibrary> found =
      load(all.path.empty() ? kSystemName : all.path.c_str(), why);
  if (found == nullptr) return nullptr;
  return all.loaded.emplace(all.path, std::move(found)).first->second.get();
}

}  // namespace internal

void set_sound_library(std::string path) {
  internal::Libraries& all = internal::libraries();
  const std::lock_guard guard(all.lock);
  all.path = std::move(path);
}

std::string sound_library() {
  internal::Libraries& all = internal::libraries();
  const std::lock_guard guard(all.lock);
  return all.path;
}

}  // namespace sheaf
