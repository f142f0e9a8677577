import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import Testing

/// A document that is lost as a whole, and a copy of the remote that has it.
@Suite struct LostDocumentTests {
  private struct Copied {
    let sample: SampleRemote
    let copy: URL
    let inspector: RemoteInspector
  }

  /// A remote without its document, and a copy with it.
  private func lost(encrypted: Bool) async throws -> Copied {
    let sample = try await SampleRemote(encrypted: encrypted)
    let copy = sample.folder.url.appending(path: "copy")
    try FileManager.default.copyItem(at: sample.remote, to: copy)
    try FileManager.default.removeItem(at: sample.remote.appending(path: "sample/Documents/things"))
    return Copied(
      sample: sample, copy: copy,
      inspector: RemoteInspector(
        backend: FileManagerBackend(folder: copy.path), password: encrypted ? SampleRemote.password : nil))
  }

  private func place(_ action: RepairAction, in folder: URL) -> URL {
    folder.appending(path: action.path.description)
  }

  /// Does a part of a plan, as a repair does that is interrupted.
  private func perform(_ actions: some Sequence<RepairAction>, _ lost: Copied) throws {
    for action in actions {
      switch action.change {
      case .makeFolder:
        try FileManager.default.createDirectory(
          at: place(action, in: lost.sample.remote), withIntermediateDirectories: true)
      case .write(.fromOther):
        try FileManager.default.copyItem(
          at: place(action, in: lost.copy), to: place(action, in: lost.sample.remote))
      case .write, .putAside: Issue.record("\(action)")
      }
    }
  }

  private func files(_ folder: URL) throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: folder.path))
  }

  @Test(arguments: [true, false])
  func `a repair that is interrupted anywhere is continued by the next, and only the end founds the document`(
    encrypted: Bool
  ) async throws {
    let first = try await lost(encrypted: encrypted)
    let actions = try await first.sample.inspector.planRepair(from: first.inspector).actions
    #expect(actions.count > 10)

    for count in stride(from: 0, through: actions.count, by: max(1, actions.count / 9)) {
      let lost = try await lost(encrypted: encrypted)
      let plan = try await lost.sample.inspector.planRepair(from: lost.inspector).actions
      try perform(plan.prefix(count), lost)
      let foundings = try files(lost.sample.remote).filter {
        $0.hasSuffix(".founding") && $0.contains("/things/")
      }
      #expect(foundings.isEmpty || count == plan.count, "\(count)")

      try perform(await lost.sample.inspector.planRepair(from: lost.inspector).actions, lost)

      #expect(try files(lost.sample.remote) == files(lost.copy), "\(count)")
      let verification = try await lost.sample.inspector.verify()
      #expect(verification.isClean, "\(count): \(verification.findings)")
    }
  }

  @Test func `nothing is taken from a copy of another application that has the same name`() async throws {
    let lost = try await lost(encrypted: false)
    let other = try await SampleRemote(encrypted: false)

    let plan = try await lost.sample.inspector.planRepair(from: other.inspector)

    #expect(plan.actions == [])
    #expect(plan.left.map(\.code) == [.noDocument])
  }

  @Test func `nor from a copy of which no device is known here, where the records are lost too`() async throws
  {
    let sample = try await SampleRemote(encrypted: false)
    let copy = try sample.copy()
    let other = try await SampleRemote(encrypted: false)
    let devices = other.remote.appending(path: "sample/ClientDevices")
    for client in try FileManager.default.contentsOfDirectory(atPath: devices.path) {
      try FileManager.default.moveItem(
        at: devices.appending(path: client), to: devices.appending(path: "other-\(client)"))
    }
    for folder in ["Documents", "Founding"] {
      try FileManager.default.removeItem(at: sample.remote.appending(path: "sample/\(folder)"))
    }

    let strange = try await sample.inspector.planRepair(from: other.inspector)

    #expect(!strange.actions.contains { $0.change == .write(.fromOther) }, "\(strange.actions)")
    #expect(strange.notes.contains { $0.contains("another remote") }, "\(strange.notes)")
    try await sample.repair(from: copy)
    #expect(try await sample.inspector.verify().isClean)
  }

  @Test func `without a copy it is said that the document is lost, and nothing is planned`() async throws {
    let lost = try await lost(encrypted: true)

    let plan = try await lost.sample.inspector.planRepair()

    #expect(plan.actions == [])
    #expect(plan.left.map(\.code) == [.noDocument])
    #expect(try await lost.sample.inspector.verify().outcome == .warnings)
  }

  @Test(arguments: [false, true])
  func `after another was deleted, what is lost and what is deleted look alike, and that is said`(
    isFolderLost: Bool
  ) async throws {
    let sample = try await SampleRemote(encrypted: true)
    try await sample.deleteDocument()
    let documents = sample.remote.appending(path: "sample/Documents")
    if isFolderLost {
      try FileManager.default.removeItem(at: documents)
      _ = try await sample.repair()
    }

    let verification = try await sample.inspector.verify()

    #expect(verification.findings.filter { $0.code == .onlyDeletions }.count == 1, "\(verification.findings)")
    #expect(verification.outcome == .healthy)
  }

  @Test func `a source that is of another remote is told of although nothing is missing`() async throws {
    let (sample, other) = (try await SampleRemote(encrypted: false), try await SampleRemote(encrypted: false))

    let notes = try await sample.inspector.planRepair(from: other.inspector).notes

    #expect(notes.count == 1 && notes[0].contains("another remote"), "\(notes)")
    #expect(try await sample.inspector.planRepair(from: sample.copy().inspector).notes == [])
  }
}
