import ByteFixtures
import Foundation
import ObjectStore
import SQLite

@testable import ChangeTracking

/// One device with a plain database: edits that log themselves, and a replica.
final class PlainDevice {
  let store: PlainStore
  let replica: Replica
  let clock: TestClock
  private let log: ChangeLog
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
    log = try ChangeLog(connection: store.connection)
  }

  // MARK: Edits

  /// Edits rows and logs them, in one transaction with one time, as a recorder does.
  @discardableResult
  func edit<R>(_ body: (borrowing Edit) throws -> R) throws -> R {
    try store.connection.transaction {
      let time = try ChangeLog.nextTime(store.connection, now: clock.milliseconds)
      return try body(Edit(device: self, time: time))
    }
  }

  struct Edit {
    let device: PlainDevice
    let time: LogicalTime

    func insert(_ entity: String, _ syncID: SyncID, _ values: [String: AttributeValue] = [:]) throws {
      let (number, local) = try numbers(entity)
      let row = try device.store.insertRow(
        entity: local, syncID: syncID,
        values: values.map { try attribute($0.key, local, value: $0.value) })
      try device.log.appendInsertion(entity: number, row: row, time: time)
    }

    func set(_ entity: String, _ syncID: SyncID, _ key: String, _ value: AttributeValue) throws {
      let (number, local) = try numbers(entity)
      let row = try device.existingRow(entity, syncID)
      try device.store.updateRow(
        entity: local, row: row, values: [try attribute(key, local, value: value)])
      try device.log.appendUpdate(entity: number, row: row, word: 0, mask: bit(key, number), time: time)
    }

    /// Logs a register whose row was written already.
    func touch(_ entity: String, _ syncID: SyncID, _ key: String) throws {
      let (number, _) = try numbers(entity)
      let row = try device.existingRow(entity, syncID)
      try device.log.appendUpdate(entity: number, row: row, word: 0, mask: bit(key, number), time: time)
    }

    func point(_ entity: String, _ syncID: SyncID, _ key: String, to target: SyncID?) throws {
      let (number, local) = try numbers(entity)
      guard case .toOne = try property(key, local).kind else {
        throw EditError.wrongKind(entity: entity, key: key)
      }
      let row = try device.existingRow(entity, syncID)
      let targetRow = try target.map { try device.existingRow("Person", $0) }
      if key == "partner", let targetRow {
        // The database allows one claim, so the user's edit takes the target from its former holder.
        for holder in try device.store.sources(
          entity: local, property: position(key, local), target: targetRow)
        where holder != row {
          try device.store.setTarget(entity: local, row: holder, property: position(key, local), target: nil)
          try device.log.appendUpdate(
            entity: number, row: holder, word: 0, mask: bit(key, number), time: time)
        }
      }
      try device.store.setTarget(
        entity: local, row: row, property: position(key, local),
        target: targetRow.map { RowReference(entity: 0, row: $0) })
      try device.log.appendUpdate(entity: number, row: row, word: 0, mask: bit(key, number), time: time)
    }

    func link(_ team: SyncID, _ person: SyncID, added: Bool = true) throws {
      let (number, local) = try numbers("Team")
      let (row, target) = (try device.existingRow("Team", team), try device.existingRow("Person", person))
      let reference = RowReference(entity: 0, row: target)
      if added {
        try device.store.link(entity: local, row: row, property: 1, target: reference)
      } else {
        try device.store.unlink(entity: local, row: row, property: 1, target: reference)
      }
      try device.log.appendLink(
        entity: number, row: row, bit: bit("members", number).trailingZeroBitCount, target: target,
        added: added,
        time: time)
    }

    /// Moves a member of a team, or a team of a person, or somebody of whom a person is the boss, to the front.
    func moveToFront(_ member: SyncID, in list: Ordered, of owner: SyncID) throws {
      let (entity, key, ownerEntity, memberEntity) =
        switch list {
        case .members: ("Team", "members", "Team", "Person")
        case .teams: ("Team", "members", "Person", "Team")
        case .reports: ("Person", "boss", "Person", "Person")
        }
      let (number, local) = try numbers(entity)
      let row = try device.existingRow(ownerEntity, owner)
      let moved = try device.existingRow(memberEntity, member)
      let rows = OrderedList(
        entity: local, property: try position(key, local), isInverse: list != .members, owner: row)
      var members = try device.store.members(of: rows)
      guard let index = members.firstIndex(where: { $0.row == moved }) else {
        throw EditError.noMember(member, list: "\(list)", owner: owner)
      }
      members.insert(members.remove(at: index), at: 0)
      _ = try device.store.arrange(members, of: rows)
      try device.log.appendOrder(
        entity: number, row: row, bit: bit(key, number).trailingZeroBitCount, isInverse: list != .members,
        time: time)
    }

    /// The ordered relationships.
    enum Ordered: CaseIterable { case members, teams, reports }

    func delete(_ entity: String, _ syncID: SyncID) throws {
      let (number, local) = try numbers(entity)
      let row = try device.existingRow(entity, syncID)
      if entity == "Person" {
        // Delete rules run where the user deletes, and each of their effects is a change of its own.
        for (property, key) in [(2, "boss"), (3, "partner")] {
          for source in try device.store.sources(entity: local, property: property, target: row)
          where source != row {
            try device.log.appendUpdate(
              entity: number, row: source, word: 0, mask: bit(key, number), time: time)
          }
        }
        let (teamNumber, _) = try numbers("Team")
        let teams = try device.store.connection.prepare("SELECT team FROM membership WHERE person = ?")
        try teams.bind(row, at: 1)
        while try teams.step() {
          try device.log.appendLink(
            entity: teamNumber, row: teams.int64(0), bit: bit("members", teamNumber).trailingZeroBitCount,
            target: row,
            added: false, time: time)
        }
      }
      try device.store.deleteRow(entity: local, row: row)
      try device.log.appendDeletion(entity: number, row: row, syncID: syncID, time: time)
    }

    private func numbers(_ entity: String) throws -> (number: Int, local: Int) {
      guard let local = device.store.schema.entities.firstIndex(where: { $0.name == entity }),
        let number = device.replica.names.existingNumber(of: entity)
      else { throw EditError.noEntity(entity) }
      return (number, local)
    }

    private func position(_ key: String, _ local: Int) throws -> Int {
      let entity = device.store.schema.entities[local]
      guard let position = entity.properties.firstIndex(where: { $0.name == key }) else {
        throw EditError.noProperty(entity: entity.name, key: key)
      }
      return position
    }

    private func property(_ key: String, _ local: Int) throws -> SyncSchema.Property {
      device.store.schema.entities[local].properties[try position(key, local)]
    }

    private func attribute(_ key: String, _ local: Int, value: AttributeValue) throws -> PropertyValue {
      let entity = device.store.schema.entities[local].name
      guard case .attribute = try property(key, local).kind else {
        throw EditError.wrongKind(entity: entity, key: key)
      }
      let position = try position(key, local)
      guard device.store.canHold(value, entity: local, property: position) else {
        throw EditError.wrongValue(value, entity: entity, key: key)
      }
      return PropertyValue(property: position, value: value)
    }

    private func bit(_ key: String, _ number: Int) throws -> UInt64 {
      let entity = device.replica.names.entities[number]
      guard let bit = entity.bits[key] else { throw EditError.noProperty(entity: entity.name, key: key) }
      return 1 << UInt64(bit)
    }
  }

  /// The row of an object that an edit presumes.
  func existingRow(_ entity: String, _ syncID: SyncID) throws -> Int64 {
    guard let row = try row(entity, syncID) else {
      throw EditError.noObject(entity: entity, syncID, client: replica.client)
    }
    return row
  }

  func row(_ entity: String, _ syncID: SyncID) throws -> Int64? {
    if case .integer(let row)? = try store.connection.first(
      "SELECT id FROM \(entity.lowercased()) WHERE syncid = ?", .text(syncID.string))
    {
      return row
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
