import ByteFixtures
import Crypto
import Foundation
import TemporaryFolders
import Testing

/// Both containers from file to file, in a folder of their own that goes with the test.
@Suite struct FileTests {
  private let folder: TemporaryFolder
  private let key: MasterKey
  private let classicKey = ClassicKey(password: "x", salt: [])
  private let context = SealedContext(role: "whole-store", identity: "a")

  init() throws {
    folder = try TemporaryFolder()
    key = try MasterKey.generate()
  }

  private func path(_ name: String) -> String { folder.file(name) }
  private func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: folder.url.appending(path: name))
  }
  private func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.url.appending(path: name)))
  }
  private func names() throws -> [String] { try folder.names }

  @Test(arguments: [0, 1, 65_536, 262_143, 262_144, 262_145, 1_000_003])
  func `files come back as they were sealed`(size: Int) throws {
    var generator = SeededGenerator(seed: UInt64(size))
    let plaintext = generator.bytes(size)
    try write(plaintext, to: "plain")

    var steps: [UInt64] = []
    try SealedContainer.sealFile(at: path("plain"), to: path("sealed"), as: context, with: key) {
      steps.append($0)
    }
    try SealedContainer.openFile(at: path("sealed"), to: path("opened"), as: context, with: KeyRing(key))
    try ClassicContainer.sealFile(at: path("plain"), to: path("classic"), with: classicKey)
    try ClassicContainer.openFile(at: path("classic"), to: path("classic-opened"), with: classicKey)

    #expect(try read("opened") == plaintext)
    #expect(try read("classic-opened") == plaintext)
    #expect(try SealedContainer.open(read("sealed"), as: context, with: KeyRing(key)) == plaintext)
    #expect(try ClassicContainer.open(read("classic"), with: classicKey) == plaintext)
    #expect(steps == steps.sorted())
    #expect((steps.last ?? 0) == UInt64(size))
    #expect(try names() == ["classic", "classic-opened", "opened", "plain", "sealed"])
  }

  @Test func `a file can be converted in place`() throws {
    try write([1, 2, 3], to: "file")
    try SealedContainer.sealFile(at: path("file"), to: path("file"), as: context, with: key)
    #expect(SealedContainer.isSealed(try read("file")))
    try SealedContainer.openFile(at: path("file"), to: path("file"), as: context, with: KeyRing(key))
    #expect(try read("file") == [1, 2, 3])
  }

  @Test func `a damaged file leaves nothing behind and replaces nothing`() throws {
    var generator = SeededGenerator(seed: 1)
    let plaintext = generator.bytes(600_000)
    var sealed = try SealedContainer.seal(plaintext, as: context, with: key)
    sealed[599_000] ^= 1
    var classic = try ClassicContainer.seal(plaintext, with: classicKey)
    classic[599_000] ^= 1
    try write(sealed, to: "sealed")
    try write(classic, to: "classic")
    try write([9], to: "old")

    for destination in ["new", "old"] {
      let error = #expect(throws: CryptoError.self) {
        try SealedContainer.openFile(
          at: path("sealed"), to: path(destination), as: context, with: KeyRing(key))
      }
      #expect(error?.code == .authenticationFailed)
      #expect(error?.path == path("sealed"))
      let classicError = #expect(throws: CryptoError.self) {
        try ClassicContainer.openFile(at: path("classic"), to: path(destination), with: classicKey)
      }
      #expect(classicError?.code == .authenticationFailed)
    }
    #expect(try names() == ["classic", "old", "sealed"])
    #expect(try read("old") == [9])
  }

  @Test func `classic files of a length that no container has are refused`() throws {
    let container = try ClassicContainer.seal([UInt8](repeating: 1, count: 40), with: classicKey)
    for count in 0..<container.count {
      try write(Array(container[..<count]), to: "classic")
      let error = #expect(throws: CryptoError.self) {
        try ClassicContainer.openFile(at: path("classic"), to: path("new"), with: classicKey)
      }
      let inMemory = #expect(throws: CryptoError.self) {
        try ClassicContainer.open(Array(container[..<count]), with: classicKey)
      }
      #expect(error?.code == inMemory?.code)
    }
    #expect(try names() == ["classic"])
  }

  @Test func `a new file is its owner's alone`() throws {
    try write([1], to: "plain")
    try SealedContainer.sealFile(at: path("plain"), to: path("sealed"), as: context, with: key)
    let attributes = try FileManager.default.attributesOfItem(atPath: path("sealed"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a file that cannot be read or written is named`() throws {
    try write([1], to: "plain")
    for (source, destination, culprit) in [
      (path("absent"), path("new"), path("absent")), (path("plain"), path("absent/new"), path("absent/new")),
    ] {
      let error = #expect(throws: CryptoError.self) {
        try SealedContainer.sealFile(at: source, to: destination, as: context, with: key)
      }
      #expect(error?.code == .fileFailure)
      #expect(error?.path == culprit)
    }
    #expect(throws: CryptoError.self) {
      try SealedContainer.sealFile(
        at: folder.path, to: path("new"), as: context, with: key)
    }
    #expect(try names() == ["plain"])
  }

  @Test func `a cancelled task stops and leaves nothing behind`() async throws {
    try write([UInt8](repeating: 1, count: 600_000), to: "plain")
    let (source, destination, context, key) = (path("plain"), path("sealed"), context, key)
    let task = Task {
      try SealedContainer.sealFile(at: source, to: destination, as: context, with: key) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    let error = await #expect(throws: CryptoError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(try names() == ["plain"])
  }
}
