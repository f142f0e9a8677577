import ObjectStore
import Testing

@testable import ChangeTracking

/// What objects show that are older than what a version of the model wants of them.
@Suite struct BlankValueTests {
  private static func model(
    _ attributes: [AttributeDescription], parent: [AttributeDescription]? = nil
  ) -> [EntityDeclaration] {
    guard let parent else {
      return [
        EntityDeclaration("Card", attributes: [RenamingTests.syncID, .init("name", .string)] + attributes)
      ]
    }
    return [
      EntityDeclaration("Sheet", attributes: [RenamingTests.syncID] + parent),
      EntityDeclaration("Card", parent: "Sheet", attributes: [.init("name", .string)] + attributes),
    ]
  }

  private static let plain = model([])

  /// Objects of the former version, on a device that is brought to later ones, and on one that joins with the last.
  private func compare(
    _ versions: [EntityDeclaration]..., skipping: Bool, shows expected: AttributeValue, of property: String
  ) throws {
    let last = try #require(versions.last)
    let device = try VersionedDevice("device", versions[0])
    let joined = try VersionedDevice("joined", last)
    try device.insert("Card", "c", ["name": .string("x")])
    try VersionedDevice.synchronize(device, joined)

    if skipping {
      try device.upgrade(to: last, through: versions.dropLast())
    } else {
      for (former, present) in zip(versions, versions.dropFirst()) {
        try device.upgrade(to: present, by: former)
      }
    }
    try VersionedDevice.synchronize(device, joined)

    for device in [device, joined] { #expect(try device.value("Card", "c", property) == expected) }
  }

  @Test(arguments: [true, false])
  func `a value that only a version between demanded is not shown after it`(skipping: Bool) throws {
    let optional = Self.model([.init("flag", .boolean)])
    let demanded = Self.model([.init("flag", .boolean, isOptional: false, defaultValue: .boolean(false))])
    // Otherwise the first and the last would be one version, and nothing would be migrated.
    let last = Self.model([.init("flag", .boolean), .init("more", .string)])

    try compare(optional, demanded, last, skipping: skipping, shows: .null, of: "flag")
  }

  @Test func `the default of an optional attribute is for new objects`() throws {
    let present = Self.model([.init("stars", .integer16, defaultValue: .integer(5))])

    try compare(Self.plain, present, skipping: false, shows: .null, of: "stars")
  }

  @Test func `the default of an attribute that must have a value shows in objects that have none`() throws {
    let present = Self.model([.init("stars", .integer16, isOptional: false, defaultValue: .integer(5))])

    try compare(Self.plain, present, skipping: false, shows: .integer(5), of: "stars")
  }

  @Test(arguments: [true, false])
  func `what an entity gets with a parent shows as the parent wants it`(isOptional: Bool) throws {
    let extra = AttributeDescription("stars", .integer16, isOptional: isOptional, defaultValue: .integer(5))
    let present = Self.model([], parent: [extra])

    try compare(Self.plain, present, skipping: false, shows: isOptional ? .null : .integer(5), of: "stars")
  }

  @Test func `an attribute that gets another default in an entity that gets a parent shows the new one`()
    throws
  {
    let sheet = EntityDeclaration(
      "Sheet", attributes: [RenamingTests.syncID] + ["a", "b", "c", "d"].map { .init($0, .string) })
    func model(isNested: Bool, stars: Int64) -> [EntityDeclaration] {
      let own = isNested ? [] : [RenamingTests.syncID]
      let stars = AttributeDescription("stars", .integer16, isOptional: false, defaultValue: .integer(stars))
      return [
        sheet,
        EntityDeclaration(
          "Card", parent: isNested ? "Sheet" : nil, attributes: own + [.init("name", .string), stars]),
      ]
    }
    let (former, present) = (model(isNested: false, stars: 1), model(isNested: true, stars: 2))
    let device = try VersionedDevice("device", former)
    let joined = try VersionedDevice("joined", present)
    try device.insert("Card", "c", ["name": .string("x")])
    var author = ScriptedAuthor(
      9, entities: EntityNames(name: "Card", root: "Card", properties: []))
    let set = try author.set(Change("d", at: 1_700_000_000_000, .insert([])))
    for device in [device, joined] { _ = try device.replica.receive([set], policy: .always(.latest)) }

    try device.upgrade(to: present, by: former)
    try VersionedDevice.synchronize(device, joined)

    for device in [device, joined] { #expect(try device.value("Card", "d", "stars") == .integer(2)) }
  }
}
