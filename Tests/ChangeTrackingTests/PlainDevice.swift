import ByteFixtures
import Foundation
import ObjectStore
import TICDSSQLite

@testable import ChangeTracking

/// One device with a plain database: edits that log themselves, and a replica.
final class PlainDevice {
  let store: PlainStore
  let replica: Replica
  let clock: TestClock
  private let recorder: ChangeRecorder
  private(set) var pushed: [ReceivedSet] = []
  /// The long values of these sets, as the remote would hold them.
  private(set) var pushedLongValues: [ContentHash: [UInt8]] = [:]

  init(
    _ client: String, path: String = ":memory:", clock: TestClock = TestClock(), seed: UInt64 = 0,
    setLimit: Int = 10_000
  ) throws {
    store = try PlainStore(path: path)
    self.clock = clock
    let seed = seed &+ UInt64(client.utf8.reduce(7) { $0 &* 31 &+ Int($1) })
    replica = try Replica(
      store: store,
      configuration: Replica.Configuration(client: client, clock: clock, seed: seed, setLimit: setLimit))
    recorder = try ChangeRecorder(
      schema: store.schema, database: store.database, now: { clock.milliseconds })
  }

  // MARK: Edits

  /// Edits rows and logs them, in one transaction with one time, as a recorder does.
  @discardableResult
  func edit<R>(_ body: (borrowing Edit) throws -> R) throws -> R {
    try store.connection.transaction {
      try body(Edit(device: self, recording: recorder.recording()))
    }
  }

  struct Edit {
    let device: PlainDevice
    let recording: ChangeRecorder.Recording

    private var store: PlainStore { device.store }

    func insert(_ entity: String, _ syncID: SyncID, _ values: [String: AttributeValue] = [:]) throws {
      let local = try self.entity(entity)
      let row = try store.insertRow(
        local, syncID: syncID, values: values.map { try attribute($0.key, local, value: $0.value) })
      try recording.insert(RowReference(entity: local, row: row))
    }

    func set(_ entity: String, _ syncID: SyncID, _ key: String, _ value: AttributeValue) throws {
      let row = try existingRow(entity, syncID)
      try store.updateRow(row, values: [try attribute(key, row.entity, value: value)])
      try recording.update(row, [position(key, row.entity)])
    }

    /// Logs a register whose row was written already.
    func touch(_ entity: String, _ syncID: SyncID, _ key: String) throws {
      let row = try existingRow(entity, syncID)
      try recording.update(row, [position(key, row.entity)])
    }

    func point(_ entity: String, _ syncID: SyncID, _ key: String, to target: SyncID?) throws {
      let row = try existingRow(entity, syncID)
      let property = try position(key, row.entity)
      guard case .toOne = store.schema[row.entity][property].kind else {
        throw EditError.wrongKind(entity: entity, key: key)
      }
      let target = try target.map { try existingRow("Person", $0) }
      if key == "partner", let target {
        // The database allows one claim, so the user's edit takes the target from its former holder.
        for holder in try store.sources(row.entity, property, to: target.row) where holder != row.row {
          let holder = RowReference(entity: row.entity, row: holder)
          try store.setTarget(of: holder, property, to: nil)
          try recording.clear(holder, [property])
        }
      }
      try store.setTarget(of: row, property, to: target)
      try recording.update(row, [property])
    }

    func link(_ team: SyncID, _ person: SyncID, added: Bool = true) throws {
      let (row, target) = (try existingRow("Team", team), try existingRow("Person", person))
      let members = try position("members", row.entity)
      if added {
        try store.link(row, members, to: target)
        try recording.link(row, members, to: target.row)
      } else {
        try store.unlink(row, members, from: target)
        try recording.unlink(row, members, from: target.row)
      }
    }

    /// Moves a member of a team, or a team of a person, or somebody of whom a person is the boss, to the front.
    func moveToFront(_ member: SyncID, in list: Ordered, of owner: SyncID) throws {
      let (entity, key, ownerEntity, memberEntity) =
        switch list {
        case .members: ("Team", "members", "Team", "Person")
        case .teams: ("Team", "members", "Person", "Team")
        case .reports: ("Person", "boss", "Person", "Person")
        }
      let local = try self.entity(entity)
      let moved = try existingRow(memberEntity, member)
      let rows = OrderedList(
        entity: local, property: try position(key, local), isInverse: list != .members,
        owner: try existingRow(ownerEntity, owner).row)
      var members = try store.members(of: rows)
      guard let index = members.firstIndex(of: moved) else {
        throw EditError.noMember(member, list: "\(list)", owner: owner)
      }
      members.insert(members.remove(at: index), at: 0)
      _ = try store.arrange(members, of: rows)
      try recording.reorder(rows)
    }

