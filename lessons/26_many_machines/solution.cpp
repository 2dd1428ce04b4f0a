/// The numbers of chunk i, counted round the ring.
std::span<double> chunk(std::span<double> numbers, const Machine& machine, std::size_t i) {
  return share(numbers.size(), i % machine.count, machine.count).of(numbers);
}

/// After the first half of the ring, a machine has the total of the next one's chunk.
std::size_t my_chunk(const Machine& machine) { return machine.number + 1; }

Adam adam_of(const Machine& machine, std::size_t n) {
  return Adam(share(n, my_chunk(machine) % machine.count, machine.count).n);
}

void step(Machine& machine, std::span<double> weights, std::span<double> sum, Adam& adam) {
  const std::size_t N = machine.count, me = machine.number, right = (me + 1) % N, left = (me + N - 1) % N;
  for (std::size_t round = 0; round + 1 < N; round++) {
    machine.send(right, chunk(sum, machine, me + N - round));
    const std::span<double> grows = chunk(sum, machine, me + N - round - 1);
    Numbers other(grows.size());
    machine.receive(left, other);
    for (std::size_t i = 0; i < other.size(); i++) grows[i] += other[i];
  }
  adam.update(chunk(weights, machine, my_chunk(machine)), chunk(sum, machine, my_chunk(machine)));
  for (std::size_t round = 0; round + 1 < N; round++) {
    machine.send(right, chunk(weights, machine, me + 1 + N - round));
    machine.receive(left, chunk(weights, machine, me + N - round));
  }
}
