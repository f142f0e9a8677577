import ByteFixtures
import Foundation
import ProcessTesting
import Testing

/// `kill -9` at any step of a sync: run again, both devices end equal and nothing is lost.
@Suite struct KillTests {
  @Test(
    .enabled("strace is missing, or may not follow programs here") { await FatalRequest.isPossible },
    arguments: [1, 2] as [UInt64])
  func `a sync killed at twenty-five random steps loses nothing`(seed: UInt64) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    var random = SeededGenerator(seed: seed)
    var expected: [String: String] = [:]
    expected[try await alice.add("measured")] = "measured"
    _ = try await alice.sync()
    var killed = 0

    for round in 0..<25 {
      let (first, second) = round.isMultiple(of: 2) ? (alice, bob) : (bob, alice)
      for device in [first, second] {
        let note = try await device.add("\(device.name) \(round)", tags: ["round \(round % 3)"])
        expected[note] = "\(device.name) \(round)"
      }
      if let note = expected.keys.sorted().randomElement(using: &random),
        try await first.run("show", note).ending == .exited(0)
      {
        try await first.succeed("edit", note, "--content", "edited in round \(round)")
      }
      let kind = FatalRequest.Kind.allCases.randomElement(using: &random) ?? .write
      let request = FatalRequest(kind: kind, number: Int.random(in: 1...12, using: &random))
      if try await request.run(first.words(["sync"])).ending == .killed(SIGKILL) { killed += 1 }
      if round.isMultiple(of: 5) { _ = try await second.sync() }
    }

    for device in [alice, bob, alice, bob] { _ = try await device.sync() }
    let notes = try await alice.notes()
    #expect(try await bob.notes() == notes, "seed \(seed)")
    let titles = Dictionary(uniqueKeysWithValues: notes.map { ($0.syncID, $0.title) })
    #expect(expected.filter { titles[$0.key] != $0.value } == [:], "lost with seed \(seed)")
    #expect(titles.filter { expected[$0.key] != $0.value } == [:], "too many with seed \(seed)")
    #expect(try await sandbox.inspect("verify").ending == .exited(0))
    #expect(killed > 0, "no sync was killed: the steps are too late")
  }

  /// strace(1) counts what a program asks the system for, and kills it at the n-th request of a kind, before that is done.
  @Test(.enabled("strace is missing, or may not follow programs here") { await FatalRequest.isPossible })
  func `a sync killed before any of its steps on disk loses nothing`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    var expected: Set<String> = []
    var killed: [FatalRequest] = []

    for kind in FatalRequest.Kind.allCases {
      for number in kind.numbers {
        for device in [bob, alice] {
          expected.insert(
            try await device.add("\(device.name) \(kind) \(number)", tags: ["tag \(number % 4)"]))
        }
        _ = try await bob.sync()
        let request = FatalRequest(kind: kind, number: number)
        let ending = try await request.run(alice.words(["sync"])).ending
        guard ending == .killed(SIGKILL) else {
          #expect(ending == .exited(0), "\(request)")
          break
        }
        killed.append(request)
      }
    }

    for device in [alice, bob, alice, bob] { _ = try await device.sync() }
    #expect(Set(killed.map(\.kind)) == Set(FatalRequest.Kind.allCases))
    #expect(try await Set(alice.notes().map(\.syncID)) == expected)
    #expect(try await alice.list() == bob.list())
    #expect(try await sandbox.inspect("verify").ending == .exited(0))
  }
}
