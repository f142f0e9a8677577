/// Seconds that work takes, by the monotonic clock.
func seconds(_ work: () throws -> Void) rethrows -> Double {
  let duration = try ContinuousClock().measure(work)
  return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}

/// Medians of two figures that are taken in turns, so that what disturbs the machine disturbs both.
func alternating(
  rounds: Int = 5, baseline: () throws -> Double, candidate: () throws -> Double
) rethrows -> (baseline: Double, candidate: Double) {
  // The first round warms caches and is not counted.
  _ = (try baseline(), try candidate())
  var figures: ([Double], [Double]) = ([], [])
  for _ in 0..<rounds {
    figures.0.append(try baseline())
    figures.1.append(try candidate())
  }
  return (Measure.median(figures.0), Measure.median(figures.1))
}