    /// The ordered relationships.
    enum Ordered: CaseIterable { case members, teams, reports }

    func delete(_ entity: String, _ syncID: SyncID) throws {
      let row = try existingRow(entity, syncID)
      if entity == "Person" {
        // Delete rules run where the user deletes, and each of their effects is recorded.
        for key in ["boss", "partner"] {
          let property = try position(key, row.entity)
          for source in try store.sources(row.entity, property, to: row.row) where source != row.row {
            try recording.clear(RowReference(entity: row.entity, row: source), [property])
          }
        }
        let members = try position("members", PlainStore.team)
        let teams = try store.connection.prepare("SELECT team FROM membership WHERE person = ?")
        try teams.bind(row.row.rawValue, at: 1)
        while try teams.step() {
          let team = RowReference(entity: PlainStore.team, row: RowNumber(rawValue: teams.int64(0)))
          try recording.unlink(team, members, from: row.row)
        }
      }
      try store.deleteRow(row)
      try recording.delete(row, syncID)
    }

    private func entity(_ name: String) throws -> LocalEntity {
      guard let index = store.schema.entities.firstIndex(where: { $0.name == name }) else {
        throw EditError.noEntity(name)
      }
      return LocalEntity(rawValue: index)
    }

    private func existingRow(_ entity: String, _ syncID: SyncID) throws -> RowReference {
      RowReference(entity: try self.entity(entity), row: try device.existingRow(entity, syncID))
    }

    private func position(_ key: String, _ local: LocalEntity) throws -> LocalProperty {
      let entity = store.schema[local]
      guard let position = entity.properties.firstIndex(where: { $0.name == key }) else {
        throw EditError.noProperty(entity: entity.name, key: key)
      }
      return LocalProperty(rawValue: position)
    }

    private func attribute(_ key: String, _ local: LocalEntity, value: AttributeValue) throws -> PropertyValue
    {
      let entity = store.schema[local].name
      let position = try position(key, local)
      guard store.schema[local][position].kind == .attribute else {
        throw EditError.wrongKind(entity: entity, key: key)
      }
      guard store.canHold(value, local, position) else {
        throw EditError.wrongValue(value, entity: entity, key: key)
      }
      return PropertyValue(property: position, value: value)
    }
  }

  /// The row of an object that an edit presumes.
  func existingRow(_ entity: String, _ syncID: SyncID) throws -> RowNumber {
    guard let row = try row(entity, syncID) else {
      throw EditError.noObject(entity: entity, syncID, client: replica.client)
    }
    return row
  }

  func row(_ entity: String, _ syncID: SyncID) throws -> RowNumber? {
    if case .integer(let row)? = try store.connection.first(
      "SELECT id FROM \(entity.lowercased()) WHERE syncid = ?", .text(syncID.string))
    {
      return RowNumber(rawValue: row)
    }
    return nil
  }

  // MARK: Sync

  /// Makes sets of the edits so far; they count as pushed.
  @discardableResult
  func push() throws -> [ReceivedSet] {
    let new = try replica.push { hash, bytes in
      guard let bytes else { throw EditError.noLongValue(hash) }
      pushedLongValues[hash] = bytes
    }
    pushed += new
    return new
  }

  @discardableResult
  func receive(_ sets: [ReceivedSet], policy: ConflictPolicy = .always(.latest)) throws -> ApplyReport {
    try replica.receive(sets, policy: policy)
  }
}

/// An edit that presumes what is not so: a test that makes it would test something else than it says.
enum EditError: Error, CustomStringConvertible {
  case noEntity(String)
  case noProperty(entity: String, key: String)
  case wrongKind(entity: String, key: String)
  case wrongValue(AttributeValue, entity: String, key: String)
  case noObject(entity: String, SyncID, client: String)
  case noMember(SyncID, list: String, owner: SyncID)
  case noLongValue(ContentHash)

  var description: String {
    switch self {
    case .noEntity(let entity): "There is no entity \(entity)."
    case .noProperty(let entity, let key): "\(entity) has no property \(key)."
    case .wrongKind(let entity, let key): "\(entity).\(key) is a property of another kind."
    case .wrongValue(let value, let entity, let key): "\(entity).\(key) cannot hold \(value)."
    case .noObject(let entity, let object, let client): "\(client) shows no \(entity) \(object)."
    case .noMember(let member, let list, let owner): "\(member) is not among the \(list) of \(owner)."
    case .noLongValue(let hash): "The long value \(hash) is to be pushed but is not there."
    }
  }
}

extension SyncID: ExpressibleByStringLiteral {
  /// Takes the literal as it is.
  public init(stringLiteral value: String) { self = .text(value) }
}
