import ChangeTracking
import ObjectStore

/// What the two replicas know: inheritance, every type of attribute and every kind of relationship and merge, natural keys, a
/// unique constraint, and an attribute that must have a value.
enum MergingModel {
  /// Entities that objects can be of.
  static let concrete = ["Note", "Task", "Folder", "Tag"]

  static func make() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [item, note, task, folder, tag])
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
