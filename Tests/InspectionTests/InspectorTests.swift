import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import Testing

@Suite struct InspectorTests {
  @Test func `every file of a remote has a role`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let tree = try await remote.inspector.tree()
    #expect(tree.all.filter { $0.role == .foreign }.map(\.name) == [])
    #expect(tree.all.filter { $0.role == .keyFile }.count == 1)
    #expect(tree.all.filter { if case .set = $0.role { true } else { false } }.count == 4)
  }

  @Test(arguments: [true, false])
  func `facts tell who wrote and what is encrypted`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    let facts = try await remote.inspector.facts(about: try await remote.inspector.tree())
    #expect(Set(facts.sealed.values) == [encrypted])
    #expect(facts.authors.values.sorted() == ["first", "second"])
    #expect(facts.clients == ["client-first": "first", "client-second": "second"])
  }

  @Test(arguments: [true, false])
  func `every set is decoded in the order of authors and numbers`(encrypted: Bool) async throws {
    let remote = try await SampleRemote(encrypted: encrypted)
    var names: [String] = []
    var order: [String] = []
    try await remote.inspector.forEachSet { set in
      order.append("\(set.author) \(set.name.sequence)")
      for change in try set.result.get().syncChanges {
        if case .string(let name)? = change.value, change.key == "name" { names.append(name) }
      }
    }
    #expect(order == order.sorted())
    #expect(names.sorted() == ["four", "one", "three", "two"])
  }

  @Test func `a wrong password, a missing password and an empty folder are three failures`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let backend = FileManagerBackend(folder: remote.remote.path)
    func failure(_ inspector: RemoteInspector) async -> String? {
      do {
        try await inspector.forEachSet { _ in }
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(await failure(RemoteInspector(backend: backend, password: "wrong")) == "wrongPassword")
    #expect(await failure(RemoteInspector(backend: backend)) == "passwordNeeded")
    let empty = remote.folder.url.appending(path: "empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    #expect(await failure(RemoteInspector(backend: FileManagerBackend(folder: empty.path))) == "nothingThere")
  }

  @Test(arguments: [
    ("a", FileRole.application), ("a/Documents", .folder), ("a/Documents/d/Other", .foreign),
    ("a/Documents/d/SyncChanges/0123456789abcdef/x", .foreign), ("a/Nothing", .foreign),
    ("ticds-probe-608c9ec1499bc86f", .serverTest), ("ticds-probe-other", .application),
  ])
  func `the place and the name decide the role`(path: String, role: FileRole) throws {
    let names = try #require(RemotePath(path)).names
    #expect(FileRole(path: names, kind: .folder) == role)
  }

  @Test func `what a test of the server left behind is harmless`() async throws {
    let remote = try await SampleRemote(encrypted: true)
    let left = remote.remote.appending(path: "ticds-probe-608c9ec1499bc86f/folder")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
    let verification = try await remote.inspector.verify()
    #expect(verification.isClean)
    #expect(verification.findings.map(\.path) == ["ticds-probe-608c9ec1499bc86f"])
  }
}
