import Foundation
import ProcessTesting
import Testing

/// `kill -9` at any step on disk of a notebook that joins a remote with the notes that it holds.
@Suite struct KilledJoinTests {
  @Test(
    .enabled("strace is missing, or may not follow programs here") { await FatalRequest.isPossible },
    arguments: ["merge", "theirs"], FatalRequest.Kind.allCases)
  func `joining is completed by whoever repeats it, wherever it was killed`(
    choice: String, kind: FatalRequest.Kind
  ) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    let shared = try await alice.add("of alice")
    _ = try await alice.sync()
    try await alice.succeed("upload-store")
    let bob = Device(name: "bob", sandbox: sandbox)
    try await bob.succeed("init", "--client", "bob")
    let own = try await bob.add("of bob")
    let expected: Set = choice == "merge" ? [shared, own] : [shared]
    let before = try Places(of: bob)
    let join = bob.words(["init", "--remote", sandbox.remote.path, "--no-encryption", "--join", choice])
    var killed = 0

    for number in kind.numbers where kind != .write || number % 3 == 1 {
      try before.putBack()
      let ending = try await FatalRequest(kind: kind, number: number).run(join).ending
      guard ending == .killed(SIGKILL) else {
        #expect(ending == .exited(0), "\(kind) \(number)")
        break
      }
      killed += 1
      let again = try await Subprocess.run(join)
      // Only a notebook that has joined says that it is there already.
      #expect([.exited(0), .exited(11)].contains(again.ending), "\(kind) \(number): \(again.errors)")
      _ = try await bob.sync()
      #expect(try await Set(bob.notes().map(\.syncID)) == expected, "\(kind) \(number)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: bob.store.path).filter {
          $0.contains("replaced") || $0.contains("draft")
        } == [], "\(kind) \(number)")
    }

    // A join without a store to take over may remove or cut nothing.
    #expect(killed > 0 || (kind != .write && kind != .rename && kind != .flush))
  }

  /// A notebook and its remote as they were.
  private struct Places {
    private let places: [(URL, copy: URL)]

    init(of device: Device) throws {
      places = [device.store, device.sandbox.remote].map { ($0, $0.appendingPathExtension("before")) }
      for (place, copy) in places { try FileManager.default.copyItem(at: place, to: copy) }
    }

    func putBack() throws {
      for (place, copy) in places {
        try FileManager.default.removeItem(at: place)
        try FileManager.default.copyItem(at: copy, to: place)
      }
    }
  }
}
