/// For each author, how many of its sets have been applied without a gap.
public struct VersionVector: Hashable, Sendable {
  /// The authors with at least one applied set.
  public private(set) var sequences: [AuthorID: UInt64] = [:]

  /// Nothing applied.
  public init() {}

  /// The last applied set of an author, 0 for none.
  public subscript(author: AuthorID) -> UInt64 {
    get { sequences[author] ?? 0 }
    set { sequences[author] = newValue == 0 ? nil : newValue }
  }

  /// Sum of all sequences: how many sets have been applied altogether. One that is too large for a number is the greatest number, so that
  /// what contains more never sums up to less.
  public var total: UInt64 {
    sequences.values.reduce(0) { sum, sequence in
      let (total, isTooLarge) = sum.addingReportingOverflow(sequence)
      return isTooLarge ? .max : total
    }
  }

  /// Whether everything in `other` has been applied.
  public func covers(_ other: VersionVector) -> Bool {
    other.sequences.allSatisfy { self[$0.key] >= $0.value }
  }
}

extension VersionVector {
  /// The greater sequence of each author.
  package func union(_ other: VersionVector) -> VersionVector {
    var result = self
    for (author, sequence) in other.sequences { result[author] = max(result[author], sequence) }
    return result
  }

  /// The lesser sequence of each author.
  package func intersection(_ other: VersionVector) -> VersionVector {
    var result = VersionVector()
    for (author, sequence) in sequences { result[author] = min(sequence, other[author]) }
    return result
  }
}
