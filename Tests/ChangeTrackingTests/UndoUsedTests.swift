import ObjectStore
import Testing

@testable import ChangeTracking

/// An object comes with a merge, and is used before the merge is taken back.
@Suite struct UndoUsedTests {
  private static let model = version()

  private static func version(_ others: RelationshipDescription...) -> [EntityDeclaration] {
    [
      EntityDeclaration(
        "Book", attributes: [RenamingTests.syncID],
        relationships: [
          .init("cover", to: "Cover", inverse: "book", isToMany: false),
          .init("tags", to: "Tag", inverse: "books", isToMany: true),
          .init("sequel", to: "Book", inverse: nil, isToMany: false),
        ] + others),
      EntityDeclaration(
        "Cover", attributes: [RenamingTests.syncID],
        relationships: [.init("book", to: "Book", inverse: "cover", isToMany: false)]),
      EntityDeclaration(
        "Tag", attributes: [RenamingTests.syncID],
        relationships: [.init("books", to: "Book", inverse: "tags", isToMany: true)]),
    ]
  }

  /// - Returns: what takes the merge back.
  private static func merge(_ other: VersionedDevice, into device: VersionedDevice) throws -> MergeInverse {
    let outcome = try device.replica.apply(
      other.replica.push(), policy: .always(.latest), keepsInverse: true)
    guard case .applied(let report) = outcome else { throw NothingMerged() }
    return try #require(report.inverse)
  }

  private struct NothingMerged: Error {}

  @Test func `what a later version uses in a way that nobody sees here is taken back with the rest`() throws {
    let later = Self.version(.init("marks", to: "Tag", inverse: nil, isToMany: true))
    let (here, there) = (try VersionedDevice("here", Self.model), try VersionedDevice("there", later))
    try here.insert("Book", "old")
    try VersionedDevice.synchronize(here, there)
    try there.insert("Tag", "new")
    try there.edit { _ in
      let (book, tag) = (try there.object("Book", "old"), try there.object("Tag", "new"))
      book?.setMembers([tag].compactMap(\.self), "marks")
    }
    let inverse = try Self.merge(there, into: here)

    let report = try here.replica.undo(inverse)

    #expect(report.kept.isEmpty)
    #expect(try here.object("Tag", "new") == nil)
  }

  /// What of another object leads to the one that came.
  enum Use: CaseIterable {
    case cover, bookOfCover, tags, booksOfTag, sequel
  }

  private static func use(_ use: Use, on device: VersionedDevice) throws {
    func object(_ entity: String, _ id: String) throws -> ManagedObject {
      try #require(try device.object(entity, id))
    }
    try device.edit { _ in
      switch use {
      case .cover: try object("Book", "new").setTarget(object("Cover", "old"), "cover")
      case .bookOfCover: try object("Cover", "new").setTarget(object("Book", "old"), "book")
      case .tags: try object("Book", "new").setMembers([object("Tag", "new"), object("Tag", "old")], "tags")
      case .booksOfTag:
        try object("Tag", "new").setMembers([object("Book", "new"), object("Book", "old")], "books")
      case .sequel: try object("Book", "old").setTarget(object("Book", "new"), "sequel")
      }
    }
  }

  /// The links of what was there before.
  private static func links(of device: VersionedDevice) throws -> [String?] {
    [
      try device.target("Book", "old", "cover"), try device.target("Book", "old", "sequel"),
      try device.target("Cover", "old", "book"), try device.members("Book", "old", "tags").first,
      try device.members("Tag", "old", "books").first,
    ]
  }

  @Test(arguments: Use.allCases)
  func `what came and is used since stays with its use when the merge is taken back`(use: Use) throws {
    let (here, there) = (try VersionedDevice("here", Self.model), try VersionedDevice("there", Self.model))
    for entity in ["Book", "Cover", "Tag"] { try here.insert(entity, "old") }
    for entity in ["Book", "Cover", "Tag"] { try there.insert(entity, "new") }
    try there.edit { _ in
      let (book, tag) = (try there.object("Book", "new"), try there.object("Tag", "new"))
      book?.setMembers([tag].compactMap(\.self), "tags")
    }
    let inverse = try Self.merge(there, into: here)
    try Self.use(use, on: here)
    let before = try Self.links(of: here)
    try #require(before.contains { $0 != nil })

    let report = try here.replica.undo(inverse)

    let used = [Use.cover, .tags, .sequel].contains(use) ? "Book" : use == .bookOfCover ? "Cover" : "Tag"
    #expect(report.kept.contains { $0.entity == used && $0.object == "new" && $0.key == nil })
    #expect(try Self.links(of: here) == before)
    for entity in ["Book", "Cover", "Tag"] where entity != used {
      #expect(try here.object(entity, "new") == nil, "nobody uses the \(entity)")
    }
  }
}
