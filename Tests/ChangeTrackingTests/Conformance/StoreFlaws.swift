import LocalStoreConformance
import ObjectStore
import TICDSSQLite

@testable import ChangeTracking

/// A mistake in a store, and the law that finds it.
struct StoreFlaw: CustomStringConvertible, Sendable {
  let description: String
  /// How the law begins that must find it.
  let law: String
  let model: ConformanceModel
  let flawed: ForwardingStore.Type

  static let all: [StoreFlaw] = [
    .init("a sync ID is not stored", "a new row carries", .values, ForgetfulOfSyncIDs.self),
    .init("siblings are taken for each other", "a new row carries", .family, FirstOfFamily.self),
    .init("sync IDs are brought into one Unicode form", "sync IDs that look alike", .values, Composing.self),
    .init("each row gets the number of the greatest, plus one", "rows below one root", .values, Reusing.self),
    .init("a deleted row is only cleared", "a row that is gone", .values, Undeleting.self),
    .init("a row is committed by itself", "a transaction that fails", .values, Committing.self),
    .init("texts are brought into one Unicode form", "every value", .values, ComposingTexts.self),
    .init("long values are cut", "every value", .values, Cutting.self),
    .init("all is said to fit", "every value", .values, Admitting.self),
    .init("an insertion forgets its values", "every value", .values, ForgetfulOfValues.self),
    .init("new rows show something", "what nobody wrote", .values, Filling.self),
    .init("an update clears the rest", "an update leaves", .relationships, ClearingOthers.self),
    .init("an update meets all rows", "an update leaves", .values, UpdatingAll.self),
    .init("contents come in the order of the table", "contents come in the order", .values, Reordering.self),
    .init(
      "clearing a relationship does nothing", "a to-one relationship shows", .relationships, Clinging.self),
    .init("one source is found", "the sources of a target", .family, OneSource.self),
    .init("removing a link removes all", "a link is there once", .relationships, UnlinkingAll.self),
    .init("a link is removed by nobody", "a link is there once", .relationships, NeverUnlinking.self),
    .init("a deletion goes on along relationships", "deleting a row clears", .relationships, Cascading.self),
    .init("an order is not kept", "an ordered list", .relationships, Unarranging.self),
    .init("what was moved is not told", "an ordered list", .relationships, Silent.self),
    .init(
      "rows come behind whatever is there", "rows of a list come between", .relationships, Appending.self),
    .init("no list has a member", "a row is in the lists", .relationships, Memberless.self),
    .init("no row is found by its sync ID", "a row is found by its sync ID", .values, Unsearchable.self),
    .init("rows come one too early", "the rows of an entity", .values, OffByOne.self),
    .init("rows are told without their sync IDs", "the rows of an entity", .values, Anonymous.self),
    .init("rows with a sync ID are said to have none", "rows without a sync ID", .values, Unidentified.self),
    .init(
      "unique values are not looked for", "a row is found by values", .uniqueness, WithoutUniqueness.self),
    .init("a copy is empty", "a copy holds", .values, CopyingNothing.self),
    .init("what the engine writes is recorded", "what the engine writes", .values, Recording.self),
    .init("a second link replaces the first", "in whatever order", .relationships, ReplacingLinks.self),
    .init("no targets are told", "a link is there once", .relationships, Targetless.self),
    .init(
      "the targets of one relationship are not told", "a link is there once", .relationships,
      HalfTargetless.self),
    .init("partners are not written", "a to-one relationship shows", .ownInverses, Lonely.self),
    .init("one partner alone is written", "partners show", .ownInverses, OneSided.self),
    .init("a deletion leaves the partner", "deleting a row clears", .ownInverses, ClingingToPartner.self),
    .init(
      "unique texts are found without regard to case", "unique values that look alike", .uniqueness,
      FoldingCase.self),
    .init(
      "unique texts are found without their blanks", "unique values that look alike", .uniqueness,
      Trimming.self),
    .init(
      "sync IDs are found without their blanks", "sync IDs that look alike", .values, TrimmingSyncIDs.self),
    .init("what is no number is null", "every value", .values, WithoutNaN.self),
    .init("lines end in one way", "every value", .values, OneLineEnd.self),
    .init("times are rounded to microseconds", "every value", .values, Microseconds.self),
    .init(
      "a deletion outlasts its transaction", "what a transaction that fails", .values,
      RememberingDeletions.self),
    .init(
      "the sources of a family are taken together", "the sources of a target are told apart", .family,
      FamilySources.self),
    .init(
      "a target is taken for one of the first entity", "every entity that a relationship", .referredFamily,
      FirstOfFamily.self),
    .init("a unique value of a sibling is not found", "who holds a unique value", .family, OwnHolders.self),
    .init(
      "a holder is taken for one of the entity that asks", "who holds a unique value", .family,
      MisnamedHolders.self),
    .init("only the first three of a list have an order", "a long list", .relationships, ThreeInOrder.self),
    .init(
      "attributes come before relationships", "what is recorded here", .relationships, AttributesFirst.self),
    .init(
      "the sync ID of a target is that of its owner", "what is recorded here", .relationships, Mirrored.self),
  ]

