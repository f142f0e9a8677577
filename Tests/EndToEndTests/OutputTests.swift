import Foundation
import ProcessTesting
import Testing

/// The outputs that scripts read, to the letter.
@Suite struct OutputTests {
  /// The keys of the outermost object of a JSON text, in their order.
  func keys(_ text: String) -> [String] {
    text.matches(of: /(?m)^  "(\w+)":/).map { String($0.1) }
  }

  @Test func `add prints the new sync ID and nothing else`() async throws {
    let alice = try await Sandbox().device("alice")
    let output = try await alice.succeed("add", "--title", "a", "--tag", "x", "--tag", "y")
    #expect(output.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-7[0-9A-F]{3}-[0-9A-F]{4}-[0-9A-F]{12}\n/) != nil)
  }

  @Test func `list prints one array, sorted, with sorted tags`() async throws {
    let alice = try await Sandbox().device("alice")
    #expect(try await alice.list() == "[]\n")
    let note = try await alice.add("“quoted”\n", content: "tab\there", tags: ["b", "a"])
    #expect(
      try await alice.list() == #"""
        [
          {
            "syncID": "\#(note)",
            "title": "“quoted”\n",
            "content": "tab\there",
            "tags": [
              "a",
              "b"
            ],
            "notArrived": []
          }
        ]

        """#)
  }

  @Test func `sync and status print one object each`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a")
    #expect(try await alice.status().lastSync == nil)
    let sync = try await alice.succeed("sync", "--json")
    #expect(
      keys(sync) == [
        "pushed", "pulled", "applied", "conflicts", "warnings", "requests", "bytes", "seconds", "details",
      ])
    #expect(
      keys(try await alice.succeed("status", "--json")) == [
        "isLocal", "pending", "applied", "devices", "sharedIdentifiers", "blocked", "givenUp", "asking",
        "isDeleted",
        "lastSync",
        "awaited", "obstructions", "failure", "keys", "missingKeys", "replacingKeys", "separations",
        "isRemoved",
      ])

    let bob = try await sandbox.device("bob")
    _ = try await bob.sync()
    let status = try await bob.status()
    #expect(status.applied.values.map { $0 } == [1])
    #expect(status.devices.count == 2)
    #expect(status.devices.filter(\.isThisDevice).count == 1)
    #expect(status.lastSync?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
  }

  @Test func `the remote may be written as a URL, and joined under another name of it`() async throws {
    let sandbox = try Sandbox()
    let alice = Device(name: "alice", sandbox: sandbox)
    try await alice.succeed(
      "init", "--remote", sandbox.remote.absoluteString, "--password-file", sandbox.passwordFile.path)
    _ = try await alice.add("a")
    _ = try await alice.sync()
    let bob = Device(name: "bob", sandbox: sandbox)
    try await bob.succeed(
      "init", "--remote=\(sandbox.remote.path)/", "--password-file=\(sandbox.passwordFile.path)")
    _ = try await bob.sync()
    #expect(try await bob.list() == alice.list())
  }

  @Test func `two documents on one remote do not mix`() async throws {
    let sandbox = try Sandbox()
    for (name, document) in [("a", "one"), ("b", "two"), ("c", "one")] {
      let device = Device(name: name, sandbox: sandbox)
      try await device.succeed(
        "init", "--remote", sandbox.remote.path, "--document", document, "--password-file",
        sandbox.passwordFile.path)
      _ = try await device.add(name)
      _ = try await device.sync()
    }
    #expect(try await Device(name: "c", sandbox: sandbox).notes().map(\.title) == ["a", "c"])
    #expect(try await Device(name: "b", sandbox: sandbox).notes().map(\.title) == ["b"])
  }

  @Test func `keys are readable by their owner only, and no password is kept`() async throws {
    let sandbox = try Sandbox(password: "a password to look for")
    let alice = try await sandbox.device("alice")
    let keys = alice.store.appending(path: "notebook.keys")
    let mode = try FileManager.default.attributesOfItem(atPath: keys.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let folder = try FileManager.default.attributesOfItem(atPath: alice.store.path)[.posixPermissions] as? Int
    #expect(folder == 0o700)
    for entry in Snapshot(alice.store).entries {
      #expect(entry.bytes?.range(of: Data("a password to look for".utf8)) == nil, "\(entry.path)")
    }
  }

  @Test func `what lies on an encrypted remote holds no word of the notes`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice the client")
    _ = try await alice.add("extraordinary title", content: "remarkable content", tags: ["peculiar"])
    _ = try await alice.sync()
    for entry in Snapshot(sandbox.remote).entries {
      for word in ["extraordinary", "remarkable", "peculiar", "alice the client"] {
        #expect(entry.bytes?.range(of: Data(word.utf8)) == nil, "\(word) in \(entry.path)")
      }
    }
  }

  @Test func `a reader that stops reading is no failure`() async throws {
    let alice = try await Sandbox().device("alice")
    for number in 1...3 {
      _ = try await alice.add("\(number)", content: String(repeating: "x", count: 100_000))
    }
    let result = try await Subprocess.run([
      "bash", "-c", "set -o pipefail; \"$0\" list --store \"$1\" --json | head -c 1 > /dev/null",
      Device.program,
      alice.store.path,
    ])
    #expect(result.ending == .exited(0))
    #expect(result.errors == "")
    let full = try await Subprocess.run([
      "bash", "-c", "\"$0\" list --store \"$1\" --json > /dev/full", Device.program, alice.store.path,
    ])
    #expect(full.ending == .exited(7))
  }
}
