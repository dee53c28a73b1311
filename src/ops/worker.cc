// A launcher starts processes and tells each process its index and the process count in environment
// variables.
//
// Processes inherit variables. Under sbatch and mpirun, every process sees the SLURM_PROCID of the
// daemon that started it. Therefore the variables of an outer launcher do not count if an inner
// launcher describes the process. Nothing tells which of two launchers of one level started the
// other, so these launchers must agree.

#include "sheaf/worker.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"

#include "base/text.h"
#include "core/json_text.h"

namespace sheaf {
namespace {

/// Levels from the innermost to the outermost.
enum class Level { framework, process_manager };

struct Launcher {
  const char* name;
  Level level;
  const char* index;
  const char* count;
  const char* mark;  // if set, the launcher counts only with this variable
};

// Flux, PALS and jsrun also set the variables of an MPI. They come first, so that messages name
// them.
constexpr Launcher kLaunchers[] = {
    {"torchrun", Level::framework, "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"Horovod", Level::framework, "HOROVOD_RANK", "HOROVOD_SIZE", nullptr},
    {"Flux", Level::process_manager, "FLUX_TASK_RANK", "FLUX_JOB_SIZE", nullptr},
    {"PALS", Level::process_manager, "PALS_RANKID", "PMI_SIZE", "PALS_RANKID"},
    {"jsrun", Level::process_manager, "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", nullptr},
    {"OpenMPI", Level::process_manager, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr},
    {"MPICH or Intel MPI", Level::process_manager, "PMI_RANK", "PMI_SIZE", nullptr},
    {"MVAPICH2", Level::process_manager, "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", nullptr},
};

// Without LOCAL_RANK, it is unclear who set RANK and WORLD_SIZE, and whether they count nodes or
// processes.
constexpr Launcher kUnknown = {"an unknown launcher", Level::framework, "RANK", "WORLD_SIZE",
                               nullptr};

// Larger step ids stand for batch scripts, interactive shells and other steps without tasks.
constexpr std::int64_t kSlurmStepMax = 0xfffffff0;

constexpr const char* kAdvice = "give the index and the count of the worker yourself";

/// The variables of one launcher.
struct Finding {
  std::string launcher;
  Launcher names;
  std::optional<std::int64_t> index;
  std::optional<std::int64_t> count;
  std::string variables;  // "RANK=1, WORLD_SIZE=4"

  [[nodiscard]] bool is_whole() const { return index && count; }
  [[nodiscard]] std::string text() const { return launcher + " (" + variables + ")"; }
};

std::optional<std::int64_t> parsed_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < 0 || text.front() == '-') return std::nullopt;
  return number;
}

std::optional<std::int64_t> variable_number(const EnvironmentLookup& environment,
                                            const char* name) {
  const std::optional<std::string> text = environment(name);
  if (!text) return std::nullopt;
  const std::optional<std::int64_t> number = parsed_number(*text);
  if (!number) {
    throw ConfigError(
        formatted("the environment variable {} must be a whole number: got \"{}\"", name, *text));
  }
  return number;
}

void append_variable(std::string& out, const EnvironmentLookup& environment, const char* name) {
  const std::optional<std::string> value = environment(name);
  if (!value) return;
  if (!out.empty()) out += ", ";
  out += name;
  out += '=';
  out += *value;
}

// Throws: ConfigError if the numbers do not describe a worker.
std::optional<Finding> find_launcher(const EnvironmentLookup& environment, const Launcher& names) {
  if (names.mark != nullptr && !environment(names.mark)) return std::nullopt;
  Finding found{.launcher = names.name,
                .names = names,
                .index = variable_number(environment, names.index),
                .count = variable_number(environment, names.count),
                .variables = {}};
  if (!found.index && !found.count) return std::nullopt;
  append_variable(found.variables, environment, names.index);
  append_variable(found.variables, environment, names.count);
  if (names.mark != nullptr && std::string_view(names.mark) != names.index) {
    append_variable(found.variables, environment, names.mark);
  }
  if (found.count && *found.count < 1) {
    throw ConfigError(formatted("the environment variable {} must be at least 1: got {}",
                                names.count, *found.count));
  }
  if (found.is_whole() && *found.index >= *found.count) {
    throw ConfigError(formatted("the environment variable {} must be below {}: got {}", names.index,
                                names.count, found.variables));
  }
  return found;
}

bool are_unequal(const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
  return a && b && *a != *b;
}

// Throws: ConfigError if two launchers contradict each other.
void check_agreement(const std::vector<Finding>& findings) {
  const auto disagree = [](const Finding& a, const Finding& b) {
    return are_unequal(a.index, b.index) || are_unequal(a.count, b.count);
  };
  const bool is_clear = std::ranges::none_of(findings, [&](const Finding& a) {
    return std::ranges::any_of(findings, [&](const Finding& b) { return disagree(a, b); });
  });
  if (is_clear) return;
  std::string all;
  for (const Finding& found : findings) all += (all.empty() ? "" : "; ") + found.text();
  throw ConfigError(
      formatted("environment variables disagree about this worker: {}. Unset the variables of the "
                "launcher that did not start this process, or {}",
                all, kAdvice));
}

// Throws: ConfigError if only the index or only the count is set. A count of 1 needs no index.
void check_whole(const Finding& found) {
  if (found.is_whole() || (!found.index && *found.count == 1)) return;
  const bool has_index = found.index.has_value();
  throw ConfigError(formatted(
      "{} is {}, but {} is not set, so the share of this process is unknown: {}",
      has_index ? found.names.index : found.names.count, has_index ? *found.index : *found.count,
      has_index ? found.names.count : found.names.index, kAdvice));
}

// Returns the finding of the first launcher of a level that sets both numbers. Returns nothing
// without such a launcher.
//
// Throws: ConfigError if launchers disagree, or if none sets both numbers and one sets only half of
//         what a worker needs.
std::optional<Finding> find_level(const EnvironmentLookup& environment, Level level) {
  std::vector<Finding> findings;
  for (const Launcher& names : kLaunchers) {
    if (names.level != level) continue;
    if (std::optional<Finding> found = find_launcher(environment, names)) {
      findings.push_back(*std::move(found));
    }
  }
  check_agreement(findings);
  const auto whole = std::ranges::find_if(findings, &Finding::is_whole);
  if (whole != findings.end()) return *whole;
  for (const Finding& found : findings) check_whole(found);
  return std::nullopt;
}

// Ray Train, Accelerate and DeepSpeed also set the variables of torchrun. Only torchrun sets the
// two variables below.
std::optional<Finding> find_framework(const EnvironmentLookup& environment) {
  std::optional<Finding> found = find_level(environment, Level::framework);
  if (found && found->names.mark != nullptr && !environment("TORCHELASTIC_RUN_ID") &&
      !environment("GROUP_RANK")) {
    found->launcher = "a launcher like torchrun";
  }
  return found;
}

// Outside a step, SLURM_PROCID is 0 in every process of a job.
std::optional<Finding> find_step(const EnvironmentLookup& environment) {
  const std::optional<std::string> step = environment("SLURM_STEP_ID");
  if (!step || parsed_number(*step).value_or(kSlurmStepMax + 1) > kSlurmStepMax) {
    return std::nullopt;
  }
  const bool has_step_count = environment("SLURM_STEP_NUM_TASKS") || !environment("SLURM_NTASKS");
  return find_launcher(environment,
                       {.name = "Slurm",
                        .level = Level::process_manager,
                        .index = "SLURM_PROCID",
                        .count = has_step_count ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS",
                        .mark = "SLURM_STEP_ID"});
}

// Throws: ConfigError if only one of the two numbers is set. Also in a shell that srun --pty
//         started for several tasks, because programs in that shell are not tasks.
std::optional<Finding> find_slurm(const EnvironmentLookup& environment) {
  std::optional<Finding> found = find_step(environment);
  if (!found) return std::nullopt;
  check_whole(*found);
  if (!found->is_whole()) return std::nullopt;
  if (*found->count == 1 || !environment("SLURM_PTY_PORT")) return found;
  std::string variables = found->variables;
  append_variable(variables, environment, "SLURM_PTY_PORT");
  throw ConfigError(
      formatted("this is an interactive shell of {} Slurm tasks ({}), so the share of this process "
                "is unknown: start the program with env -u SLURM_PTY_PORT srun, or {}",
                *found->count, variables, kAdvice));
}

// Throws: ConfigError if SM_HOSTS is not a list that contains SM_CURRENT_HOST.
std::optional<Worker> find_sagemaker(const EnvironmentLookup& environment) {
  const std::optional<std::string> host = environment("SM_CURRENT_HOST");
  const std::optional<std::string> hosts = environment("SM_HOSTS");
  if (!host || !hosts) return std::nullopt;
  const nlohmann::ordered_json list = internal::parse_json(*hosts, "SM_HOSTS");
  const auto found = std::ranges::find(list, nlohmann::ordered_json(*host));
  const std::string variables = formatted("SM_CURRENT_HOST={}, SM_HOSTS={}", *host, *hosts);
  if (!list.is_array() || found == list.end()) {
    throw ConfigError(
        formatted("SM_HOSTS must be a list with SM_CURRENT_HOST in it: got {}", variables));
  }
  Worker worker{.index = std::distance(list.begin(), found),
                .count = static_cast<std::int64_t>(list.size()),
                .source = formatted("SageMaker ({})", variables)};
  const std::string gpus = environment("SM_NUM_GPUS").value_or("0");
  if (parsed_number(gpus).value_or(0) > 1) {
    worker.warning = formatted(
        "SM_HOSTS={} counts hosts, each with SM_NUM_GPUS={}: where a host runs several processes, "
        "start them with torchrun or mpirun, or {}",
        *hosts, gpus, kAdvice);
  }
  return worker;
}

Worker worker_of(const Finding& found) {
  return {.index = *found.index, .count = *found.count, .source = found.text()};
}

Worker worker_of_unknown(const Finding& found) {
  Worker worker = worker_of(found);
  worker.warning = formatted(
      "{} come without LOCAL_RANK, and may count nodes in place of processes: where a node runs "
      "several processes, start them with torchrun, or {}",
      found.variables, kAdvice);
  return worker;
}

}  // namespace

