import ByteFixtures
import ObjectStore
import TICDSSQLite
import Testing

@testable import ChangeTracking

/// Many names that turn out to be of what the local model shows.
@Suite struct UnitedNamesTests {
  private typealias Property = EntityNames.Property

  /// What others call properties of the local model, and what these are called here.
  private static let people: [(name: String, former: String, kind: Property.Kind)] = [
    ("u0", "name", .attribute), ("u1", "name", .attribute), ("u2", "name", .attribute),
    ("b0", "boss", .toOne(destination: "Person")), ("b1", "boss", .toOne(destination: "Person")),
    ("c0", "best", .attribute), ("c1", "best", .attribute),
  ]
  private static let teams: [(name: String, former: String, kind: Property.Kind)] = [
    ("m0", "members", .toMany(destination: "Person")), ("m1", "members", .toMany(destination: "Person")),
  ]
  private static let known: [Property] = [
    .init(name: "name", kind: .attribute), .init(name: "boss", kind: .toOne(destination: "Person")),
    .init(name: "best", kind: .attribute),
  ]

  private static func names(_ people: [Property], _ teams: [Property]) -> [EntityNames] {
    [
      EntityNames(name: "Person", root: "Person", properties: people),
      EntityNames(name: "Team", root: "Team", properties: teams),
    ]
  }

  /// Sets that write under known and unknown names, also several in one change.
  private static func writings(_ seed: UInt64) throws -> [ReceivedSet] {
    var random = SeededGenerator(seed: seed)
    let persons = (0..<4).map { SyncID.text("p\($0)") }
    func target() -> SyncID { persons.randomElement(using: &random) ?? persons[0] }
    func register(_ index: Int) -> Register {
      let content: Register.Content =
        switch index {
        case 1, 6, 7: .target(Bool.random(using: &random) ? target() : nil)
        default:
          .value(Bool.random(using: &random) ? .string("v\(Int.random(in: 0..<9, using: &random))") : .null)
        }
      return Register(property: ChangeSet.PropertyIndex(rawValue: index), content: content)
    }
    let unknown = people.map { Property(name: $0.name, kind: $0.kind) }
    let lists = teams.map { Property(name: $0.name, kind: $0.kind) }
    return try (1...3).map { author in
      var scripted = ScriptedAuthor(
        UInt64(author),
        names(known + unknown, [.init(name: "members", kind: teams[0].kind)] + lists))
      var time: UInt64 = UInt64.random(in: 1..<5, using: &random)
      var changes = persons.prefix(author + 1).map { Change($0, at: time, .insert([])) }
      let team = SyncID.text("t")
      changes.append(
        Change(entity: 1, object: team, time: LogicalTime(milliseconds: time), action: .insert([])))
      for _ in 0..<12 {
        time += UInt64.random(in: 1..<4, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1:
          let written = [0, 1, 3, 4, 5, 6, 7].filter { _ in Bool.random(using: &random) }
          if written.isEmpty { continue }
          changes.append(Change(target(), at: time, .update(written.map(register))))
        case 2:
          let index = [2, 8, 9].randomElement(using: &random) ?? 2
          changes.append(
            Change(
              target(), at: time,
              .contribute(
                property: ChangeSet.PropertyIndex(rawValue: index),
                value: .integer(Int64.random(in: 0..<9, using: &random)), origin: nil)))
        default:
          let index = ChangeSet.PropertyIndex(rawValue: Int.random(in: 0..<3, using: &random))
          changes.append(
            Change(
              entity: 1, object: team, time: LogicalTime(milliseconds: time),
              action: Bool.random(using: &random)
                ? .link(property: index, target: target()) : .unlink(property: index, target: target())))
        }
      }
      return try scripted.set(changes)
    }
  }

  private func cells(_ device: PlainDevice) throws -> [String] {
    try [
      "TICDS_OBJECT", "TICDS_VALUE", "TICDS_TARGET", "TICDS_LINK", "TICDS_PLACE", "TICDS_CONTRIBUTION",
      "TICDS_NAME", "TICDS_PROPERTY", "TICDS_LOCAL",
    ].flatMap { table in
      let statement = try device.store.connection.prepare("SELECT * FROM \(table)")
      var rows: [String] = []
      while try statement.step() {
        rows.append(
          "\(table) " + (0..<statement.columnCount).map { "\(statement.value($0))" }.joined(separator: " "))
      }
      return rows.sorted()
    }
  }

  @Test(arguments: 0..<40)
  func `names that turn out to be of known things at once are united as one after the other`(seed: UInt64)
    throws
  {
    let writings = try Self.writings(seed)
    func told(_ names: [(name: String, former: String, kind: Property.Kind)]) -> [Property] {
      names.map { Property(name: $0.name, formerNames: [$0.former], kind: $0.kind) }
    }
    let together = try PlainDevice("device")
    try together.receive(writings)
    var all = ScriptedAuthor(9, Self.names(told(Self.people), told(Self.teams)))
    try together.receive([all.set()])

    let oneByOne = try PlainDevice("device")
    try oneByOne.receive(writings)
    for (author, property) in told(Self.people).enumerated() {
      var next = ScriptedAuthor(9 + UInt64(author), Self.names([property], []))
      try oneByOne.receive([next.set()])
    }
    for (author, property) in told(Self.teams).enumerated() {
      var next = ScriptedAuthor(20 + UInt64(author), Self.names([], [property]))
      try oneByOne.receive([next.set()])
    }

    #expect(try together.store.contents() == oneByOne.store.contents())
    #expect(try cells(together) == cells(oneByOne))
    let united = try together.store.connection.first(
      "SELECT count(*) FROM TICDS_PROPERTY WHERE path = x''")
    #expect(united == .integer(Int64(Self.people.count + Self.teams.count)))
  }
}
