import BackendConformance
import Crypto
import TICDSOpenSSL
import Testing

@testable import SyncProtocol

/// A replacement of the keys breaks off, and the key file that it has written is of no use; or somebody forges one.
@Suite struct InterruptedReplacementTests {
  private let workplace: Workplace
  private let remote = MemoryBackend()
  private let (a, b): (Device, Device)
  private let hierarchy = DocumentHierarchy.notes.application
  private let former: KeyIdentifier

  init() async throws {
    workplace = try Workplace()
    (a, b) = (Device("device-a", in: workplace), Device("device-b", in: workplace))
    for device in [a, b] { try await device.register(remote, .password("first")) }
    try a.write("one", "by a")
    for device in [a, b] { try await device.sync(remote) }
    former = try #require(a.ring?.primary.identifier)
  }

  private var newKeyFiles: [RemotePath] {
    remote.paths { KeyFileName($0) }.filter {
      $0.name.flatMap { KeyFileName($0) }.map { $0.key != former } ?? false
    }
  }

  /// `a` replaces the keys, and breaks off before the former one is withdrawn.
  private func beginReplacement(_ password: String = "second") async throws {
    for requests in 0..<100 where newKeyFiles.isEmpty {
      let faulty = FaultyBackend(remote, after: requests, .requestLost)
      _ = await refusal { _ = try await a.application(faulty).replaceKeys(password: password) }
    }
    #expect(newKeyFiles.count == 1)
    #expect(remote.paths { WithdrawalName($0) }.isEmpty)
  }

  private func damage() { for path in newKeyFiles { remote.tamper(path) { $0.removeLast(20) } } }

  private func newcomer(_ name: String, _ password: String) async throws -> [String] {
    let device = Device(name, in: workplace)
    try await device.register(remote, .password(password))
    try await device.sync(remote)
    return try device.notes
  }

  private func opens(_ password: String) async -> Bool {
    let device = Device("tries-\(password)", in: workplace)
    return await refusal { try await device.register(remote, .password(password)) } == nil
  }

  @Test(arguments: [false, true])
  func `whoever was interrupted changes passwords, completes it, or begins another`(
    _ isDamaged: Bool
  ) async throws {
    try await beginReplacement()
    if isDamaged { damage() }
    try await a.application(remote).changePassword(from: "first", to: "third")
    #expect(await opens("third"))
    #expect(await !opens("first"))
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    #expect(try await newcomer("c", "second") == ["one: by a"])
    #expect(await !opens("third"))
  }

  @Test(arguments: [false, true])
  func `whoever was interrupted chooses another password for the next attempt`(
    _ isDamaged: Bool
  ) async throws {
    try await beginReplacement()
    if isDamaged { damage() }
    a.setKeys(try await a.application(remote).replaceKeys(password: "third"))
    try a.write("two", "by a")
    try await a.sync(remote)
    #expect(try await newcomer("c", "third") == ["one: by a", "two: by a"])
    #expect(await !opens("first"))
  }

