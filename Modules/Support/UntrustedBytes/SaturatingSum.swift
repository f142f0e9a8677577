extension Int64 {
  /// The sum, or the greatest number where it would be greater: sizes are what storage claims.
  package func saturatingSum(_ other: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}
