import TICDSSQLite

/// The SQL function `ticds_row`, which takes the rows of a fetch: one call for a row instead of some for each column.
final class RowPacker: RowFunction {
  /// What takes the rows of the statement that is being stepped, and the objects that are in memory.
  ///
  /// The context holds on to both. It sets them for one row, for somebody else may use its connection and call the function.
  @exclusivity(unchecked) private var target: (plan: Unmanaged<FetchPlan>, objects: Unmanaged<KeyTable>)?

  static let name = "ticds_row"

  override func receive(_ row: BorrowedRow) {
    guard let target else { return }
    self.target = nil
    target.plan._withUnsafeGuaranteedRef { plan in
      target.objects._withUnsafeGuaranteedRef { plan.receive(row, $0) }
    }
  }

  /// Sets where the next row goes. To be called before each step: what is called between two steps may fetch, too.
  @inline(__always)
  func prepare(_ plan: FetchPlan, _ objects: KeyTable) {
    target = (.passUnretained(plan), .passUnretained(objects))
  }
}
