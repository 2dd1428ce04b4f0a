// Hint 1: The ring of main.cpp has two halves. After the first, each machine has the total of one chunk, and only that
// chunk's weights are moved by its Adam. Nobody needs the other totals.
//
// Hint 2: The total that machine i has is that of chunk i + 1 (of chunk 0, if i is the last). Behind the first half,
// give that chunk of `weights` and of `sum` to adam.update(). The second half stays as it is, but sends chunks of
// `weights`.

void step(Machine& machine, std::span<double> weights, std::span<double> sum, Adam& adam) {
  const std::size_t N = machine.count, me = machine.number, right = (me + 1) % N, left = (me + N - 1) % N;
  auto chunk = [&](std::span<double> numbers, std::size_t i) { return share(numbers.size(), i % N, N).of(numbers); };
  for (std::size_t round = 0; round + 1 < N; round++) {
    machine.send(right, chunk(sum, me + N - round));
    const std::span<double> grows = chunk(sum, me + N - round - 1);
    Numbers other(grows.size());
    machine.receive(left, other);
    for (std::size_t i = 0; i < other.size(); i++) grows[i] += other[i];
  }
  adam.update(chunk(weights, me + 1), chunk(sum, me + 1));
  for (std::size_t round = 0; round + 1 < N; round++) {
    machine.send(right, chunk(weights, me + 1 + N - round));
    machine.receive(left, chunk(weights, me + N - round));
  }
}
