#include "train/processes.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#ifdef MICROGPT_MPI
#define OMPI_SKIP_MPICXX  // C++ bindings that nobody uses any more
#define MPICH_SKIP_MPICXX
#include <mpi.h>
#include <sched.h>

#include <chrono>
#include <optional>
#endif

namespace microgpt::processes {
namespace {

struct World {
  std::size_t number = 0;
  std::size_t count = 1;
  bool (*is_stopping)() = nullptr;
};
World world;

/// The largest number in these variables, in which launchers tell each process what it is.
std::size_t told(std::initializer_list<const char*> variables) {
  unsigned long most = 0;
  for (const char* const name : variables) {
    if (const char* const value = std::getenv(name)) most = std::max(most, std::strtoul(value, nullptr, 10));
  }
  return most;
}

/// Only the first process prints, and is ended by signals. When it has ended, mpirun ends the others; where nobody
/// does, they end ten seconds after the first signal.
void be_quiet() {
  for (std::FILE* const stream : {stdout, stderr}) {
    if (std::freopen("/dev/null", "w", stream) == nullptr) std::abort();
  }
  auto end_soon = [](int) {
    if (const unsigned left = ::alarm(10); left > 0) ::alarm(left);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, end_soon);
}

#ifdef MICROGPT_MPI

void start() {
  int threads = 0;  // what MPI promises to programs with threads: that one of them may call it
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
  int number = 0, count = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  const std::size_t launched = told({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"});
  if (count == 1 && launched > 1) {
    MPI_Finalize();
    throw Error(std::to_string(launched) +
                " processes were started, but MPI joins only this one: it does not know what started them; use the "
                "mpirun of the MPI of `make mpi`, or srun with PMIx");
  }
  world.number = static_cast<std::size_t>(number);
  world.count = static_cast<std::size_t>(count);
  if (number > 0) be_quiet();
}
void end() { MPI_Finalize(); }

/// A process that waits lets others on its machine work. Once it is asked to stop, it waits a little longer: if all
/// others are alive, the step will be done. Not much longer: Open MPI 5 kills it a quarter of a second after it asked.
void wait_for(MPI_Request request) {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> until;
  while (true) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (!until && world.is_stopping()) until = Clock::now() + std::chrono::milliseconds(100);
    if (until && Clock::now() > *until) throw Lost("another process does not answer");
    sched_yield();
  }
}

void receive(std::span<std::byte> bytes, std::size_t from) {
  MPI_Request request;
  MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(from), 0, MPI_COMM_WORLD,
            &request);
  wait_for(request);
}

void send(std::span<const std::byte> bytes, std::size_t to) {
  MPI_Request request;
  MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(to), 0, MPI_COMM_WORLD, &request);
  wait_for(request);
}

void broadcast(std::span<std::byte> bytes, std::size_t from) {
  MPI_Request request;
  MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(from), MPI_COMM_WORLD, &request);
  wait_for(request);
}

#else

void start() {
  const std::size_t launched = told({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  if (launched <= 1) return;
  world.number = told({"OMPI_COMM_WORLD_RANK", "PMI_RANK"});
  if (world.number > 0) be_quiet();
  const std::string count = std::to_string(launched);
  throw Error("this program was compiled without MPI, so the " + count +
              " processes cannot work together; run `make mpi`, then mpirun -n " + count +
              " build/release/microgpt_mpi");
}
void end() {}
void receive(std::span<std::byte>, std::size_t) {}
void send(std::span<const std::byte>, std::size_t) {}
void broadcast(std::span<std::byte>, std::size_t) {}

#endif

}  // namespace

void join(bool (*is_stopping)()) {
  world.is_stopping = is_stopping;
  start();
}

void leave() { end(); }

void end_with_first() {
  if (world.number > 0) ::sleep(10);
}

std::size_t number() { return world.number; }
std::size_t count() { return world.count; }

void take_over(std::span<std::byte> bytes) {
  if (world.number > 0) receive(bytes, world.number - 1);
}

void hand_on(std::span<const std::byte> bytes) {
  if (world.number + 1 < world.count) send(bytes, world.number + 1);
}

void spread(std::span<std::byte> bytes) {
  if (world.count > 1) broadcast(bytes, world.count - 1);
}

std::string first_error(const std::string& mine) {
  static bool have_met = false;
  if (world.count == 1 || have_met) return mine;
  have_met = true;
  std::array<char, 1000> text{};
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(text));
  take_over(bytes);
  if (text[0] == '\0') {
    const std::string who = "process " + std::to_string(world.number) + " of " + std::to_string(world.count) + ": ";
    const std::string said = mine.empty() || world.number == 0 ? mine : who + mine;
    std::copy_n(said.begin(), std::min(said.size(), text.size() - 1), text.begin());
  }
  hand_on(bytes);
  spread(bytes);
  return text.data();
}

}  // namespace microgpt::processes
