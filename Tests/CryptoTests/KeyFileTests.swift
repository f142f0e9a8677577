import ByteFixtures
import Crypto
import TICDSOpenSSL
import Testing

extension Scrypt.Parameters {
  /// Nothing to guess at, but quick.
  static let forTests = Scrypt.Parameters(cost: 2, blockSize: 1, parallelization: 1)
}

@Suite struct KeyFileTests {
  private func equal(_ left: MasterKey, _ right: MasterKey) -> Bool {
    left.withUnsafeBytes(Array.init) == right.withUnsafeBytes(Array.init)
  }

  private func code(_ body: () throws(CryptoError) -> Void) -> CryptoError.Code? {
    do throws(CryptoError) {
      try body()
      return nil
    } catch { return error.code }
  }

  @Test func `the password unlocks the key, also after the file was stored`() throws {
    let (file, key) = try KeyFile.create(password: "correct horse", label: "Anna", parameters: .forTests)
    let stored = try KeyFile(parsing: file.bytes)

    #expect(stored == file)
    #expect(KeyFile.isKeyFile(file.bytes))
    #expect(file.keyIdentifier == key.identifier)
    #expect(file.slots.map(\.label) == ["Anna"])
    #expect(equal(try stored.unlock(password: "correct horse"), key))
  }

  @Test func `the standard cost unlocks`() throws {
    let (file, key) = try KeyFile.create(password: "x")
    #expect(file.slots.first?.parameters == .standard)
    #expect(equal(try file.unlock(password: "x"), key))
  }

  @Test(arguments: ["correct hors", "correct horse ", " correct horse", "Correct horse"])
  func `another password is called wrong, not damaged`(password: String) throws {
    let (file, _) = try KeyFile.create(password: "correct horse", parameters: .forTests)
    #expect(code { () throws(CryptoError) in _ = try file.unlock(password: password) } == .wrongPassword)
  }

  @Test func `however a keyboard composes an accent, it is the same password`() throws {
    let (file, key) = try KeyFile.create(password: "pa\u{308}ss", parameters: .forTests)
    #expect(equal(try file.unlock(password: "p\u{e4}ss"), key))
    #expect(code { () throws(CryptoError) in _ = try file.unlock(password: "pass") } == .wrongPassword)
  }