  init(_ description: String, _ law: String, _ model: ConformanceModel, _ flawed: ForwardingStore.Type) {
    self.description = description
    self.law = law
    self.model = model
    self.flawed = flawed
  }
}

private final class ForgetfulOfSyncIDs: ForwardingStore {
  override func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow? {
    try base.readRow(row, properties).map { StoredRow(syncID: nil, contents: $0.contents) }
  }
}

private final class FirstOfFamily: ForwardingStore {
  override func identity(of row: RowNumber, below root: String) throws -> RowIdentity? {
    try base.identity(of: row, below: root).map { identity in
      let first = schema.entities.firstIndex { $0.root == root }
      return RowIdentity(entity: LocalEntity(rawValue: first ?? 0), syncID: identity.syncID)
    }
  }
}

private final class Composing: ForwardingStore {
  override func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber
  {
    try base.insertRow(
      entity, syncID: SyncID(syncID.string.precomposedStringWithCanonicalMapping), values: values)
  }
}

private final class Reusing: ForwardingStore {
  private var given: [LocalEntity: RowNumber] = [:]
  override func deleteRow(_ row: RowReference) throws {
    try base.deleteRow(row)
    given[row.entity] = row.row
  }
  override func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber
  {
    let row = try base.insertRow(entity, syncID: syncID, values: values)
    return given[entity] ?? row
  }
}

private final class Undeleting: ForwardingStore {
  override func deleteRow(_ row: RowReference) throws {}
}

private final class Committing: ForwardingStore {
  override func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber
  {
    let row = try base.insertRow(entity, syncID: syncID, values: values)
    if connection.isInTransaction {
      try connection.run("COMMIT")
      try connection.run("BEGIN IMMEDIATE")
    }
    return row
  }
}

/// One that stores another value than the one it was given.
class ChangingValues: ForwardingStore {
  func stored(_ value: AttributeValue) -> AttributeValue { value }

  private func stored(_ values: [PropertyValue]) -> [PropertyValue] {
    values.map { PropertyValue(property: $0.property, value: stored($0.value)) }
  }
  override func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber
  {
    try base.insertRow(entity, syncID: syncID, values: stored(values))
  }
  override func updateRow(_ row: RowReference, values: [PropertyValue]) throws {
    try base.updateRow(row, values: stored(values))
  }
}

private final class ComposingTexts: ChangingValues {
  override func stored(_ value: AttributeValue) -> AttributeValue {
    if case .string(let text) = value { .string(text.precomposedStringWithCanonicalMapping) } else { value }
  }
}

private final class Cutting: ChangingValues {
  override func stored(_ value: AttributeValue) -> AttributeValue {
    if case .data(let bytes) = value { .data(Array(bytes.prefix(65_535))) } else { value }
  }
}

private final class Admitting: ChangingValues {
  override func canHold(_ value: AttributeValue, _ entity: LocalEntity, _ property: LocalProperty) -> Bool {
    if case .integer = value {
      schema[entity][property].name.hasPrefix("integer")
    } else {
      super.canHold(value, entity, property)
    }
  }
  override func stored(_ value: AttributeValue) -> AttributeValue {
    if case .integer(let number) = value { .integer(Int64(Int16(truncatingIfNeeded: number))) } else { value }
  }
}

private final class ForgetfulOfValues: ForwardingStore {
  override func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber
  {
    try base.insertRow(entity, syncID: syncID, values: [])
  }
}

private final class Filling: ForwardingStore {
  override func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber
  {
    let texts = schema[entity].properties.indices.map(LocalProperty.init(rawValue:)).filter {
      base.canHold(.string("untitled"), entity, $0)
    }
    let written = Set(values.map(\.property))
    return try base.insertRow(
      entity, syncID: syncID,
      values: values
        + texts.filter { !written.contains($0) }.map {
          PropertyValue(property: $0, value: .string("untitled"))
        })
  }
}

private final class ClearingOthers: ForwardingStore {
  override func updateRow(_ row: RowReference, values: [PropertyValue]) throws {
    try base.updateRow(row, values: values)
    for number in 1..<row.row.rawValue where number > 0 {
      let other = RowReference(entity: row.entity, row: RowNumber(rawValue: number))
      if try base.readRow(other, []) != nil { try base.updateRow(other, values: values) }
    }
    let next = RowReference(entity: row.entity, row: RowNumber(rawValue: row.row.rawValue + 1))
    if try base.readRow(next, []) != nil { try base.updateRow(next, values: values) }
  }
}

private final class UpdatingAll: ForwardingStore {
  override func updateRow(_ row: RowReference, values: [PropertyValue]) throws {
    for number in try base.rows(row.entity, after: .none, limit: 100, withoutSyncID: false) {
      try base.updateRow(RowReference(entity: row.entity, row: number), values: values)
    }
  }
}

