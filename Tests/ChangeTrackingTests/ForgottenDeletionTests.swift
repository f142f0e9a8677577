import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// What may be done after deletions were forgotten.
@Suite struct ForgottenDeletionTests {
  private static let model = [
    EntityDeclaration("Card", attributes: [RenamingTests.syncID, .init("name", .string)])
  ]

  @Test func `a copy from before a deletion that was forgotten is not merged`() throws {
    let here = try VersionedDevice("here", Self.model)
    let there = try VersionedDevice("there", Self.model)
    try here.insert("Card", "c")
    try VersionedDevice.synchronize(here, there)
    let folder = try TemporaryFolder()
    _ = try there.replica.snapshot(to: folder.file("early.sqlite"), keepingRemoteNotes: [])
    try there.edit { $0.delete(try #require(try there.object("Card", "c"))) }
    try VersionedDevice.synchronize(here, there)
    let horizon = Horizon(positions: [try here.replica.position(), try there.replica.position()])
    for device in [here, there] {
      #expect(try device.replica.collectTombstones(below: horizon).objects == 1)
    }

    let outcome = try here.replica.mergeCopy(
      at: folder.file("early.sqlite"), policy: .always(.latest), along: { _, _, _ in })

    guard case .unusable(let reason) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reason.contains("forgotten"))
    #expect(try here.count("Card") == 0)
  }

  @Test func `a deletion that was not sent is not forgotten, for a new author may have to say it`() throws {
    let here = try VersionedDevice("here", Self.model)
    try here.insert("Card", "c")
    try here.push()
    try here.edit { $0.delete(try #require(try here.object("Card", "c"))) }
    try here.replica.freeze()

    let collected = try here.replica.collectTombstones(
      below: Horizon(positions: [here.replica.position()]))
    try here.replica.beginNewIncarnation()

    #expect(collected == CollectedTombstones())
    #expect(try !here.replica.isBehind(here.replica.horizon()))
    let there = try VersionedDevice("there", Self.model)
    try there.receive(from: here)
    #expect(try there.count("Card") == 0)
  }

  @Test func `a copy can be made while something waits to be shown`() throws {
    struct Stopped: Error {}
    let model = [
      EntityDeclaration(
        "Card", attributes: [RenamingTests.syncID, .init("code", .string)], uniquenessConstraints: [["code"]])
    ]
    let device = try VersionedDevice("device", model, setLimit: 1)
    try device.insert("Card", "c", ["code": .string("x")])
    try device.push()
    for code in ["y", "z", "w"] { try device.set("Card", "c", "code", .string(code)) }
    // A freeze that ends after its first slice.
    var sealed = 0
    device.replica.sealing = { plain, _, _ in
      sealed += 1
      if sealed > 1 { throw Stopped() }
      return plain
    }
    #expect(throws: Stopped.self) { try device.replica.freeze() }
    device.replica.sealing = { plain, _, _ in plain }
    let folder = try TemporaryFolder()

    _ = try device.replica.snapshot(to: folder.file("copy.sqlite"), keepingRemoteNotes: [])

    let copy = try VersionedDevice("copy", snapshotOf: device, model)
    #expect(try copy.text("Card", "c", "code") == "w")
  }
}