  @Test(arguments: ["", String(repeating: "x", count: 1_025)])
  func `an empty or endless password is refused`(password: String) throws {
    #expect(
      code { () throws(CryptoError) in _ = try KeyFile.create(password: password, parameters: .forTests) }
        == .invalidPassword)
    let (file, _) = try KeyFile.create(
      password: String(repeating: "x", count: 1_024), parameters: .forTests)
    #expect(code { () throws(CryptoError) in _ = try file.unlock(password: password) } == .invalidPassword)
  }

  @Test func `each of several passwords unlocks the same key`() throws {
    var (file, key) = try KeyFile.create(password: "1", parameters: .forTests)
    for password in 2...KeyFile.maximumSlotCount {
      file = try file.addingPassword(
        "\(password)", label: String(repeating: "l", count: 64), with: key, parameters: .forTests)
    }
    #expect(file.bytes.count <= KeyFile.maximumSize)
    let stored = try KeyFile(parsing: file.bytes)
    for password in 1...KeyFile.maximumSlotCount {
      #expect(equal(try stored.unlock(password: "\(password)"), key))
    }
    #expect(
      code { () throws(CryptoError) in _ = try file.addingPassword("17", with: key, parameters: .forTests) }
        == .limitExceeded)
  }

  @Test func `a changed password replaces the old one and leaves the others`() throws {
    let (created, key) = try KeyFile.create(password: "old", label: "desk", parameters: .forTests)
    let file = try created.addingPassword("other", with: key, parameters: .forTests)
      .changingPassword(from: "old", to: "new", parameters: .forTests)

    #expect(file.slots.map(\.label) == ["desk", ""])
    #expect(equal(try file.unlock(password: "new"), key))
    #expect(equal(try file.unlock(password: "other"), key))
    #expect(code { () throws(CryptoError) in _ = try file.unlock(password: "old") } == .wrongPassword)
    #expect(
      code { () throws(CryptoError) in
        _ = try file.changingPassword(from: "old", to: "newer", parameters: .forTests)
      } == .wrongPassword)
  }

  @Test func `a removed slot unlocks no more, and the last one stays`() throws {
    let (created, key) = try KeyFile.create(password: "a", parameters: .forTests)
    let both = try created.addingPassword("b", with: key, parameters: .forTests)
    let first = try #require(both.slots.first)
    let file = try both.removingSlot(first.identifier, with: key)
    let last = try #require(file.slots.first)

    #expect(code { () throws(CryptoError) in _ = try file.unlock(password: "a") } == .wrongPassword)
    #expect(equal(try file.unlock(password: "b"), key))
    #expect(
      code { () throws(CryptoError) in _ = try file.removingSlot(first.identifier, with: key) }
        == .unknownSlot)
    #expect(
      code { () throws(CryptoError) in _ = try file.removingSlot(last.identifier, with: key) } == .lastSlot)
  }

  @Test func `a recovery code unlocks, and only as a recovery code`() throws {
    let (created, key) = try KeyFile.create(password: "a", parameters: .forTests)
    let (file, recovery) = try created.addingRecoveryCode(label: "paper", with: key, parameters: .forTests)

    let typed = try RecoveryCode(parsing: recovery.text.lowercased())
    #expect(equal(try file.unlock(recoveryCode: typed), key))
    #expect(code { () throws(CryptoError) in _ = try file.unlock(password: recovery.text) } == .wrongPassword)
    let other = try RecoveryCode.generate()
    #expect(code { () throws(CryptoError) in _ = try file.unlock(recoveryCode: other) } == .wrongPassword)
  }

  @Test func `another document's key changes nothing here`() throws {
    let (file, _) = try KeyFile.create(password: "a", parameters: .forTests)
    let stranger = try MasterKey.generate()
    #expect(
      code { () throws(CryptoError) in _ = try file.addingPassword("b", with: stranger, parameters: .forTests)
      }
        == .unknownKey)
  }

  @Test func `an existing key is locked without being changed`() throws {
    let key = try MasterKey.generate()
    let (file, same) = try KeyFile.create(password: "a", for: key, parameters: .forTests)
    #expect(equal(key, same))
    #expect(equal(try file.unlock(password: "a"), key))
  }

  @Test func `keys, codes and their holders print no secret`() throws {
    let (file, key) = try KeyFile.create(password: "hunter2", parameters: .forTests)
    let recovery = try RecoveryCode.generate()
    var dumped = "\(key) \(recovery) \(KeyRing(key))"
    dump(key, to: &dumped)
    dump(recovery, to: &dumped)
    dump(file, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(!dumped.contains(recovery.text))
    #expect("\(key)" == "MasterKey(\(key.identifier))")
    #expect("\(recovery)" == "RecoveryCode")
  }
}

@Suite struct RecoveryCodeTests {
  @Test(arguments: 0..<50) func `what is shown can be typed back, with the usual confusions`(seed: UInt64)
    throws
  {
    let code = try RecoveryCode.generate(random: SeededRandomSource(seed: seed))
    #expect(code.text.count == 34)
    #expect(code.text.allSatisfy { "0123456789ABCDEFGHJKMNPQRSTVWXYZ-".contains($0) })
    #expect(try RecoveryCode(parsing: code.text) == code)
    let typed = code.text.lowercased().replacing("0", with: "o").replacing("1", with: "l").replacing(
      "-", with: " ")
    #expect(try RecoveryCode(parsing: typed) == code)
  }

  @Test func `nearly every mistyped character is noticed`() throws {
    let code = try RecoveryCode.generate(random: SeededRandomSource(seed: 1))
    var (tried, passed) = (0, 0)
    let characters = Array(code.text)
    for index in characters.indices where characters[index] != "-" {
      for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != characters[index] {
        var changed = characters
        changed[index] = other
        tried += 1
        if (try? RecoveryCode(parsing: String(changed))) != nil { passed += 1 }
      }
    }
    // 12 check bits let one in 4096 pass.
    #expect(tried == 28 * 31)
    #expect(passed <= 2)
  }

  @Test(arguments: [
    "", "0", "0000-0000-0000-0000-0000-0000-00000", "0000-0000-0000-0000-0000-0000-000U", "日本",
  ])
  func `a text that is no code is refused`(text: String) {
    let error = #expect(throws: CryptoError.self) { try RecoveryCode(parsing: text) }
    #expect(error?.code == .invalidRecoveryCode)
  }
}
