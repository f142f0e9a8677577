import TICDSSQLite

/// A relationship of an entity of the local model.
struct AdoptedRelationship {
  var entity: EntityNumber
  var bit: PropertyBit
  /// The root below which its targets are.
  var destination: EntityNumber
  /// Whether it is a list that is new in an entity that is not, so that a migration may have filled it with what another relationship said.
  var mayHaveMigratedLinks: Bool
}

/// Lets relationships lead to the family where a version of the model has their targets.
///
/// A set names a target by its sync ID alone, and whoever merges it later looks for that in this family. So whatever leads to an object
/// that has left the family leads to its namesake there, and whatever led to one that nobody has inserted yet, of which nothing but the
/// relationship tells where it belongs, follows the relationship.
extension CellMove {
  /// Puts what leads to objects of other families to those with the same sync IDs in the family where targets are.
  mutating func redirect(_ relationship: AdoptedRelationship) throws {
    let (bit, root) = (relationship.bit, relationship.destination)
    let leadsElsewhere = """
      bit = ?1 AND source IN (SELECT id FROM TICDS_OBJECT WHERE entity = ?2)
      AND target IN (SELECT id FROM TICDS_OBJECT WHERE root <> ?3)
      """
    let values: [SQLiteValue] = [
      .integer(Int64(bit.rawValue)), .integer(Int64(relationship.entity.rawValue)),
      .integer(Int64(root.rawValue)),
    ]
    for cell in try links.cells(where: leadsElsewhere, values) {
      var other = cell
      other.target = try namesake(of: cell.target, below: root)
      try move(cell, to: other)
    }
    for cell in try places.cells(where: leadsElsewhere, values) {
      var pair = cell.pair
      pair.target = try namesake(of: pair.target, below: root)
      try move(cell, to: pair)
    }
    for (object, target) in try parked.targets(of: relationship.entity, bit, notBelow: root) {
      try parked.park(target: namesake(of: target, below: root), of: object, bit)
    }
  }

  /// The record of the same sync ID below another root.
  private mutating func namesake(of id: RecordID, below root: EntityNumber) throws -> RecordID {
    try objects.spill()
    let slot = try objects.obtain(objects[id].syncID, root: root)
    objects[slot].hasTraces = true
    objects[slot].isChanged = true
    return objects[slot].id
  }
}
