import ChangeTracking
import Foundation
import ObjectStore
import TICDSSQLite
import ShownText
import SyncProtocol

/// An object that two states do not show alike.
public struct StateDifference: Sendable, Equatable {
  /// What is different.
  public enum Kind: String, Sendable {
    /// Only the second state has the object.
    case added
    /// Only the first state has the object.
    case removed
    /// Both have it, and it shows something else.
    case changed
  }

  /// A property that is shown differently. Texts are as ``StateDifferences/text(_:)`` makes them; `nil` for nothing.
  public struct Property: Sendable, Equatable {
    /// The property's name.
    public let name: String
    /// What the first state shows.
    public let first: String?
    /// What the second state shows.
    public let second: String?
  }

  /// What is different.
  public let kind: Kind
  /// The object's entity.
  public let entity: String
  /// The object's sync ID.
  public let identifier: String
  /// What is shown differently; of an object that only one state has, all that it shows.
  public let properties: [Property]
}

/// Compares two states object by object, in a database on disk, so that memory does not grow with them.
public final class StateDifferences {
  private let scratch: ScratchFolder
  private let connection: Connection
  /// Whether names are compared without regard to case, and truth values as numbers: of a store that keeps no model, tables tell no more.
  private let isLoose: Bool

  /// Prepares a comparison.
  ///
  /// - Parameter isLoose: whether the model of one of them was guessed from tables: then only properties that both have are compared.
  /// - Throws: if there is no room on this device.
  public init(isLoose: Bool = false) throws {
    self.isLoose = isLoose
    scratch = try ScratchFolder.temporary()
    connection = try Connection(path: scratch.file("states.sqlite"))
    try connection.execute(
      script: """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        CREATE TABLE OBJECT (SIDE INTEGER, ROOT TEXT, ID TEXT, ENTITY TEXT, SHOWN BLOB,
        PRIMARY KEY (SIDE, ROOT, ID)) WITHOUT ROWID
        """)
  }

  /// The two states.
  public enum Side: Int, Sendable {
    /// The state that the other is compared with.
    case first
    /// The other one.
    case second
  }

  /// Takes up the objects of a state.
  public func add(_ objects: StateObjects, as side: Side) throws {
    let statement = try connection.prepare("INSERT OR REPLACE INTO OBJECT VALUES (?, ?, ?, ?, ?)")
    try connection.transaction {
      try objects.forEach { object in
        var shown: [String: String] = [:]
        for (name, value) in object.attributes { shown[key(name)] = text(of: value) ?? "" }
        for (name, _, targets) in object.relationships {
          shown[key(name)] = targets.joined(separator: ", ")
        }
        let encoded = [UInt8](try JSONEncoder().encode(shown))
        try statement.bind([
          .integer(Int64(side.rawValue)), .text(key(object.root)), .text(object.identifier),
          .text(object.entity), .blob(encoded),
        ])
        try statement.run()
      }
    }
  }

  private func key(_ name: String) -> String { isLoose ? name.lowercased() : name }

  private func text(of value: AttributeValue) -> String? {
    if isLoose, case .boolean(let flag) = value { return flag ? "1" : "0" }
    return Self.text(value)
  }

  /// The text of a value; `nil` for null.
  public static func text(_ value: AttributeValue) -> String? {
    switch value {
    case .null, .reference: nil
    case .boolean(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .float(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .string(let text), .uri(let text): text
    case .date(let seconds): DateText.words(seconds)
    case .data(let bytes): Data(bytes).base64EncodedString()
    case .uuid(let identifier): identifier.uuidString
    }
  }

  /// Calls `body` with each object that is not shown alike, by entity and identifier.
  ///
  /// - Returns: how many there are.
  @discardableResult
  public func forEach(_ body: (StateDifference) throws -> Void) throws -> Int {
    // Objects of the same identifier in both are next to each other.
    let statement = try connection.prepare(
      "SELECT SIDE, ROOT, ID, ENTITY, SHOWN FROM OBJECT ORDER BY ROOT, ID, SIDE")
    var count = 0
    func tell(_ difference: StateDifference?) throws {
      guard let difference else { return }
      count += 1
      try body(difference)
    }
    var open: Row?
    while try statement.step() {
      try Task.checkCancellation()
      let row = try Row(statement)
      if let first = open, first.isOfSameObject(as: row) {
        try tell(changed(first, row))
        open = nil
        continue
      }
      if let open { try tell(alone(open)) }
      open = row
    }
    if let open { try tell(alone(open)) }
    return count
  }

  private struct Row {
    let side: Side
    let root: String
    let identifier: String
    let entity: String
    let shown: [String: String]

    init(_ statement: Statement) throws {
      side = statement.int64(0) == 0 ? .first : .second
      root = statement.text(1)
      identifier = statement.text(2)
      entity = statement.text(3)
      shown = try JSONDecoder().decode([String: String].self, from: Data(statement.blob(4)))
    }

    /// Identifiers are bytes: two spellings of one letter are two.
    func isOfSameObject(as other: Row) -> Bool {
      root == other.root && identifier.utf8.elementsEqual(other.identifier.utf8)
    }
  }

  private func alone(_ row: Row) -> StateDifference {
    let isFirst = row.side == .first
    return StateDifference(
      kind: isFirst ? .removed : .added, entity: row.entity, identifier: row.identifier,
      properties: row.shown.sorted { $0.key < $1.key }.compactMap { name, text in
        text.isEmpty
          ? nil : .init(name: name, first: isFirst ? text : nil, second: isFirst ? nil : text)
      })
  }

  private func changed(_ first: Row, _ second: Row) -> StateDifference? {
    var properties: [StateDifference.Property] = []
    for name in Set(first.shown.keys).union(second.shown.keys).sorted() {
      if isLoose, first.shown[name] == nil || second.shown[name] == nil { continue }
      let (one, other) = (first.shown[name] ?? "", second.shown[name] ?? "")
      guard !one.utf8.elementsEqual(other.utf8) else { continue }
      properties.append(
        .init(name: name, first: one.isEmpty ? nil : one, second: other.isEmpty ? nil : other))
    }
    let isSameEntity = isLoose || first.entity == second.entity
    guard !properties.isEmpty || !isSameEntity else { return nil }
    if !isSameEntity { properties.append(.init(name: "entity", first: first.entity, second: second.entity)) }
    return StateDifference(
      kind: .changed, entity: second.entity, identifier: second.identifier, properties: properties)
  }
}
