/// Seconds that work takes, by the monotonic clock.
func seconds(_ work: () throws -> Void) rethrows -> Double {
  let duration = try ContinuousClock().measure(work)
  return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}

/// The middle of some figures.
func median(_ figures: [Double]) -> Double {
  let sorted = figures.sorted()
  guard !sorted.isEmpty else { return 0 }
  return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

/// Medians of two figures that are taken in turns, so that what disturbs the machine disturbs both.
func alternating(
  _ repeats: Int, baseline: () throws -> Double, candidate: () throws -> Double
) rethrows -> (baseline: Double, candidate: Double) {
  // The first round warms caches and is not counted.
  _ = (try baseline(), try candidate())
  var figures: ([Double], [Double]) = ([], [])
  for round in 0..<repeats {
    if round % 2 == 0 {
      figures.0.append(try baseline())
      figures.1.append(try candidate())
    } else {
      figures.1.append(try candidate())
      figures.0.append(try baseline())
    }
  }
  return (median(figures.0), median(figures.1))
}
