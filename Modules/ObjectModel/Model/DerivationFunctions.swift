/// What can be computed from many values. Missing ones do not count.
package enum AggregateFunction: String, Sendable {
  case count, sum
  case average = "avg"
  case minimum = "min"
  case maximum = "max"
}

/// What can be computed from text. The raw values are those that SQL gives to `ticds_text`.
package enum TextFunction: Int64, Sendable {
  /// The number of characters.
  case length = 0
  case lowercased = 1
  case uppercased = 2
  /// Without case and accents.
  case canonical = 3
  /// A key whose order is that in which people expect texts; see ``NaturalOrder``.
  case naturalOrder = 4
}
