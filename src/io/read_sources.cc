#include "io/read_sources.h"

#include <cstddef>
#include <memory>

#include "sheaf/error.h"
#include "sheaf/extend/interruption.h"

namespace sheaf::internal {

std::vector<std::exception_ptr> try_read_sources(std::span<const SourceRequests> sources) {
  std::vector<std::exception_ptr> errors(sources.size());
  std::vector<std::unique_ptr<ByteSource::Pending>> pending(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    check_interruption();
    try {
      pending[i] = sources[i].source->begin_read(sources[i].requests);
    } catch (const Error&) {
      errors[i] = std::current_exception();
    }
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (errors[i] != nullptr) continue;
    check_interruption();
    try {
      if (pending[i] == nullptr) {
        sources[i].source->read_many(sources[i].requests);
      } else {
        pending[i]->wait();
        pending[i] = nullptr;
      }
    } catch (const Error&) {
      errors[i] = std::current_exception();
    }
  }
  return errors;
}

void read_sources(std::span<const SourceRequests> sources) {
  for (const std::exception_ptr& error : try_read_sources(sources)) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

}  // namespace sheaf::internal
