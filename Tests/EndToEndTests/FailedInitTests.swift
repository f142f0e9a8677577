import Foundation
import ProcessTesting
import Testing

/// `init` that ends badly leaves nothing for others to stumble over.
@Suite struct FailedInitTests {
  @Test func `of two that make one notebook at once, the second leaves no device behind`() async throws {
    let sandbox = try Sandbox()
    let first = Device(name: "store", sandbox: sandbox)
    let words = ["init", "--remote", sandbox.remote.path, "--client", "twin", "--no-encryption"]
    async let one = first.run(words)
    async let other = first.run(words)
    let endings = try await [one.ending, other.ending]
    #expect(endings.contains(.exited(0)))
    #expect(try await first.succeed("devices").split(separator: "\n").count == 1)
    let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path)
    #expect(!left.contains { $0.hasSuffix(".tmp") }, "\(left)")
  }

  @Test func `what a killed init has left is swept by the next, and what a running one has is not`()
    async throws
  {
    let sandbox = try Sandbox()
    let abandoned = sandbox.folder.appending(path: "alice.0123ABCD.tmp")
    let busy = sandbox.folder.appending(path: "alice.4567CDEF.tmp")
    let foreign = sandbox.folder.appending(path: "alice.letters.tmp")
    for folder in [abandoned, busy, foreign] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try Data().write(to: folder.appending(path: "notebook.lock"))
    }
    let descriptor = open(busy.appending(path: "notebook.lock").path, O_RDWR)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    _ = try await sandbox.device("alice", encrypted: false)
    let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path).filter {
      $0.hasSuffix(".tmp")
    }
    #expect(left.sorted() == ["alice.4567CDEF.tmp", "alice.letters.tmp"])
  }

  @Test(arguments: ["a/b", "..", "", "näh", "x."])
  func `a document's identifier that no folder can bear is refused before anything is made`(document: String)
    async throws
  {
    let sandbox = try Sandbox()
    let alice = Device(name: "alice", sandbox: sandbox)
    for place in [["--remote", sandbox.remote.path, "--no-encryption"], []] {
      let result = try await alice.run(["init", "--client", "alice", "--document", document] + place)
      #expect(result.ending == .exited(2), "\(result)")
    }
    #expect(!FileManager.default.fileExists(atPath: alice.store.path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.remote.path).isEmpty)
  }

  @Test func `documents are listed in columns`() async throws {
    let alice = try await Sandbox().device("alice", encrypted: false)
    #expect(try await alice.succeed("documents") == "notes\tcreated by alice (this notebook)\n")
  }

  @Test func `a copy of a notebook is told from the device itself`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    _ = try await alice.add("a")
    _ = try await alice.sync()
    let copy = Device(name: "copy", sandbox: sandbox)
    try FileManager.default.copyItem(at: alice.store, to: copy.store)
    for device in [alice, copy] { _ = try await device.add("more") }
    for device in [alice, copy, alice] { _ = try await device.sync() }
    let devices = try await alice.succeed("devices").split(separator: "\n")
    #expect(devices.count { $0.hasSuffix("(this device)") } == 1, "\(devices)")
    #expect(devices.count { $0.contains("1 set,") || $0.contains("2 sets,") } == devices.count, "\(devices)")
  }
}
