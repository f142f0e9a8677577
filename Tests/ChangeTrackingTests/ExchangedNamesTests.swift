import ByteFixtures
import ObjectStore
import TemporaryFolders
import Testing

@testable import ChangeTracking

/// Versions of an application exchange names, and devices with all of them exchange sets, merge each other's whole stores, and begin with them.
@Suite struct ExchangedNamesTests {
  /// What a version calls two kinds of objects and their two properties each.
  struct Names: Sendable {
    var notes = "Note"
    var tags = "Tag"
    /// Of the texts that begin with `p` and with `q`.
    var noteKeys = ["title", "content"]
    var tagKeys = ["title", "content"]

    func entity(_ isNote: Bool) -> String { isNote ? notes : tags }
    func keys(_ isNote: Bool) -> [String] { isNote ? noteKeys : tagKeys }
  }

  struct Plan: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var later: [Names]

    /// Renaming identifiers say what all was called in the first version.
    func version(_ number: Int) throws -> [EntityDeclaration] {
      let versions = [Names()] + later
      return [true, false].map { isNote in
        let (present, first) = (versions[number], versions[0])
        let keys = zip(present.keys(isNote), first.keys(isNote)).map { key, former in
          AttributeDescription(
            key, .string, renamingIdentifier: former, versionHashModifier: "\(former) \(isNote) \(number)")
        }
        return EntityDeclaration(
          present.entity(isNote), attributes: [RenamingTests.syncID] + keys,
          renamingIdentifier: first.entity(isNote), versionHashModifier: "\(isNote) \(number)")
      }
    }

    func names(_ number: Int) -> Names { number == 0 ? Names() : later[number - 1] }
  }

  static let plans = [
    Plan(
      testDescription: "entities",
      later: [Names(notes: "Tag", tags: "Note"), Names(notes: "Tag", tags: "Note")]),
    Plan(
      testDescription: "entities, and back",
      later: [Names(notes: "Tag", tags: "Note"), Names()]),
    Plan(
      testDescription: "properties, then entities",
      later: [
        Names(noteKeys: ["content", "title"]),
        Names(notes: "Tag", tags: "Note", noteKeys: ["content", "title"]),
      ]),
    Plan(
      testDescription: "both, and the entities back",
      later: [
        Names(notes: "Tag", tags: "Note", noteKeys: ["content", "title"]),
        Names(noteKeys: ["content", "title"]),
      ]),
    Plan(
      testDescription: "a name is given up, and another gets it",
      later: [
        Names(notes: "Memo", tagKeys: ["heading", "content"]),
        Names(notes: "Memo", tags: "Note", tagKeys: ["content", "heading"]),
      ]),
  ]

  @Test(arguments: plans, UInt64(0)..<12)
  func `what has one name is one thing on all devices, whatever their versions`(plan: Plan, seed: UInt64)
    throws
  {
    var walk = try Walk(plan, SeededGenerator(seed: seed))
    for step in 0..<24 { try walk.step(step) }
    try walk.end()
  }

  /// Devices that do what is drawn.
  private struct Walk {
    private let plan: Plan
    private let folder: TemporaryFolder
    private var random: SeededGenerator
    private var devices: [VersionedDevice]
    private var versions = [0, 0, 0]
    private var count = 0
    private var trace: [String] = []

    init(_ plan: Plan, _ random: SeededGenerator) throws {
      self.plan = plan
      self.random = random
      folder = try TemporaryFolder()
      devices = try (0..<3).map { try VersionedDevice("\($0)", plan.version(0)) }
    }

    mutating func step(_ number: Int) throws {
      let index = Int.random(in: 0..<3, using: &random)
      let other = (index + Int.random(in: 1...2, using: &random)) % 3
      let (device, names) = (devices[index], plan.names(versions[index]))
      let isNote = Bool.random(using: &random)
      count += 1
      switch Int.random(in: 0..<12, using: &random) {
      case 0...2:
        let keys = names.keys(isNote)
        try device.insert(
          names.entity(isNote), "\(isNote ? "n" : "t")\(count)",
          [keys[0]: .string("p\(number)"), keys[1]: .string("q\(number)")])
      case 3, 4:
        let objects = try device.context.fetch(FetchRequest<ManagedObject>(entity: names.entity(isNote)))
        guard let object = objects.randomElement(using: &random) else { return }
        let key = Int.random(in: 0...1, using: &random)
        let text = "\(["p", "q"][key])\(number) by \(index)"
        try device.edit { _ in object[names.keys(isNote)[key]] = .string(text) }
      case 5...7: try device.receive(from: devices[other])
      case 8, 9: try upgrade(index, to: Int.random(in: versions[index]...2, using: &random))
      case 10: try merge(devices[other], into: device, number)
      default:
        // Who begins anew leaves nothing behind that nobody else has.
        for other in devices where other !== device { try other.receive(from: device) }
        devices[index] = try VersionedDevice(
          "\(index)-\(count)", snapshotOf: devices[other], plan.version(versions[index]))
      }
      try check("\(index) with version \(versions[index]), \(other), step \(number)")
    }

    private mutating func upgrade(_ index: Int, to version: Int) throws {
      guard version > versions[index] else { return }
      versions[index] = version
      try devices[index].upgrade(to: plan.version(version), through: (0..<version).map(plan.version))
    }

    private func merge(_ maker: VersionedDevice, into device: VersionedDevice, _ number: Int) throws {
      let path = folder.file("copy \(number)")
      _ = try maker.replica.snapshot(to: path)
      let outcome = try device.replica.mergeCopy(
        at: path, policy: .always(.latest), along: { _, _, _ in })
      guard case .merged = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }

    /// Texts stand where their first letters tell, and objects are what theirs tell.
    private mutating func check(_ step: String) throws {
      trace.append(step)
      for (device, version) in zip(devices, versions) {
        let strays = try Self.shown(device, plan.names(version)).filter { line in
          line[0].first != line[1].first || line[2].first != "p" || line[3].first != "q"
        }
        try #require(
          strays.isEmpty, "\(device.client) shows \(strays) after \(trace.joined(separator: "; "))")
      }
    }

    mutating func end() throws {
      for index in devices.indices { try upgrade(index, to: 2) }
      for _ in 0..<2 { try VersionedDevice.synchronize(devices[0], devices[1], devices[2]) }
      try check("the end")
      let shown = try devices.map { try Self.shown($0, plan.names(2)) }
      #expect(shown[0] == shown[1] && shown[1] == shown[2], "\(trace.joined(separator: "; "))")
    }

    /// What it is, its identifier, and both texts.
    private static func shown(_ device: VersionedDevice, _ names: Names) throws -> [[String]] {
      func text(_ object: ManagedObject, _ key: String) -> String {
        if case .string(let text) = object[key] { text } else { "none" }
      }
      device.context.mergePendingChanges()
      return try [true, false].flatMap { isNote in
        try device.context.fetch(FetchRequest<ManagedObject>(entity: names.entity(isNote))).map { object in
          [isNote ? "n" : "t", text(object, SyncModelKey.syncID)]
            + names.keys(isNote).map { text(object, $0) }
        }
      }.sorted { $0[1] < $1[1] }
    }
  }
}
