/// Targets of one-to-one relationships that one save gives to objects. Who had one before has none then, which the user did not say of him.
struct TakenTargets {
  private struct Claim: Hashable {
    var source: EntityNumber
    var bit: PropertyBit
    var target: ChangeLog.Row
  }

  private var claims: Set<Claim> = []

  var isEmpty: Bool { claims.isEmpty }

  /// - Parameters:
  ///   - source: the root of who gets the target.
  ///   - root: that of the target.
  mutating func insert(
    _ target: RowNumber, below root: EntityNumber, _ bit: PropertyBit, of source: EntityNumber
  ) {
    claims.insert(Claim(source: source, bit: bit, target: ChangeLog.Row(entity: root, row: target)))
  }

  func contains(_ target: RowNumber, below root: EntityNumber, _ bit: PropertyBit, of source: EntityNumber)
    -> Bool
  {
    claims.contains(Claim(source: source, bit: bit, target: ChangeLog.Row(entity: root, row: target)))
  }
}
