import ChangeTracking
import FileManagerBackend
import Foundation
import Inspection
import ObjectStore
import SyncProtocol
import Testing

/// `state`: a document as it was, made of what lies on a remote.
@Suite struct StateTests {
  @Test(arguments: 0..<20)
  func `the state of a moment is what a device holds that stopped synchronising then`(seed: UInt64)
    async throws
  {
    let workshop = try await Workshop(seed: seed, encrypted: seed.isMultiple(of: 5))
    let (first, second, stopped) = (workshop.devices[0], workshop.devices[1], workshop.devices[2])
    for _ in 0..<12 {
      let device = try #require(workshop.devices.randomElement(using: &workshop.random))
      try workshop.edit(device)
      if Bool.random(using: &workshop.random) { try await device.sync() }
    }
    for device in [first, second, stopped] { try await device.sync() }
    let moment = workshop.now
    let held = try stopped.contents()
    workshop.advance()
    for _ in 0..<12 {
      let device = try #require([first, second].randomElement(using: &workshop.random))
      try workshop.edit(device)
      if Bool.random(using: &workshop.random) { try await device.sync() }
    }
    for device in [first, second, first] { try await device.sync() }
    let before = try Snapshot(of: workshop.remote)

    let model = try Workshop.model()
    let state = try await workshop.inspector.state(at: .until(moment), model: model)
    #expect(state.omissions == [])
    #expect(try Workshop.lines(state.objects()) == held)
    let seen = try await workshop.inspector.state(at: .seen(by: author(of: stopped)), model: model)
    #expect(try Workshop.lines(seen.objects()) == held)
    let latest = try await workshop.inspector.state(model: model)
    #expect(try Workshop.lines(latest.objects()) == first.contents())
    let derived = try await workshop.inspector.state()
    #expect(derived.modelOrigin == .derived)
    #expect(derived.omissions == [])
    try expectSame(derived.objects(), as: first)
    #expect(try Snapshot(of: workshop.remote) == before)
  }

  private func author(of device: Workshop.Device) async throws -> AuthorID {
    try await device.manager.status().replica.author
  }

  /// What sets say is shown with either model: only ends of relationships that sets do not mention, and defaults, are not.
  private func expectSame(_ shown: StateObjects, as device: Workshop.Device) throws {
    var objects: [String: StateObject] = [:]
    try StateObjects(StoreFile(path: device.path, model: device.store.model)).forEach {
      objects[$0.identifier] = $0
    }
    var count = 0
    try shown.forEach { object in
      count += 1
      let other = try #require(objects[object.identifier])
      #expect(object.entity == other.entity)
      for (name, value) in object.attributes {
        let shown = other.attributes.first { $0.name == name }?.value
        #expect(value == shown, "\(object.entity) \(name)")
      }
      for (name, _, targets) in object.relationships {
        let shown = other.relationships.first { $0.name == name }?.targets
        #expect(targets == shown, "\(object.entity) \(name)")
      }
    }
    #expect(count == objects.count)
  }

  @Test func `a document is named where there are several, and one that is not there is told`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    #expect(try await remote.inspector.state().document == "things")
    await #expect(throws: InspectionError.self) { try await remote.inspector.state(of: "other") }
    let locked = try await SampleRemote(encrypted: true)
    let inspector = RemoteInspector(backend: FileManagerBackend(folder: locked.remote.path))
    await #expect(throws: InspectionError.self) { try await inspector.state() }
  }

  @Test func `what is missing is named, and what came before it is shown`() async throws {
    let remote = try await SampleRemote(encrypted: false)
    let sets = try remote.sets()
    try FileManager.default.removeItem(at: sets[1])
    let state = try await remote.inspector.state()
    #expect(state.omissions.count == 1)
    #expect(state.omissions.first?.contains("set 2 of author") == true)
    #expect(try Workshop.lines(state.objects()).count == 2)
  }
}

/// The bytes and dates of all files in a folder.
struct Snapshot: Equatable {
  private var entries: [String: [String]] = [:]

  init(of folder: String) throws {
    let files = FileManager.default
    for name in try files.subpathsOfDirectory(atPath: folder) {
      let path = "\(folder)/\(name)"
      let attributes = try files.attributesOfItem(atPath: path)
      let date = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
      entries[name] = ["\(date)", files.contents(atPath: path)?.base64EncodedString() ?? ""]
    }
  }
}