Worker worker(const EnvironmentLookup& environment) {
  std::optional<Finding> found = find_framework(environment);
  if (!found) found = find_level(environment, Level::process_manager);
  const bool is_torchrun = environment(kLaunchers[0].mark).has_value();
  const std::optional<Finding> unknown =
      is_torchrun ? std::nullopt : find_launcher(environment, kUnknown);
  if (!found) {
    found = find_slurm(environment);
    // A script in a step with one task may start processes of its own.
    if (found && *found->count == 1 && unknown && unknown->is_whole()) found.reset();
  }
  if (found && unknown) check_agreement({*found, *unknown});
  if (found) return worker_of(*found);
  if (unknown) check_whole(*unknown);
  if (unknown && unknown->is_whole()) return worker_of_unknown(*unknown);
  // MPI_Init of OpenMPI sets PMIX_RANK even in a process without a launcher.
  const bool is_alone = environment("OMPI_MCA_ess") == "singleton";
  if (const std::optional<std::string> index = environment("PMIX_RANK"); index && !is_alone) {
    throw ConfigError(
        formatted("PMIX_RANK is {}, but no variable has the count of workers, so the share of "
                  "this process is unknown: {}",
                  *index, kAdvice));
  }
  return find_sagemaker(environment).value_or(Worker{});
}

Worker worker() {
  return worker([](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

}  // namespace sheaf
