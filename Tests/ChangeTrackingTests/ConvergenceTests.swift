import ByteFixtures
import Foundation
import ObjectStore
import Simulation
import Testing

@testable import ChangeTracking

@Suite struct ConvergenceTests {
  /// 400 seeds, or as many as `TICDS_SEEDS` says; seeds that once found something come first.
  static let seeds: [Int] = {
    let count = ProcessInfo.processInfo.environment["TICDS_SEEDS"].flatMap { Int($0) } ?? 400
    return [14_222, 15_544, 17_730, 19_401] + Array(0..<count)
  }()

  @Test(arguments: seeds)
  func `devices that have seen the same sets show what the plain rules say`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let devices = try (0..<Int.random(in: 2...4, using: &random)).map { index in
      // Clocks are wrong by up to ten years, in either direction.
      let skew = Int64.random(in: -315_000_000_000...315_000_000_000, using: &random)
      return try PlainDevice(
        "device-\(index)", clock: TestClock(UInt64(1_700_000_000_000 + skew)), seed: UInt64(seed))
    }
    var delivered = devices.map { _ in devices.map { _ in 0 } }

    for _ in 0..<80 {
      let index = Int.random(in: devices.indices, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        try devices[index].push()
      case 1:
        try deliver(to: index, of: devices, &delivered, &random, all: false)
      default:
        try devices[index].randomEdit(using: &random)
        devices[index].clock.advance(UInt64.random(in: 0...5_000, using: &random))
      }
    }
    for device in devices { try device.push() }
    for index in devices.indices { try deliver(to: index, of: devices, &delivered, &random, all: true) }

    let reference = ReferenceState(devices.flatMap { $0.pushed.map(\.set) }, schema: devices[0].store.schema)
      .contents()
    for device in devices {
      let contents = try device.store.contents()
      #expect(contents == reference, "seed \(seed), \(device.replica.client)")
    }
  }

  /// Hands a device some or all of the sets that it has not seen, in any interleaving of their authors.
  private func deliver(
    to index: Int, of devices: [PlainDevice], _ delivered: inout [[Int]], _ random: inout SeededGenerator,
    all: Bool
  ) throws {
    var batch: [ReceivedSet] = []
    for author in devices.indices.shuffled(using: &random) where author != index {
      let available = devices[author].pushed.count
      let upTo = all ? available : Int.random(in: delivered[index][author]...available, using: &random)
      batch += devices[author].pushed[delivered[index][author]..<upTo]
      delivered[index][author] = upTo
    }
    try devices[index].receive(batch)
  }
}

extension PlainDevice {
  /// A person's score.
  func score(of person: SyncID) throws -> Int64 {
    let row = try existingRow("Person", person)
    let score = try store.connection.first("SELECT score FROM person WHERE id = ?", .integer(row.rawValue))
    return if case .integer(let score)? = score { score } else { 0 }
  }

  /// One transaction of random edits over a few identifiers, so that devices meet.
  func randomEdit(using random: inout SeededGenerator) throws {
    let people: [SyncID] = (0..<6).map { .text("p\($0)") }
    let teams: [SyncID] = (0..<3).map { .text("t\($0)") }
    try edit { edit in
      var inserted: Set<SyncID> = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        guard let person = people.randomElement(using: &random),
          let other = people.randomElement(using: &random),
          let team = teams.randomElement(using: &random)
        else { return }
        /// Chance may hit on what is not there: then it says nothing.
        func attempt(_ edit: () throws -> Void) throws {
          do { try edit() } catch EditError.noObject, EditError.noMember {}
        }
        let target = try row("Person", other) == nil ? nil : other
        switch Int.random(in: 0..<18, using: &random) {
        case 0...2:
          if try row("Person", person) == nil, inserted.insert(person).inserted {
            let name = "n\(Int.random(in: 0..<100, using: &random))"
            try edit.insert("Person", person, Bool.random(using: &random) ? ["name": .string(name)] : [:])
          }
        case 3:
          if try row("Team", team) == nil, inserted.insert(team).inserted {
            try edit.insert("Team", team, ["title": .string("T")])
          }
        case 4:
          let name = "n\(Int.random(in: 0..<100, using: &random))"
          try attempt { try edit.set("Person", person, "name", .string(name)) }
        case 5:
          let age: AttributeValue = Bool.random(using: &random) ? .integer(7) : .null
          try attempt { try edit.set("Person", person, "age", age) }
        case 6:
          let boss = Bool.random(using: &random) ? target : nil
          try attempt { try edit.point("Person", person, "boss", to: boss) }
        case 7:
          let partner = Bool.random(using: &random) ? target : nil
          try attempt { try edit.point("Person", person, "partner", to: partner) }
        case 8, 9:
          let isAdded = Bool.random(using: &random)
          try attempt { try edit.link(team, person, added: isAdded) }
        case 12:
          try attempt { try edit.set("Person", person, "score", .integer(try score(of: person) + 1)) }
        case 13:
          let best = Int64.random(in: 0..<50, using: &random)
          try attempt { try edit.set("Person", person, "best", .integer(best)) }
        case 14:
          let key = Bool.random(using: &random) ? "start" : "end"
          let moment = Int64.random(in: 0..<50, using: &random)
          try attempt { try edit.set("Person", person, key, .integer(moment)) }
        case 15: try attempt { try edit.moveToFront(person, in: .members, of: team) }
        case 16: try attempt { try edit.moveToFront(team, in: .teams, of: person) }
        case 17: try attempt { try edit.moveToFront(person, in: .reports, of: other) }
        case 10:
          if !inserted.contains(person) {
            try attempt { try edit.delete("Person", person) }
            inserted.insert(person)
          }
        default:
          if !inserted.contains(team), Bool.random(using: &random) {
            try attempt { try edit.delete("Team", team) }
            inserted.insert(team)
          }
        }
      }
    }
  }
}
