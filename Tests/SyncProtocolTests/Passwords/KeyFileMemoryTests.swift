import BackendConformance
import ChangeTracking
import Crypto
import Foundation
import TICDSOpenSSL
import TemporaryFolders
import Testing

@testable import SyncProtocol

/// What a device remembers of the key files that a password was tried on.
@Suite struct KeyFileMemoryTests {
  private static let cost = Scrypt.Parameters(cost: 8, blockSize: 8, parallelization: 1)
  private let folder: TemporaryFolder
  private let remote = MemoryBackend()
  private let hierarchy = DocumentHierarchy.notes.application

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.file("tried") }
  private var isKept: Bool { FileManager.default.fileExists(atPath: path) }

  @discardableResult
  private func write(_ password: String, _ count: Int = 1) async throws -> [KeyFileName] {
    for folder in [hierarchy.root, hierarchy.encryption] { try await remote.makeDirectory(folder) }
    var random = SystemRandomNumberGenerator()
    var names: [KeyFileName] = []
    for _ in 0..<count {
      let file = try KeyFile.create(password: password, parameters: Self.cost).file
      names.append(KeyFileName(file.keyIdentifier, using: &random))
      try await remote.upload(file.bytes, to: hierarchy.encryption / names[names.count - 1].name)
    }
    return names
  }

  /// One attempt, which tries ten files.
  private func unlock(_ files: [KeyFileName], _ password: String) async throws -> KeyUnlocking.Result {
    try await KeyUnlocking(
      backend: remote, hierarchy: hierarchy, workLimit: 10 * 8 * 8,
      memory: KeyFileMemory(path: path, cost: Self.cost, secrets: .system)
    ).unlock(files, password, first: [])
  }

  @Test func `a wrong password is wrong once it was tried on every file, and is tried on none again`()
    async throws
  {
    let files = try await write("strange", 25)
    var counts: [[Int]] = []
    var cuts: [Bool] = []
    for _ in 0..<4 {
      let result = try await unlock(files, "wrong")
      counts.append([result.tried, result.triedBefore])
      cuts.append(result.isCutShort && result.isRemembered)
    }
    #expect(counts == [[10, 0], [10, 10], [5, 20], [0, 25]])
    #expect(cuts == [true, true, false, false])
  }

  @Test func `another password has all files before it`() async throws {
    let files = try await write("strange", 15) + write("right")
    for _ in 0..<2 { #expect(try await unlock(files, "wrong").keys.isEmpty) }
    var keys = try await unlock(files, "right").keys
    if keys.isEmpty { keys = try await unlock(files, "right").keys }
    #expect(keys.map(\.identifier) == [files[15].key])
    #expect(!isKept)
  }

  @Test func `nothing is written where there are no more files than are tried at once`() async throws {
    let files = try await write("strange", 9)
    #expect(try await unlock(files, "wrong").keys.isEmpty)
    #expect(!isKept)
  }

  @Test func `what comes later is tried, after all others were`() async throws {
    let files = try await write("strange", 12)
    for _ in 0..<2 { #expect(try await unlock(files, "right").keys.isEmpty) }
    let made = try KeyFile.create(password: "right", parameters: Self.cost)
    var random = SystemRandomNumberGenerator()
    let late = KeyFileName(made.key.identifier, using: &random)
    try await remote.upload(made.file.bytes, to: hierarchy.encryption / late.name)
    #expect(try await unlock(files + [late], "right").keys.map(\.identifier) == [late.key])
  }

  @Test(arguments: ["", "TICDS key files 1\n1\n00\n", "something else"])
  func `what cannot be read is as good as nothing`(_ text: String) async throws {
    let files = try await write("strange", 15)
    try Data(text.utf8).write(to: URL(filePath: path))
    for tried in [10, 5, 0] { #expect(try await unlock(files, "wrong").tried == tried) }
  }

  @Test func `it is readable by its owner alone, and does not hold the password`() async throws {
    let files = try await write("strange", 15)
    _ = try await unlock(files, "a certain password")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try !String(contentsOf: URL(filePath: path), encoding: .utf8).contains("certain"))
  }

  @Test func `where it cannot be written, chance goes on deciding, and nothing else is promised`()
    async throws
  {
    let files = try await write("strange", 15)
    let memory = KeyFileMemory(path: folder.file("none/tried"), cost: Self.cost, secrets: .system)
    let result = try await KeyUnlocking(
      backend: remote, hierarchy: hierarchy, workLimit: 10 * 8 * 8, memory: memory
    ).unlock(files, "wrong", first: [])
    #expect(result.isCutShort && !result.isRemembered)
  }

  @Test
  func `however many files come and go, what is remembered has a bound, and the present ones are in it`()
    throws
  {
    var tries = KeyFileTries()
    var random = SystemRandomNumberGenerator()
    let key = try MasterKey.generate(random: .system).identifier
    var names: [KeyFileName] = []
    for round in 0..<10 {
      tries = KeyFileTries(after: tries.attempt, tries.sights, tries.contents)
      names = (0..<1_000).map { _ in KeyFileName(key, using: &random) }
      for (number, name) in names.enumerated() {
        tries.note(name, ContentHash(of: Array("\(round) \(number)".utf8)))
      }
      tries.prune(to: names)
    }
    #expect((1_000...5_096).contains(tries.sights.count) && Set(tries.contents.keys) == Set(names))
    #expect(names.allSatisfy { tries.contents[$0].flatMap { tries.sights[$0] } != nil })
  }

  @Test func `a newcomer is told how many were tried and to try again, until the right one has its turn`()
    async throws
  {
    let workplace = try Workplace()
    let founder = Device("device-a", in: workplace)
    try await founder.register(remote, .password("right"))
    try await write("strange", 600)
    var configuration = try ApplicationConfiguration(
      application: "com.example.notes", client: "device-b", clientDescription: "B")
    configuration.passwordCost = Self.cost
    configuration.triedKeyFiles = path
    let application = ApplicationSyncManager(backend: remote, configuration: configuration)
    var messages: [SyncError?] = []
    for _ in 0..<4 {
      messages.append(await failure { try await application.register(.password("wrong"), mayCreate: false) })
    }
    #expect(messages.allSatisfy { $0?.code == .wrongPassword })
    #expect(messages[0]?.message.contains("tried on 256 of the 601 key files") == true)
    let second = try #require(messages[1]?.message)
    #expect(second.contains("tried on 512 of the 601 key files") && second.contains("on 256 of them before"))
    #expect(messages[0]?.recovery.hasPrefix("Try again with the same password: it goes on") == true)
    #expect(messages[2]?.message == "The password does not unlock the remote.")
    #expect(messages[3]?.message == messages[2]?.message)

    var attempts = 0
    while attempts < 3 {
      attempts += 1
      if await failure({ try await application.register(.password("right"), mayCreate: false) }) == nil {
        break
      }
    }
    #expect(await application.registration?.keys?.primary.identifier == founder.ring?.primary.identifier)
    #expect(!isKept)
  }
}
