#include "sheaf/worker.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf {
namespace {

// Reads "RANK=1 WORLD_SIZE=2", where values contain no blanks.
Worker worker_in(const std::string& text) {
  std::map<std::string, std::string> variables;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    variables[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return worker([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

std::string error_in(const std::string& variables) {
  try {
    const Worker found = worker_in(variables);
    return "no error: " + found.source;
  } catch (const ConfigError& error) {
    return error.what();
  }
}

struct KnownCase {
  const char* name;
  const char* variables;
  std::int64_t index;
  std::int64_t count;
  const char* source;  // without the names of variables
};

// Each launcher with its other variables, and each launcher inside another.
const KnownCase kKnown[] = {
    {"nothing is set", "HOME=/root", 0, 1, "no launcher"},
    {"MPI_Init of OpenMPI without mpirun", "OMPI_MCA_ess=singleton PMIX_RANK=0", 0, 1,
     "no launcher"},
    {"torchrun", "RANK=2 WORLD_SIZE=3 LOCAL_RANK=2 GROUP_RANK=0 TORCHELASTIC_RUN_ID=none", 2, 3,
     "torchrun"},
    {"Ray Train and Accelerate set the variables of torchrun", "RANK=1 WORLD_SIZE=4 LOCAL_RANK=0",
     1, 4, "a launcher like torchrun"},
    {"Horovod", "HOROVOD_RANK=3 HOROVOD_SIZE=8 HOROVOD_LOCAL_RANK=1", 3, 8, "Horovod"},
    {"OpenMPI", "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1", 1, 4, "OpenMPI"},
    {"Hydra, also Intel MPI", "PMI_RANK=5 PMI_SIZE=6 MPI_LOCALRANKID=1", 5, 6,
     "MPICH or Intel MPI"},
    {"MVAPICH2", "MV2_COMM_WORLD_RANK=0 MV2_COMM_WORLD_SIZE=2", 0, 2, "MVAPICH2"},
    {"MVAPICH2 under Hydra", "MV2_COMM_WORLD_RANK=1 MV2_COMM_WORLD_SIZE=2 PMI_RANK=1 PMI_SIZE=2", 1,
     2, "MPICH or Intel MPI"},
    {"Flux, which has a PMI", "FLUX_TASK_RANK=7 FLUX_JOB_SIZE=9 PMI_RANK=7 PMI_SIZE=9", 7, 9,
     "Flux"},
    {"PALS has the count of PMI", "PALS_RANKID=3 PALS_LOCAL_RANKID=1 PMI_RANK=3 PMI_SIZE=4", 3, 4,
     "PALS"},
    {"PALS without PMI_RANK", "PALS_RANKID=3 PMI_SIZE=4", 3, 4, "PALS"},
    {"jsrun, which has an OpenMPI",
     "JSM_NAMESPACE_RANK=2 JSM_NAMESPACE_SIZE=6 OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=6", 2,
     6, "jsrun"},
    {"srun", "SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=8", 3, 4, "Slurm"},
    {"srun of an old Slurm", "SLURM_STEP_ID=12 SLURM_PROCID=3 SLURM_NTASKS=8", 3, 8, "Slurm"},
    {"srun with a PMI of MPICH",
     "SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 PMI_RANK=1 PMI_SIZE=2", 1, 2,
     "MPICH or Intel MPI"},
    {"a batch script has no step", "SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=1", 0, 1,
     "no launcher"},
    {"the step of a batch script", "SLURM_STEP_ID=4294967291 SLURM_PROCID=0 SLURM_NTASKS=4", 0, 1,
     "no launcher"},
    {"the step of salloc's shell",
     "SLURM_STEP_ID=4294967290 SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_PTY_PORT=40000", 0, 1,
     "no launcher"},
    {"a step with a name", "SLURM_STEP_ID=batch SLURM_PROCID=0 SLURM_NTASKS=4", 0, 1,
     "no launcher"},
    {"a shell of one task",
     "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 SLURM_PTY_PORT=40000", 0, 1, "Slurm"},
    {"torchrun in a step of Slurm",
     "SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 RANK=9 WORLD_SIZE=16 LOCAL_RANK=1 "
     "TORCHELASTIC_RUN_ID=7",
     9, 16, "torchrun"},
    {"mpirun in a batch job: every process has the SLURM_PROCID of its daemon",
     "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=2 OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8",
     5, 8, "OpenMPI"},
    {"a torchrun on each node, by mpirun",
     "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 GROUP_RANK=1",
     5, 8, "torchrun"},
    {"torchrun in a shell of several tasks",
     "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_PTY_PORT=40000 RANK=1 WORLD_SIZE=2 "
     "LOCAL_RANK=1",
     1, 2, "a launcher like torchrun"},
    {"a script that copies Slurm's variables",
     "SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=4 RANK=1 WORLD_SIZE=4", 1, 4, "Slurm"},
    {"a script that copies the count alone",
     "SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=4 WORLD_SIZE=4", 1, 4, "Slurm"},
    {"a script in a step of one task starts processes",
     "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 RANK=1 WORLD_SIZE=4", 1, 4,
     "an unknown launcher"},
    {"Kubeflow counts nodes", "RANK=1 WORLD_SIZE=2", 1, 2, "an unknown launcher"},
    {"one process", "WORLD_SIZE=1", 0, 1, "no launcher"},
    {"one process of Lightning", "WORLD_SIZE=1 LOCAL_RANK=0", 0, 1, "no launcher"},
    {"SageMaker", R"(SM_CURRENT_HOST=algo-2 SM_HOSTS=["algo-1","algo-2"])", 1, 2, "SageMaker"},
    {"torchrun in SageMaker",
     R"(SM_CURRENT_HOST=b SM_HOSTS=["a","b"] RANK=9 WORLD_SIZE=16 LOCAL_RANK=1 GROUP_RANK=1)", 9,
     16, "torchrun"},
};

TEST(Worker, FollowsTheInnermostLauncher) {
  for (const KnownCase& each : kKnown) {
    SCOPED_TRACE(each.name);
    const Worker found = worker_in(each.variables);
    EXPECT_EQ(found.index, each.index);
    EXPECT_EQ(found.count, each.count);
    EXPECT_EQ(found.source.substr(0, found.source.find(" (")), each.source);
  }
}

TEST(Worker, TheSourceNamesTheVariables) {
  EXPECT_EQ(worker_in("RANK=1 WORLD_SIZE=4 LOCAL_RANK=1").source,
            "a launcher like torchrun (RANK=1, WORLD_SIZE=4, LOCAL_RANK=1)");
  EXPECT_EQ(worker_in("PALS_RANKID=3 PMI_SIZE=4").source, "PALS (PALS_RANKID=3, PMI_SIZE=4)");
  EXPECT_EQ(worker_in("SLURM_STEP_ID=7 SLURM_PROCID=1 SLURM_NTASKS=2").source,
            "Slurm (SLURM_PROCID=1, SLURM_NTASKS=2, SLURM_STEP_ID=7)");
  EXPECT_EQ(worker_in(R"(SM_CURRENT_HOST=a SM_HOSTS=["a"])").source,
            R"(SageMaker (SM_CURRENT_HOST=a, SM_HOSTS=["a"]))");
}

TEST(Worker, WarnsAboutVariablesThatMayCountNodes) {
  EXPECT_EQ(worker_in("RANK=1 WORLD_SIZE=2").warning,
            "RANK=1, WORLD_SIZE=2 come without LOCAL_RANK, and may count nodes in place of "
            "processes: where a node runs several processes, start them with torchrun, or give the "
            "index and the count of the worker yourself");
  const std::string hosts = R"(SM_CURRENT_HOST=a SM_HOSTS=["a","b"])";
  EXPECT_EQ(worker_in(hosts).warning, "");
  EXPECT_EQ(worker_in(hosts + " SM_NUM_GPUS=1").warning, "");
  EXPECT_EQ(
      worker_in(hosts + " SM_NUM_GPUS=8").warning,
      R"(SM_HOSTS=["a","b"] counts hosts, each with SM_NUM_GPUS=8: where a host runs several )"
      "processes, start them with torchrun or mpirun, or give the index and the count of the "
      "worker yourself");
  for (const KnownCase& each : kKnown) {
    const Worker found = worker_in(each.variables);
    EXPECT_EQ(found.warning.empty(), !found.source.starts_with("an unknown")) << each.name;
  }
}

struct RefusedCase {
  const char* name;
  const char* variables;
  const char* error;  // the beginning of the message
};

const RefusedCase kRefused[] = {
    {"no number", "RANK=one WORLD_SIZE=2",
     R"(the environment variable RANK must be a whole number: got "one")"},
    {"nothing", "PMI_RANK= PMI_SIZE=2",
     R"(the environment variable PMI_RANK must be a whole number: got "")"},
    {"a sign", "RANK=-0 WORLD_SIZE=2",
     R"(the environment variable RANK must be a whole number: got "-0")"},
    {"a plus", "RANK=+1 WORLD_SIZE=2",
     R"(the environment variable RANK must be a whole number: got "+1")"},
    {"more than 64 bits", "HOROVOD_RANK=0 HOROVOD_SIZE=9223372036854775808",
     "the environment variable HOROVOD_SIZE must be a whole number: got"},
    {"a count of 0", "FLUX_TASK_RANK=0 FLUX_JOB_SIZE=0",
     "the environment variable FLUX_JOB_SIZE must be at least 1: got 0"},
    {"an index that is too large", "OMPI_COMM_WORLD_RANK=4 OMPI_COMM_WORLD_SIZE=4",
     "the environment variable OMPI_COMM_WORLD_RANK must be below OMPI_COMM_WORLD_SIZE: got "
     "OMPI_COMM_WORLD_RANK=4, OMPI_COMM_WORLD_SIZE=4"},
    {"an index alone", "RANK=0",
     "RANK is 0, but WORLD_SIZE is not set, so the share of this process is unknown: give the "
     "index "
     "and the count of the worker yourself"},
    {"a count alone", "WORLD_SIZE=2", "WORLD_SIZE is 2, but RANK is not set"},
    {"a count alone, as Lightning sets", "WORLD_SIZE=2 LOCAL_RANK=1",
     "WORLD_SIZE is 2, but RANK is not set"},
    {"PALS without a count", "PALS_RANKID=0", "PALS_RANKID is 0, but PMI_SIZE is not set"},
    {"a step without an index", "SLURM_STEP_ID=0 SLURM_NTASKS=4",
     "SLURM_NTASKS is 4, but SLURM_PROCID is not set"},
    {"a step without a count", "SLURM_STEP_ID=0 SLURM_PROCID=1",
     "SLURM_PROCID is 1, but SLURM_STEP_NUM_TASKS is not set"},
    {"PMIx has no count", "PMIX_RANK=0", "PMIX_RANK is 0, but no variable has the count"},
    {"PMIx has no count under OpenMPI", "PMIX_RANK=0 OMPI_MCA_ess=pmi",
     "PMIX_RANK is 0, but no variable has the count"},
    {"a shell of several tasks",
     "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=4 SLURM_PTY_PORT=40000",
     "this is an interactive shell of 4 Slurm tasks (SLURM_PROCID=0, SLURM_STEP_NUM_TASKS=4, "
     "SLURM_STEP_ID=0, SLURM_PTY_PORT=40000), so the share of this process is unknown: start the "
     "program with env -u SLURM_PTY_PORT srun, or give the index and the count of the worker "
     "yourself"},
    {"two indices", "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMI_RANK=0 PMI_SIZE=4",
     "environment variables disagree about this worker: OpenMPI (OMPI_COMM_WORLD_RANK=1, "
     "OMPI_COMM_WORLD_SIZE=4); MPICH or Intel MPI (PMI_RANK=0, PMI_SIZE=4). Unset the variables of "
     "the launcher that did not start this process, or give the index and the count of the worker "
     "yourself"},
    {"two counts", "RANK=0 WORLD_SIZE=4 LOCAL_RANK=0 HOROVOD_RANK=0 HOROVOD_SIZE=2",
     "environment variables disagree about this worker: torchrun (RANK=0, WORLD_SIZE=4, "
     "LOCAL_RANK=0); Horovod (HOROVOD_RANK=0, HOROVOD_SIZE=2). Unset"},
    {"half of another launcher", "FLUX_TASK_RANK=1 FLUX_JOB_SIZE=4 PMI_RANK=2",
     "environment variables disagree about this worker: Flux (FLUX_TASK_RANK=1, FLUX_JOB_SIZE=4); "
     "MPICH or Intel MPI (PMI_RANK=2). Unset"},
    {"RANK without LOCAL_RANK beside MPI",
     "RANK=0 WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8",
     "environment variables disagree about this worker: OpenMPI (OMPI_COMM_WORLD_RANK=3, "
     "OMPI_COMM_WORLD_SIZE=8); an unknown launcher (RANK=0, WORLD_SIZE=2). Unset"},
    {"RANK without LOCAL_RANK beside Slurm",
     "RANK=0 WORLD_SIZE=2 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2",
     "environment variables disagree about this worker: Slurm (SLURM_PROCID=1, SLURM_NTASKS=2, "
     "SLURM_STEP_ID=0); an unknown launcher (RANK=0, WORLD_SIZE=2). Unset"},
    {"hosts that are no JSON", "SM_CURRENT_HOST=a SM_HOSTS=a,b", "SM_HOSTS:"},
    {"hosts that are no list", R"(SM_CURRENT_HOST=a SM_HOSTS="a")",
     R"(SM_HOSTS must be a list with SM_CURRENT_HOST in it: got SM_CURRENT_HOST=a, SM_HOSTS="a")"},
    {"a host that is not in the list", R"(SM_CURRENT_HOST=c SM_HOSTS=["a","b"])",
     "SM_HOSTS must be a list with SM_CURRENT_HOST in it: got SM_CURRENT_HOST=c"},
};

TEST(Worker, RefusesInvalidVariables) {
  for (const RefusedCase& each : kRefused) {
    SCOPED_TRACE(each.name);
    const std::string error = error_in(each.variables);
    EXPECT_EQ(error.substr(0, std::string(each.error).size()), each.error) << error;
  }
}

TEST(Worker, EveryLauncherAloneDeterminesTheWorker) {
  const char* const pairs[][2] = {
      {"HOROVOD_RANK", "HOROVOD_SIZE"},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
      {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
      {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
      {"RANK", "WORLD_SIZE"},
  };
  for (const auto& [index, count] : pairs) {
    SCOPED_TRACE(index);
    const std::string own_index = formatted("{}=6", index);
    const std::string own_count = formatted("{}=7", count);
    const Worker found = worker_in(own_index + " " + own_count);
    EXPECT_EQ(found.index, 6);
    EXPECT_EQ(found.count, 7);
    EXPECT_NE(found.source.find(own_index + ", " + own_count), std::string::npos);
    EXPECT_TRUE(error_in(own_index).starts_with(formatted("{} is 6, but {} is not", index, count)));
    EXPECT_TRUE(error_in(own_count).starts_with(formatted("{} is 7, but {} is not", count, index)));
  }
}

TEST(Worker, ReadsTheEnvironmentOfTheProcess) {
  ASSERT_EQ(setenv("HOROVOD_RANK", "2", 1), 0);
  ASSERT_EQ(setenv("HOROVOD_SIZE", "5", 1), 0);
  const Worker found = worker();
  unsetenv("HOROVOD_RANK");
  unsetenv("HOROVOD_SIZE");
  EXPECT_EQ(found.index, 2);
  EXPECT_EQ(found.count, 5);
}

}  // namespace
}  // namespace sheaf
