Part merge(const Part& a, const Part& b) {
  Part both{.most = std::max(a.most, b.most), .out = std::vector<double>(a.out.size())};
  for (const Part* part : {&a, &b}) {
    if (part->total == 0) continue;
    const double shrink = std::exp(part->most - both.most);
    both.total += shrink * part->total;
    for (std::size_t j = 0; j < both.out.size(); j++) both.out[j] += shrink * part->out[j];
  }
  return both;
}
