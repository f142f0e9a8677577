import ChangeTracking
import ObjectStore

/// What the two replicas know: inheritance, every type of attribute and every kind of relationship and merge, natural keys, a
/// unique constraint, and an attribute that must have a value. There are two versions of it, of which the second gives other names
/// to some of all that.
enum MergingModel {
  /// Entities that objects can be of, by their first names.
  static let concrete = ["Note", "Task", "Folder", "Tag"]

  enum Version: Sendable {
    case first, renamed

    private static let newNames = [
      "Item": "Entry", "Note": "Memo", "title": "heading", "code": "sign", "votes": "likes",
      "cost": "expense",
      "start": "begin", "parent": "above", "children": "below", "spouse": "partner", "labels": "marks",
      "queue": "line", "queues": "lines", "emblem": "badge", "emblemOf": "badgeOf",
    ]
    private static let firstNames = Dictionary(uniqueKeysWithValues: newNames.map { ($0.value, $0.key) })

    /// What this version calls something.
    func name(_ first: String) -> String { self == .first ? first : Self.newNames[first] ?? first }

    /// What the first version called something; `nil` if it did not have it.
    func firstName(_ name: String) -> String? {
      guard self == .renamed else { return name }
      return Self.firstNames[name] ?? (Self.newNames[name] == nil ? name : nil)
    }
  }

  static func make(_ version: Version) throws -> ManagedObjectModel {
    let entities = [item, note, task, folder, tag]
    return try ManagedObjectModel(
      entities: version == .first ? entities : entities.map { renamed($0, version) })
  }

  private static func renamed(_ entity: EntityDeclaration, _ version: Version) -> EntityDeclaration {
    func former(_ name: String) -> String? { version.name(name) == name ? nil : name }
    var entity = entity
    entity.renamingIdentifier = former(entity.name)
    entity.properties = entity.properties.map { property in
      switch property {
      case .attribute(var attribute):
        attribute.renamingIdentifier = former(attribute.name)
        attribute.name = version.name(attribute.name)
        return .attribute(attribute)
      case .relationship(var relationship):
        relationship.renamingIdentifier = former(relationship.name)
        relationship.name = version.name(relationship.name)
        relationship.inverse = relationship.inverse.map(version.name)
        relationship.destination = version.name(relationship.destination)
        return .relationship(relationship)
      }
    }
    // A name that is free may be given to something new.
    if entity.name == "Item" { entity.properties.append(.attribute(AttributeDescription("title", .string))) }
    entity.uniquenessConstraints = entity.uniquenessConstraints.map { $0.map(version.name) }
    entity.parent = entity.parent.map(version.name)
    entity.name = version.name(entity.name)
    return entity
  }

  private static let syncID = AttributeDescription(SyncModelKey.syncID, .string, isIndexed: true)

  private static func attribute(
    _ name: String, _ type: AttributeType, _ value: AttributeValue = .null, merging kind: MergeKind
  ) -> AttributeDescription {
    AttributeDescription(name, type, defaultValue: value, userInfo: .merging(kind))
  }

  private static func toOne(_ name: String, _ destination: String, inverse: String?)
    -> RelationshipDescription
  {
    RelationshipDescription(name, to: destination, inverse: inverse, isToMany: false)
  }

  private static func toMany(
    _ name: String, _ destination: String, inverse: String?, isOrdered: Bool = false
  ) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse, isToMany: true, isOrdered: isOrdered)
  }

  private static let item = EntityDeclaration(
    "Item", isAbstract: true,
    attributes: [
      syncID, AttributeDescription("title", .string, isOptional: false),
      AttributeDescription("code", .string),
      AttributeDescription("flag", .boolean), AttributeDescription("small", .integer16),
      AttributeDescription("medium", .integer32), AttributeDescription("count", .integer64),
      AttributeDescription("price", .decimal), AttributeDescription("weight", .double),
      AttributeDescription("ratio", .float), AttributeDescription("due", .date),
      AttributeDescription("picture", .binary), AttributeDescription("token", .uuid),
      AttributeDescription("link", .uri), attribute("votes", .integer16, .integer(0), merging: .counter),
      attribute("balance", .double, merging: .counter), attribute("cost", .decimal, merging: .counter),
      attribute("seen", .date, merging: .greatest), attribute("record", .integer64, merging: .smallest),
      attribute("start", .integer64, merging: .group("span")),
      attribute("end", .integer64, merging: .group("span")),
    ],
    relationships: [
      toOne("parent", "Item", inverse: "children"), toMany("children", "Item", inverse: "parent"),
      toOne("spouse", "Item", inverse: "spouse"), toMany("friends", "Item", inverse: "friends"),
      toOne("folder", "Folder", inverse: "items"), toMany("guestOf", "Folder", inverse: "guests"),
      toMany("queues", "Folder", inverse: "queue", isOrdered: true),
      toMany("labels", "Tag", inverse: "items"),
    ], uniquenessConstraints: [["code"]])

  private static let note = EntityDeclaration(
    "Note", parent: "Item", attributes: [AttributeDescription("text", .string)],
    relationships: [toOne("emblemOf", "Tag", inverse: "emblem"), toOne("task", "Task", inverse: "note")])

  private static let task = EntityDeclaration(
    "Task", parent: "Item", attributes: [AttributeDescription("done", .boolean)],
    relationships: [toOne("note", "Note", inverse: "task")])

  private static let folder = EntityDeclaration(
    "Folder", attributes: [syncID, AttributeDescription("name", .string)],
    relationships: [
      toMany("items", "Item", inverse: "folder", isOrdered: true),
      toMany("guests", "Item", inverse: "guestOf", isOrdered: true),
      toMany("queue", "Item", inverse: "queues", isOrdered: true), toOne("cover", "Item", inverse: nil),
    ])

  private static let tag = EntityDeclaration(
    "Tag",
    attributes: [
      syncID, AttributeDescription("name", .string), AttributeDescription("colour", .string),
      attribute("uses", .integer64, .integer(10), merging: .counter),
    ],
    relationships: [
      toMany("items", "Item", inverse: "labels"), toOne("emblem", "Note", inverse: "emblemOf"),
    ],
    userInfo: [SyncModelKey.naturalKey: "name"])
}