  @Test(arguments: [false, true])
  func `a replacement that nobody completes keeps no other member from changing passwords`(
    _ isDamaged: Bool
  ) async throws {
    try await beginReplacement()
    if isDamaged { damage() }
    let application = try await b.application(remote)
    try await application.addPassword("third")
    let code = try await application.addRecoveryCode()
    try await application.changePassword(from: "first", to: "fourth")
    try await application.removePassword("third")
    #expect(try await newcomer("c", "fourth") == ["one: by a"])
    #expect(try await newcomer("d", code.text) == ["one: by a"])
    for password in ["first", "third"] { #expect(await !opens(password), "\(password)") }
  }

  @Test func `whoever gives the password of an interrupted replacement completes it`() async throws {
    try await beginReplacement()
    try await b.application(remote).addPassword("third")
    let error = await failure {
      try await b.application(remote).changePassword(from: "second", to: "fourth")
    }
    #expect(error?.code == .wrongPassword)
    #expect(error?.recovery.contains("give it to this device") == true, "\(String(describing: error))")

    try await b.register(remote, .keysAndPassword(try #require(b.ring), "second"))
    try await b.application(remote).changePassword(from: "second", to: "fourth")
    #expect(try await newcomer("c", "fourth") == ["one: by a"])
    for password in ["first", "second", "third"] { #expect(await !opens(password), "\(password)") }
  }

  @Test func `a damaged key file of a completed replacement is reported and told from a sound one`()
    async throws
  {
    _ = try await a.application(remote).replaceKeys(password: "second")
    let sound = await failure { try await b.application(remote).addPassword("third") }
    #expect(sound?.code == .keyMissing)
    #expect(sound?.recovery.contains("Give this device the new password first") == true)
    damage()
    let damaged = await failure { try await b.application(remote).addPassword("third") }
    #expect(damaged?.code == .keyMissing)
    #expect(damaged?.message.contains("damaged") == true, "\(String(describing: damaged))")
    workplace.clock.advance(25 * 60 * 60 * 1_000)
    #expect(try await b.sync(remote).findings.contains(.replacementLate))
    b.setKeys(try await b.application(remote).replaceKeys(password: "third"))
    #expect(try await newcomer("c", "third") == ["one: by a"])
    #expect(await !opens("first"))
  }

  @Test func `where nobody has the new password its file is removed and the keys are replaced once more`()
    async throws
  {
    _ = try await a.application(remote).replaceKeys(password: "second")
    let error = await failure { _ = try await b.application(remote).replaceKeys(password: "third") }
    let file = try #require(newKeyFiles.first)
    #expect(error?.code == .keyMissing)
    #expect(error?.recovery.contains("\(try #require(file.name))") == true, "\(String(describing: error))")
    try await remote.remove(file)
    b.setKeys(try await b.application(remote).replaceKeys(password: "third"))
    #expect(try await newcomer("c", "third") == ["one: by a"])
    #expect(await !opens("first"))
  }

  @Test func `a replacement that somebody without a key has forged keeps nobody from anything`() async throws
  {
    let forged = try KeyFile.create(
      password: "evil", parameters: Scrypt.Parameters(cost: 16, blockSize: 8, parallelization: 1))
    var random = SystemRandomNumberGenerator()
    let name = KeyFileName(forged.key.identifier, using: &random)
    let wrapped = WrappedKeyName(former, wrapping: forged.key.identifier)
    let withdrawal = try hierarchy.withdrawal(of: #require(WithdrawalName.everySlot), forged.key)
    let said = WithdrawalName(former, slot: withdrawal.slot, code: withdrawal.code)
    try await remote.upload(forged.file.bytes, to: hierarchy.encryption / name.name)
    try await remote.upload([7], to: hierarchy.encryption / wrapped.name)
    try await remote.upload([], to: hierarchy.file(of: said))

    try await b.application(remote).changePassword(from: "first", to: "second")
    #expect(await opens("second"))
    #expect(await !opens("first"))
    b.setKeys(try await b.application(remote).replaceKeys(password: "third"))
    try b.write("two", "by b")
    try await b.sync(remote)
    #expect(try await newcomer("c", "third") == ["one: by a", "two: by b"])
    for password in ["first", "second"] { #expect(await !opens(password), "\(password)") }
  }

  @Test func `whoever was shut out keeps no member from changing passwords by what he forges`()
    async throws
  {
    let old = try #require(b.ring)
    a.setKeys(try await a.application(remote).replaceKeys(password: "second"))
    let new = try #require(a.ring).primary.identifier
    let own = try MasterKey.generate(replacing: old)
    let made = try KeyFile.create(
      password: "evil", for: own, parameters: Scrypt.Parameters(cost: 16, blockSize: 8, parallelization: 1))
    var random = SystemRandomNumberGenerator()
    try await remote.upload(
      made.file.bytes, to: hierarchy.encryption / KeyFileName(own.identifier, using: &random).name)
    for key in [new, former] {
      let name = WrappedKeyName(key, wrapping: own.identifier)
      let sealed = try SealedContainer.seal(
        old.primary.withUnsafeBytes { Array($0) },
        as: SealedContext(role: .wrappedKey, identity: hierarchy.identity(of: name)), with: own)
      try await remote.upload(sealed, to: hierarchy.encryption / name.name)
    }

    try await a.application(remote).changePassword(from: "second", to: "third")
    a.setKeys(try await a.application(remote).replaceKeys(password: "fourth"))
    try a.write("two", "by a")
    try await a.sync(remote)
    #expect(try await newcomer("c", "fourth") == ["one: by a", "two: by a"])
    try await b.sync(remote)
    #expect(try b.notes == ["one: by a"])
    for password in ["first", "second", "third"] { #expect(await !opens(password), "\(password)") }
  }
}
