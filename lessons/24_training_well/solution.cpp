// Hint 1: For train_until_worse(), remember the lowest loss so far, and how many answers ago it came. With a new lowest
// loss, that number begins again at 0. What has to be kept, and when? choose() needs no loss but those returned.
//
// Hint 2: keep() with every new lowest loss; back_to_kept() once, behind the loop. The lowest begins at infinity. In
// choose(), only one held-out loss is asked for: behind the loop, when nothing is left to be chosen.

double train_until_worse(Training& training, int patience) {
  double lowest = std::numeric_limits<double>::infinity();
  int worse = 0;  // answers since the lowest
  while (worse < patience && training.step()) {
    const double loss = training.validation_loss();
    worse++;
    if (loss < lowest) {
      lowest = loss;
      worse = 0;
      training.keep();
    }
  }
  training.back_to_kept();
  return lowest;
}

Report choose(const std::vector<Training*>& recipes) {
  Report report{0, std::numeric_limits<double>::infinity(), 0};
  for (std::size_t i = 0; i < recipes.size(); i++) {
    const double loss = train_until_worse(*recipes[i], 3);
    if (loss < report.validation_loss) report = {i, loss, 0};
  }
  report.held_out_loss = recipes[report.recipe]->held_out_loss();
  return report;
}
