import Foundation
import ProcessTesting
import Testing

/// A folder of sync data that was moved or renamed, with an older copy in its place: what it alone holds may be all that is left.
@Suite struct InspectRenamedCopyTests {
  private static let application = "ticds.notebook"

  /// A remote of which the newest state lies in `moved`, and a copy from before the last note where the notes belong.
  enum Move: CaseIterable {
    case document, documents, all, allWithPoint

    /// What was renamed, and to what; below the remote.
    var names: (from: String, to: String) {
      let application = InspectRenamedCopyTests.application
      return switch self {
      case .document:
        ("\(application)/Documents/notes", "\(application)/Documents/notes (1)")
      case .documents: ("\(application)/Documents", "\(application)/Documents (1)")
      case .all: (application, "\(application) (1)")
      case .allWithPoint: (application, "\(application).old")
      }
    }
  }

  private func copy(_ from: String, _ to: String, in sandbox: Sandbox) throws {
    try FileManager.default.copyItem(
      at: sandbox.folder.appending(path: from), to: sandbox.folder.appending(path: to))
  }

  private func move(_ from: String, _ to: String, in sandbox: Sandbox) throws {
    let place = sandbox.folder.appending(path: to)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: sandbox.folder.appending(path: from), to: place)
  }

  @Test(arguments: Move.allCases, [true, false])
  func `a renamed folder with later sets than the copy in its place is no copy`(
    move: Move, isEncrypted: Bool
  ) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: isEncrypted)
    _ = try await alice.add("one")
    _ = try await alice.sync()
    try copy("remote", "earlier", in: sandbox)
    _ = try await alice.add("two")
    _ = try await alice.sync()
    let (from, to) = move.names
    try self.move("remote/\(from)", "remote/\(to)", in: sandbox)
    try copy("earlier/\(from)", "remote/\(from)", in: sandbox)

    let verified = try await sandbox.inspect(["verify", "--json"], password: isEncrypted)

    #expect(verified.output.contains("\"folderMoved\""), "\(verified.output)")
    #expect(verified.output.contains("all that is left"), "\(verified.output)")
    #expect(!verified.output.contains("Nothing need be done. Before"), "\(verified.output)")
    #expect(verified.ending != .exited(0))
  }

  @Test(arguments: Move.allCases) func `an older copy beside what it is a copy of needs nothing`(
    move: Move
  ) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    _ = try await alice.add("one")
    _ = try await alice.sync()
    let (from, to) = move.names
    try copy("remote/\(from)", "copy", in: sandbox)
    _ = try await alice.add("two")
    _ = try await alice.sync()
    try self.move("copy", "remote/\(to)", in: sandbox)

    let verified = try await sandbox.inspect(["verify", "--json"], password: false)

    #expect(verified.ending == .exited(0), "\(verified.output)")
    #expect(verified.output.contains("Nothing need be done. Before"), "\(verified.output)")
  }

  @Test(arguments: [
    "remote/Documents", "remote/\(application) (1)/Documents", "remote/Backup/\(application)/Documents",
    "remote/\(application).old/Documents",
  ])
  func `documents that were moved out of their application are told of, and called no copy`(place: String)
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    _ = try await alice.add("one")
    _ = try await alice.sync()
    try move("remote/\(Self.application)/Documents", place, in: sandbox)

    let verified = try await sandbox.inspect(["verify", "--json"], password: false)

    #expect(verified.output.contains("\"folderMoved\""), "\(verified.output)")
    #expect(verified.output.contains("all that is left"), "\(verified.output)")
    #expect(!verified.output.contains("\"conflictCopy\""), "\(verified.output)")
    #expect(!verified.output.contains("notAuthentic"), "\(verified.output)")
  }

  @Test func `nothing is made where a part of an application lies under another name`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    _ = try await alice.add("one")
    _ = try await alice.sync()
    let place = "remote/\(Self.application).old/Documents"
    try move("remote/\(Self.application)/Documents", place, in: sandbox)

    let plan = try await sandbox.inspect(["repair"], password: false)

    #expect(plan.output.contains("nothing to repair") || plan.output.contains("Nothing"), "\(plan.output)")
    #expect(!plan.output.contains("make"), "\(plan.output)")
    try move(place, "remote/\(Self.application)/Documents", in: sandbox)
    try FileManager.default.removeItem(at: sandbox.remote.appending(path: "\(Self.application).old"))
    #expect(try await sandbox.inspect(["verify"], password: false).ending == .exited(0))
  }
}
