import BackendConformance
import Crypto
import Locking
import Testing

@testable import SyncProtocol

/// Which key files a password is tried on where there are more than it can be tried on.
@Suite struct KeyUnlockingTests {
  private let remote = MemoryBackend()
  private let hierarchy = DocumentHierarchy.notes.application

  /// Puts a key file there.
  private func write(_ password: String, cost: UInt64) async throws -> KeyFileName {
    let made = try KeyFile.create(
      password: password, parameters: .init(cost: cost, blockSize: 8, parallelization: 1))
    var random = SystemRandomNumberGenerator()
    for folder in [hierarchy.root, hierarchy.encryption] { try await remote.makeDirectory(folder) }
    let name = KeyFileName(made.key.identifier, using: &random)
    try await remote.upload(made.file.bytes, to: hierarchy.encryption / name.name)
    return name
  }

  @Test func `cheap key files of strangers, however many, keep nobody out for good`() async throws {
    let own = try await write("right", cost: 16)
    var files = [own]
    for _ in 0..<20 { files.append(try await write("strange", cost: 8)) }
    let unlocking = KeyUnlocking(backend: remote, hierarchy: hierarchy, workLimit: 10 * 8 * 8)

    var attempts = 0
    var result = KeyUnlocking.Result()
    while result.keys.isEmpty, attempts < 1_000 {
      result = try await unlocking.unlock(files, "right", first: [])
      #expect(result.isCutShort == result.keys.isEmpty)
      attempts += 1
    }

    #expect(result.keys.map(\.identifier) == [own.key])
  }

  @Test func `files without a key that bear the name of the right one keep nobody out`() async throws {
    let own = try await write("right", cost: 16)
    var files = [own]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<400 {
      files.append(KeyFileName(own.key, using: &random))
      try await remote.upload([], to: hierarchy.encryption / files[files.count - 1].name)
    }
    let unlocking = KeyUnlocking(backend: remote, hierarchy: hierarchy)

    let right = try await unlocking.unlock(files.sorted(), "right", first: [own.key])
    let wrong = try await unlocking.unlock(files.sorted(), "wrong", first: [own.key])

    #expect(right.keys.map(\.identifier) == [own.key])
    #expect(wrong.keys.isEmpty && !wrong.isCutShort && wrong.remaining == [own.key])
  }

  @Test func `the file that lies there longest has its turn among the first, however many others there are`()
    async throws
  {
    let own = try await write("right", cost: 16)
    var (files, written) = ([own], [own: Duration.seconds(100)])
    for number in 0..<300 {
      files.append(try await write("strange", cost: 16))
      written[files[files.count - 1]] = .seconds(200 + number)
    }
    let unlocking = KeyUnlocking(backend: remote, hierarchy: hierarchy, workLimit: 10 * 16 * 8)

    let result = try await unlocking.unlock(files, "right", first: [], written: written)

    #expect(result.keys.map(\.identifier) == [own.key])
  }

  @Test func `files that seem to lie there longest leave every other turn to chance`() async throws {
    let own = try await write("right", cost: 16)
    var (files, written) = ([own], [own: Duration.seconds(100)])
    for number in 0..<20 {
      files.append(try await write("strange", cost: 16))
      written[files[files.count - 1]] = .seconds(number)
    }
    let unlocking = KeyUnlocking(backend: remote, hierarchy: hierarchy, workLimit: 10 * 16 * 8)
    var attempts = 0
    while attempts < 1_000 {
      attempts += 1
      if try await !unlocking.unlock(files, "right", first: [], written: written).keys.isEmpty { break }
    }
    #expect(attempts < 1_000)
  }

  @Test func `one file that lies there many times is tried once`() async throws {
    let own = try await write("right", cost: 16)
    let strange = try await write("strange", cost: 8)
    var (files, random) = ([own, strange], SystemRandomNumberGenerator())
    for _ in 0..<100 {
      let copy = KeyFileName(strange.key, using: &random)
      try await remote.upload(
        try #require(remote.files[hierarchy.encryption / strange.name]), to: hierarchy.encryption / copy.name)
      files.append(copy)
    }
    let result = try await KeyUnlocking(backend: remote, hierarchy: hierarchy).unlock(
      files, "right", first: [])
    #expect(result.keys.map(\.identifier) == [own.key] && result.tried == 2)
  }

  @Test func `no number of files makes a device try for longer than it is told to`() async throws {
    var files: [KeyFileName] = []
    for _ in 0..<50 { files.append(try await write("strange", cost: 8)) }
    let clock = Locked(0)
    let unlocking = KeyUnlocking(backend: remote, hierarchy: hierarchy, timeLimit: .seconds(9)) {
      // One attempt takes a second.
      .seconds(
        clock.withLock {
          $0 += 1
          return $0
        })
    }

    let result = try await unlocking.unlock(files, "right", first: [])

    #expect(result.isCutShort && result.keys.isEmpty)
    #expect((5...10).contains(result.tried))
  }

  @Test func `a wrong password is wrong where it was tried on every file`() async throws {
    let files = [try await write("right", cost: 16), try await write("other", cost: 8)]
    let result = try await KeyUnlocking(backend: remote, hierarchy: hierarchy)
      .unlock(files, "wrong", first: [])
    #expect(result.keys.isEmpty && !result.isCutShort)
  }
}
