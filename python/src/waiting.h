/// \file
/// Work on other threads, waited for so that Ctrl-C is heard.

#pragma once

#include <functional>

#include "sheaf/executor.h"

namespace sheaf::python {

/// Run `task` once on each of `count` threads of `executor`, and wait for all of them. While it
/// waits, signals of Python are seen to; when one raises an exception, or a task does, `stop` is
/// called once with the exception, and makes the tasks return soon.
///
/// Pre:    called without the GIL; the tasks do not take it.
/// Throws: the first exception.
void run_tasks(Executor& executor, int count, const std::function<void()>& task,
               const std::function<void(std::exception_ptr)>& stop);

}  // namespace sheaf::python
