import Foundation
import ObjectStore
import Testing

/// Derived attributes of other types than what they are derived from.
@Suite struct DerivedTypeTests {
  /// A folder of notes, each of which has a value `p`; `x` is derived, and so is `again` from it.
  private static func model(
    _ type: AttributeType, _ derivation: String?, from source: AttributeType
  ) throws -> ManagedObjectModel {
    let attributes: [AttributeDescription] =
      derivation.map { [.init("x", type, derivation: $0), .init("again", type, derivation: "x")] } ?? []
    return try ManagedObjectModel(entities: [
      folder(attributes),
      EntityDeclaration(
        "Note", attributes: [.init("p", source)],
        relationships: [.toOne("folder", to: "Folder", inverse: "notes")]),
    ])
  }

  private static func folder(_ attributes: [AttributeDescription]) -> EntityDeclaration {
    EntityDeclaration(
      "Folder", attributes: attributes + [.init("p", .integer64)],
      relationships: [.toMany("notes", to: "Note", inverse: "folder")])
  }

  @discardableResult private func fill(
    _ context: ManagedObjectContext, _ values: [AttributeValue]
  ) throws -> ManagedObject {
    let folder = try context.insert(entity: "Folder")
    for value in values {
      let note = try context.insert(entity: "Note")
      note["p"] = value
      note.setTarget(folder, "folder")
    }
    try context.save()
    return folder
  }

  struct Conversion: Sendable, CustomTestStringConvertible {
    let source: AttributeType
    let values: [AttributeValue]
    let derivation: String
    let type: AttributeType
    let expected: AttributeValue

    init(
      _ source: AttributeType, _ values: [AttributeValue], _ derivation: String, _ type: AttributeType,
      _ expected: AttributeValue
    ) {
      (self.source, self.values, self.derivation, self.type, self.expected) =
        (source, values, derivation, type, expected)
    }

    var testDescription: String { "\(values) by \(derivation) as \(type)" }
  }

  @Test(arguments: [
    Conversion(.double, [.double(0.1)], "notes.@max.p", .float, .float(0.1)),
    Conversion(.double, [.double(0.1), .double(0.2)], "notes.@sum.p", .float, .float(0.3)),
    Conversion(
      .integer64, [.integer(9_007_199_254_740_993)], "notes.@max.p", .double, .double(9_007_199_254_740_992)),
    Conversion(.integer64, [.integer(16_777_217)], "notes.@min.p", .float, .float(16_777_216)),
    Conversion(.integer64, [.integer(.min)], "notes.@avg.p", .double, .double(-9_223_372_036_854_775_808)),
    Conversion(.integer64, [.integer(.min)], "notes.@sum.p", .integer64, .integer(.min)),
    Conversion(.decimal, [.decimal(1.5)], "notes.@max.p", .double, .double(1.5)),
    Conversion(
      .decimal, [.decimal(Decimal(sign: .plus, exponent: -90, significand: 1))], "notes.@sum.p", .double,
      .double(1e-90)),
    Conversion(.float, [.float(0.5)], "notes.@max.p", .decimal, .decimal(0.5)),
    Conversion(.integer16, [.integer(1), .integer(3)], "notes.@avg.p", .integer64, .integer(2)),
    Conversion(.double, [.double(1.5), .double(1.5)], "notes.@sum.p", .integer32, .integer(3)),
    Conversion(.boolean, [.boolean(true)], "notes.@max.p", .integer16, .integer(1)),
    Conversion(.boolean, [.boolean(true), .boolean(true)], "notes.@sum.p", .decimal, .decimal(2)),
    Conversion(.date, [.date(1), .date(3)], "notes.@avg.p", .date, .date(2)),
    Conversion(.date, [.date(1.5)], "notes.@max.p", .double, .double(1.5)),
    Conversion(.string, [.string("b"), .string("a")], "notes.@min.p", .string, .string("a")),
  ])
  func `what fits is converted, and the store that holds it passes its check`(_ conversion: Conversion) throws
  {
    let fixture = try TemporaryStore(
      Self.model(conversion.type, conversion.derivation, from: conversion.source))

    let context = try fixture.store.newContext()

    let folder = try fill(context, conversion.values)

    let other = try fixture.store.newContext()
    let stored = try #require(other.object(for: folder.objectID))
    for object in [folder, stored] {
      #expect(object["x"] == conversion.expected && object["again"] == conversion.expected, "\(object["x"])")
    }
    try StoreFile(path: fixture.path).verify { #expect($0.severity == .hint, "\($0)") }
  }

  @Test(arguments: [
    Conversion(.double, [.double(1e300)], "notes.@max.p", .float, .null),
    Conversion(.double, [.double(1e300), .double(1e300)], "notes.@sum.p", .float, .null),
    Conversion(.double, [.double(1.5)], "notes.@max.p", .integer32, .null),
    Conversion(.integer64, [.integer(70_000)], "notes.@sum.p", .integer16, .null),
    Conversion(.integer64, [.integer(.max), .integer(1)], "notes.@sum.p", .double, .null),
    Conversion(.double, [.double(.infinity)], "notes.@max.p", .decimal, .null),
  ])
  func `what does not fit is refused by a save, and by a migration`(_ conversion: Conversion) throws {
    let model = try Self.model(conversion.type, conversion.derivation, from: conversion.source)
    let fixture = try TemporaryStore(model)
    let context = try fixture.store.newContext()
    let error = #expect(throws: SaveError.self) { try fill(context, conversion.values) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("x"))

    let old = try TemporaryStore(Self.model(.double, nil, from: conversion.source))
    try fill(old.store.newContext(), conversion.values)
    let refusal = #expect(throws: StoreError.self) {
      try PersistentStore(model: model, path: old.path, options: .init(migration: .automatic))
    }
    guard case .migrationRefused(let lines)? = refusal?.reason else {
      return #expect(Bool(false), "\(refusal.map { "\($0)" } ?? "no error")")
    }
    #expect(lines.contains { $0.hasPrefix("Folder.x: ") }, "\(lines)")
  }

  @Test(arguments: [
    ("notes.@count", AttributeType.string, AttributeType.double), ("notes.@count", .date, .double),
    ("notes.@count", .boolean, .double), ("now:()", .double, .double), ("notes.@max.p", .double, .string),
    ("notes.@max.p", .double, .uuid), ("notes.@max.p", .string, .integer16),
    ("notes.@sum.p", .boolean, .integer16),
    ("notes.@max.p", .date, .string), ("notes.@max.p", .boolean, .integer64), ("p", .string, .string),
  ])
  func `a model is refused in which the type of a derived attribute holds none of its values`(
    derivation: String, type: AttributeType, source: AttributeType
  ) {
    let error = #expect(throws: ModelError.self) { try Self.model(type, derivation, from: source) }

    #expect(error?.problems.first?.message.contains("fits") == true, "\(error.map { "\($0)" } ?? "")")
  }
}
