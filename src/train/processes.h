// Several processes, perhaps on several machines, that train one model: mpirun -n 4 build/release/microgpt_mpi train
// ... They run the same code on the same data, in step. A sum over all of them goes along a chain, in the order of
// their numbers: each takes over the sum so far, adds its share, and hands it on. So the terms are added in the order
// in which a single process adds them, and no number of processes changes a bit.
//
// Only `make mpi` compiles this file with MPI. Any other program is one process.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/error.h"

namespace microgpt::processes {

/// Another process did not answer before this one was asked to stop.
struct Lost : Error {
  using Error::Error;
};

/// Joins the other processes that mpirun started, if it did. From then on, only the first prints anything, and only
/// the first is ended by signals. `is_stopping` says whether this process was asked to stop. Throws Error if there are
/// others and MPI does not know them, or this program was compiled without it.
void join(bool (*is_stopping)());

/// Call it when all has gone well, at the end.
void leave();

/// Call it after an error that the first process has, too. The others wait until that has said what is wrong and has
/// ended, because then mpirun ends them.
void end_with_first();

std::size_t number();  // of this process, from 0
std::size_t count();

// All processes must make the same calls in the same order, with as many bytes. These throw Lost.

/// What the process before has handed on. The first one's bytes stay as they are.
void take_over(std::span<std::byte> bytes);

/// Hands the bytes on to the next process. The last one keeps them.
void hand_on(std::span<const std::byte> bytes);

/// What the last process has, for all.
void spread(std::span<std::byte> bytes);

/// The error of the first process that has one, in words, or "". Only for the first call the processes meet; after
/// that, each has its own.
std::string first_error(const std::string& mine);

}  // namespace microgpt::processes
