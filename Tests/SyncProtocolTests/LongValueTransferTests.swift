import BackendConformance
import ByteFixtures
import Crypto
import Testing
import TICDSZlib

@testable import ChangeTracking
@testable import SyncProtocol

@Suite struct LongValueTransferTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let a: Device
  private let b: Device
  private let text = String(repeating: "All work and no play. ", count: 5_000)

  init() throws {
    workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  private func registerBoth(_ encryption: EncryptionChoice = .none) async throws {
    try await a.register(remote, encryption)
    try await b.register(remote, encryption)
  }

  private var values: [RemotePath] {
    remote.files.keys.filter { $0.name.flatMap { LongValueName($0) } != nil }
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `a long value is one file however many notes hold it`(_ encryption: EncryptionChoice) async throws {
    try await registerBoth(encryption)
    try a.write("one", text)
    try a.write("two", text)
    try await a.sync(remote)
    let report = try await b.sync(remote)
    #expect(try b.notes == ["one: \(text)", "two: \(text)"])
    #expect(report.findings.isEmpty)

    try b.write("three", text)
    try await b.sync(remote)
    try await a.sync(remote)
    #expect(try a.notes.count == 3)
    #expect(try a.notes == b.notes)
    #expect(values.count == 1)
    #expect(try await a.sync(remote).requests == 1)
  }

  @Test func `the name tells nothing about a value that is sealed`() async throws {
    try await registerBoth(.password("correct horse"))
    try a.write("one", text)
    try await a.sync(remote)
    let hash = ContentHash(of: Array(text.utf8))
    #expect(values.count == 1)
    #expect(values.allSatisfy { !$0.description.contains(hash.description) })
  }

  @Test func `notes without long values cost no request and no folder`() async throws {
    try await registerBoth()
    try await a.sync(remote)
    try a.write("one", "short")
    let pushed = try await a.sync(remote)
    // The listing of heads, the folder of sets, the set, the head, and the removal of the former head.
    #expect(pushed.requests == 5)
    #expect(!remote.files.keys.contains { $0.description.contains("LongValues") })
  }

  @Test func `a value that is late or damaged holds up nothing, and shows once it is there`() async throws {
    try await registerBoth()
    try a.write("one", text)
    try a.write("two", "short")
    try await a.sync(remote)
    let path = try #require(values.first)
    let bytes = try #require(remote.files[path])

    try await remote.remove(path)
    var report = try await b.sync(remote)
    #expect(try b.notes == ["one: -", "two: short"])
    let value = try #require(LongValue(.string(text)))
    #expect(report.findings == [.valueWaiting(value, obstacle: .missing)])

    try await remote.upload(Array(bytes.dropLast(40)), to: path)
    report = try await b.sync(remote)
    #expect(report.findings.count == 1)
    #expect(try b.notes == ["one: -", "two: short"])

    let other = [UInt8](repeating: 7, count: value.length)
    try await remote.upload(try LongValueFile.encode(other), to: path)
    report = try await b.sync(remote)
    #expect(report.findings == [.valueWaiting(value, obstacle: .torn)])

    try await remote.upload(bytes, to: path)
    report = try await b.sync(remote)
    #expect(report.findings.isEmpty)
    #expect(try b.notes == a.notes)
    #expect(try await b.sync(remote).requests == 1)
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request fails, long values arrive in the end`(_ fault: FaultyBackend.Fault) async throws {
    var requests = 0
    var wasReached = true
    while wasReached {
      wasReached = false
      for victim in 0...1 {
        let workplace = try Workplace()
        let devices = [Device("device-a", in: workplace), Device("device-b", in: workplace)]
        let remote = MemoryBackend()
        for device in devices { try await device.register(remote) }
        try devices[0].write("a", text + "a")
        try devices[1].write("b", text + "b")
        try await devices[1 - victim].sync(remote)

        let faulty = FaultyBackend(remote, after: requests, fault)
        _ = try? await devices[victim].sync(faulty)
        wasReached = wasReached || faulty.hasFailed
        for device in [devices[victim], devices[1 - victim], devices[victim]] {
          let findings = try await device.sync(remote).findings
          #expect(findings.isEmpty, "victim \(victim), after \(requests) requests")
        }
        #expect(try devices[0].notes == ["a: \(text)a", "b: \(text)b"])
        #expect(try devices[0].notes == devices[1].notes, "victim \(victim), after \(requests) requests")
      }
      requests += 1
    }
    #expect(requests > 7)
  }

  @Test func `a file that was cut off while it was written is written again`() async throws {
    try await registerBoth()
    try a.write("one", text)
    try await a.sync(remote)
    let path = try #require(values.first)
    let whole = try #require(remote.files[path])
    try await remote.upload(Array(whole.prefix(100)), to: path)

    try b.write("two", text)
    try await b.sync(remote)
    #expect(remote.files[path] == whole)
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `a small file that inflates to a large value is damaged, and is not inflated`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await registerBoth(encryption)
    let large = String(repeating: "a", count: 4 << 20)
    try a.write("one", large)
    try await a.sync(remote)
    let path = try #require(values.first)
    let genuine = try #require(remote.files[path])
    #expect(LongValueFile.inflatedLimit(genuine.count) >= large.utf8.count)
    let bytes = Array(large.utf8)
    let stream = try deflate(bytes, format: .raw, level: CompressionLevel(9))
    let bomb = Array("TICDSval".utf8) + [1, 1] + stream
    let protection = try await a.protection()
    try await remote.upload(
      try protection.seal(bomb, as: .longValue(ContentHash(of: bytes))), to: path)

    let report = try await b.sync(remote)

    guard case .valueWaiting(_, .unreadable(let why))? = report.findings.first else {
      Issue.record("\(report.findings)")
      return
    }
    #expect(why.contains("no more than \(LongValueFile.inflatedLimit(stream.count)) bytes"))
    #expect(try b.notes == ["one: -"])
    try await remote.upload(genuine, to: path)
    try await b.sync(remote)
    #expect(try b.notes == a.notes)
  }

  @Test(arguments: 0..<50)
  func `a file gives back the bytes it was made of`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let variety = UInt8.random(in: 0...255, using: &random)
    let bytes = (0..<Int.random(in: 0...40_000, using: &random)).map { _ in
      UInt8.random(in: 0...variety, using: &random)
    }
    var file = try LongValueFile.encode(bytes)
    #expect(try LongValueFile.decode(file, length: bytes.count) == bytes)
    #expect(file.count <= LongValueFile.sizeLimit(bytes.count))

    // Damage gives an error or other bytes, never more than were announced.
    file[Int.random(in: file.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    let damaged = try? LongValueFile.decode(file, length: bytes.count)
    #expect((damaged?.count ?? 0) <= bytes.count)
  }

  @Test func `values are fetched in portions`() throws {
    func value(_ length: Int) -> LongValue {
      LongValue(kind: .data, length: length, hash: ContentHash(of: []))
    }
    let batch = LongValueTransfer.batchSize
    var values = [value(batch), value(batch - 20_000), value(20_000), value(20_000), value(2 * batch)]
    var portions: [Int] = []
    while !values.isEmpty {
      let portion = values.takeBatch()
      portions.append(portion.count)
    }
    #expect(portions == [1, 2, 1, 1])
  }
}