private final class Reordering: ForwardingStore {
  override func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow? {
    try base.readRow(row, properties.sorted { $0.rawValue < $1.rawValue })
  }
}

private final class Clinging: ForwardingStore {
  override func setTarget(of row: RowReference, _ property: LocalProperty, to target: RowReference?) throws {
    if target != nil { try base.setTarget(of: row, property, to: target) }
  }
}

private final class OneSource: ForwardingStore {
  override func sources(_ entity: LocalEntity, _ property: LocalProperty, to target: RowNumber) throws
    -> [RowNumber]
  { Array(try base.sources(entity, property, to: target).prefix(1)) }
}

private final class UnlinkingAll: ForwardingStore {
  override func unlink(_ row: RowReference, _ property: LocalProperty, from target: RowReference) throws {
    for member in try base.targets(of: row, property) {
      try base.unlink(row, property, from: RowReference(entity: target.entity, row: member))
    }
  }
}

private final class NeverUnlinking: ForwardingStore {
  override func unlink(_ row: RowReference, _ property: LocalProperty, from target: RowReference) throws {}
}

private final class Cascading: ForwardingStore {
  override func deleteRow(_ row: RowReference) throws {
    for (index, entity) in schema.entities.enumerated() {
      for (position, property) in entity.properties.enumerated() {
        guard case .toOne(let destination, _) = property.kind, destination == schema[row.entity].root else {
          continue
        }
        let sources = try base.sources(
          LocalEntity(rawValue: index), LocalProperty(rawValue: position), to: row.row)
        for source in sources where source != row.row {
          try base.deleteRow(RowReference(entity: LocalEntity(rawValue: index), row: source))
        }
      }
    }
    try base.deleteRow(row)
  }
}

private final class Unarranging: ForwardingStore {
  override func members(of list: OrderedList) throws -> [RowReference] {
    try base.members(of: list).sorted { $0.row.rawValue < $1.row.rawValue }
  }
}

private final class Silent: ForwardingStore {
  override func arrange(_ members: [RowReference], of list: OrderedList) throws -> [RowReference] {
    _ = try base.arrange(members, of: list)
    return []
  }
}

private final class Appending: ForwardingStore {
  override func arrange(
    _ members: [RowReference], of list: OrderedList, between lower: RowReference?, and upper: RowReference?
  ) throws -> [RowReference]? {
    let others = try base.members(of: list).filter { !members.contains($0) }
    return try base.arrange(others + members, of: list)
  }
}

private final class Memberless: ForwardingStore {
  override func isMember(_ row: RowReference, of list: OrderedList) throws -> Bool { false }
}

private final class Unsearchable: ForwardingStore {
  override func row(_ entity: LocalEntity, syncID: SyncID) throws -> RowNumber? { nil }
}

private final class OffByOne: ForwardingStore {
  override func rows(_ entity: LocalEntity, after row: RowNumber, limit: Int, withoutSyncID: Bool) throws
    -> [RowNumber]
  {
    try base.rows(
      entity, after: RowNumber(rawValue: row.rawValue - (row == .none ? 0 : 1)), limit: limit,
      withoutSyncID: withoutSyncID)
  }
}

private final class Anonymous: ForwardingStore {
  override func identifiedRows(_ entity: LocalEntity, after row: RowNumber, limit: Int) throws
    -> [IdentifiedRow]
  {
    try base.identifiedRows(entity, after: row, limit: limit).map { IdentifiedRow(row: $0.row, syncID: nil) }
  }
}

private final class Unidentified: ForwardingStore {
  override func rows(_ entity: LocalEntity, after row: RowNumber, limit: Int, withoutSyncID: Bool) throws
    -> [RowNumber]
  { try base.rows(entity, after: row, limit: limit, withoutSyncID: false) }
}

private final class WithoutUniqueness: ForwardingStore {
  override func row(_ entity: LocalEntity, with values: [PropertyValue]) throws -> RowReference? { nil }
}

private final class CopyingNothing: ForwardingStore {
  override func copy(to path: String, as name: String) throws {
    let empty = try Connection(path: path)
    try empty.execute(script: "CREATE TABLE nothing (id)")
  }
}

private final class Recording: ForwardingStore {
  private var recorder: ChangeRecorder?
  override func startRecording(
    now: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64
  ) {
    recorder = try? ChangeRecorder(schema: schema, database: database, now: now)
  }
  override func updateRow(_ row: RowReference, values: [PropertyValue]) throws {
    try base.updateRow(row, values: values)
    try recorder?.recording().update(row, values.map(\.property))
  }
}

private final class ReplacingLinks: ForwardingStore {
  override func link(_ row: RowReference, _ property: LocalProperty, to target: RowReference) throws {
    for member in try base.targets(of: row, property) where member != target.row && member.rawValue > 3 {
      try base.unlink(row, property, from: RowReference(entity: target.entity, row: member))
    }
    try base.link(row, property, to: target)
  }
}
