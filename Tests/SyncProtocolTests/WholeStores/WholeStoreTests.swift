import BackendConformance
import ChangeTracking
import Foundation
import Testing

@testable import SyncProtocol

/// New devices begin with a copy that another has uploaded.
@Suite struct WholeStoreTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
  }

  private var stores: [RemotePath] { remote.paths { WholeStoreName($0) } }

  /// Two devices that have exchanged a long history.
  private func history(_ encryption: EncryptionChoice = .none) async throws {
    for device in [a, b] { try await device.register(remote, encryption) }
    for number in 0..<20 {
      try a.write("a\(number)", "text \(number)")
      try b.write("b\(number)", String(repeating: "long \(number) ", count: 5_000))
      try await a.sync(remote)
      try await b.sync(remote)
    }
    try a.delete("a3")
    for _ in 0..<2 { for device in [a, b] { try await device.sync(remote) } }
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `a device begins with a whole store and merges only the sets after it`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await history(encryption)
    let upload = try await a.uploadStore(remote)
    #expect(stores.count == 1)
    try a.write("after", "the copy")
    try await a.sync(remote)

    let begun = try await c.begin(remote, encryption)
    #expect(begun.store == upload.name && begun.findings.isEmpty)
    #expect(try c.notes == a.notes.filter { !$0.hasPrefix("after") })
    let report = try await c.sync(remote)
    #expect(report.pulledSets == 1 && report.pushed == 0 && report.findings.isEmpty)
    #expect(try c.notes == a.notes)

    try c.write("of c", "text")
    try await c.sync(remote)
    for device in [a, b] { try await device.sync(remote) }
    #expect(try a.notes == c.notes && b.notes == c.notes)
  }

  @Test(arguments: [EncryptionChoice.none, .password("correct horse")])
  func `joining takes at most ten requests, two per device and the whole store, however long the history`(
    _ encryption: EncryptionChoice
  ) async throws {
    try await history(encryption)
    try await a.uploadStore(remote)
    func requests(_ device: Device) async throws -> Int {
      let counting = CountingBackend(remote)
      try await device.begin(counting, encryption)
      try await device.sync(counting)
      return counting.count.requests
    }
    let first = try await requests(c)
    for number in 0..<20 {
      try a.write("more \(number)", "text")
      try await a.sync(remote)
    }
    for device in [b, c] { try await device.sync(remote) }
    try await a.uploadStore(remote)
    let second = try await requests(Device("device-d", in: workplace))
    #expect(first <= 10 + 2 * 3 + 1)
    #expect(second <= 10 + 2 * 4 + 1)
  }

  @Test func `what was deleted before the copy was made is not brought back by who begins with it`()
    async throws
  {
    try await history()
    try await b.uploadStore(remote)
    try await c.begin(remote)
    try await c.sync(remote)
    #expect(try !c.shows("a3"))
    for device in [a, b, c] { try await device.sync(remote) }
    #expect(try !a.shows("a3") && a.notes == c.notes)
  }

  @Test func `without a whole store a device begins with the sets`() async throws {
    try await history()
    let begun = try await c.begin(remote)
    #expect(begun.store == nil && begun.findings.isEmpty)
    try await c.sync(remote)
    #expect(try c.notes == a.notes)
  }

  @Test func `a store that is there is not replaced`() async throws {
    try await history()
    try await a.uploadStore(remote)
    try c.write("own", "text")
    let error = await #expect(throws: SyncError.self) { try await c.begin(remote) }
    #expect(error?.code == .storeExists)
    #expect(try c.notes == ["own: text"])
  }

  @Test func `what contains as much as the newest copy is not uploaded again`() async throws {
    try await history()
    let first = try await a.uploadStore(remote)
    let again = try await a.uploadStore(remote)
    #expect(first.size != nil && again.size == nil && again.name == first.name)
    try a.write("more", "text")
    #expect(try await a.uploadStore(remote).name.total == first.name.total + 1)
  }

  @Test func `a copy that was damaged is uploaded again when somebody asks for it`() async throws {
    try await history()
    let first = try await a.uploadStore(remote)
    let path = try #require(stores.first)
    remote.tamper(path) { $0[$0.count / 2] ^= 1 }

    let again = try await a.uploadStore(remote)

    #expect(again.size != nil && again.contents == first.contents)
    #expect(stores.count == 1)
    #expect(try await a.uploadStore(remote).size == nil)
  }

  @Test func `a device leaves its two newest copies`() async throws {
    try await history()
    var names: [WholeStoreName] = []
    for number in 0..<4 {
      try a.write("copy \(number)", "text")
      names.append(try await a.uploadStore(remote).name)
    }
    #expect(stores.compactMap(\.name) == names.suffix(2).map(\.name).sorted())
  }

  @Test func `of two devices that upload at once both copies can be begun with`() async throws {
    try await history()
    let (a, b, remote) = (a, b, remote)
    async let first = a.uploadStore(remote)
    async let second = b.uploadStore(remote)
    let names = try await [first.name, second.name]
    #expect(Set(stores.compactMap(\.name)) == Set(names.map(\.name)))
    let begun = try await c.begin(remote)
    #expect(begun.store == names.max() && begun.findings.isEmpty)
  }

  @Test func `a copy knows what is missing beside the chains of authors, for no listing tells it`()
    async throws
  {
    try await history()
    let fork = SyncPlan.ForkedSet(
      author: try b.author, set: SetName(sequence: 3, hash: ContentHash(of: [1])))
    try a.remember("pendingFork", fork.text)
    try a.remember("answered", "something else")
    try await a.uploadStore(remote)
    try await c.begin(remote)
    #expect(try c.remembered("pendingFork") == 1 && c.remembered("answered") == 0)
  }

  @Test func `progress is told up to the end`() async throws {
    try await history()
    let told = Watched<[WholeStoreProgress]>([])
    try await a.uploadStore(remote) { step in told.update { $0.append(step) } }
    for phase in [WholeStoreProgress.Phase.packing, .uploading] {
      let steps = told.value.filter { $0.phase == phase }
      #expect(steps.last.map { $0.done > 0 && $0.done <= $0.total } == true, "\(phase)")
      #expect(steps.map(\.done) == steps.map(\.done).sorted())
    }
  }

  // MARK: What cannot be used

  enum Harm: CaseIterable { case cut, emptied, changed, exchanged, removed }

  @Test(arguments: Harm.allCases, [EncryptionChoice.none, .password("pass")])
  func `a copy that does not open is told, and the next one is taken`(
    _ harm: Harm, _ encryption: EncryptionChoice
  ) async throws {
    try await history(encryption)
    let older = try await a.uploadStore(remote)
    try b.write("newer", "text")
    let newest = try await b.uploadStore(remote)
    let path = DocumentHierarchy.notes.file(of: newest.name)
    let bytes = try #require(remote.files[path])
    switch harm {
    case .cut: try await remote.upload(Array(bytes.prefix(bytes.count / 2)), to: path)
    case .emptied: try await remote.upload([], to: path)
    case .changed: try await remote.upload(bytes.map { $0 ^ 1 }, to: path)
    case .exchanged:
      let other = try #require(remote.files[DocumentHierarchy.notes.file(of: older.name)])
      try await remote.upload(other, to: path)
    case .removed: try await remote.remove(path)
    }

    let begun = try await c.begin(remote, encryption)
    #expect(begun.store == older.name)
    #expect(begun.findings.count == (harm == .removed ? 0 : 1))
    try await c.sync(remote)
    #expect(try c.notes == b.notes)
  }

  @Test func `where no copy opens the device merges the sets, and says why`() async throws {
    try await history()
    try await a.uploadStore(remote)
    for path in stores { try await remote.upload([1, 2, 3], to: path) }
    let begun = try await c.begin(remote)
    #expect(begun.store == nil && begun.findings.count == 1)
    try await c.sync(remote)
    #expect(try c.notes == a.notes)
  }

  @Test func `a name that no member has written is told and not looked at`() async throws {
    try await history(.password("pass"))
    let upload = try await a.uploadStore(remote)
    let real = try #require(remote.files[DocumentHierarchy.notes.file(of: upload.name)])
    let code = try #require(NameCode(String(repeating: "0", count: NameCode.digits)))
    let forged = WholeStoreName(
      author: upload.name.author, sequence: upload.name.sequence + 1, seen: upload.name.seen,
      hash: upload.name.hash, size: upload.name.size, code: code)
    try await remote.upload(real, to: DocumentHierarchy.notes.file(of: forged))
    let begun = try await c.begin(remote, .password("pass"))
    #expect(begun.store == upload.name)
    #expect(begun.findings == [.unverifiedStores(count: 1, first: forged.name.description)])
  }

  @Test func `a copy under a genuine name of another is refused`() async throws {
    // Whoever may write names, but the bytes say something else: only without encryption can that be made up.
    try await history()
    let upload = try await a.uploadStore(remote)
    let bytes = try #require(remote.files[DocumentHierarchy.notes.file(of: upload.name)])
    let boasting = try await a.protection().wholeStore(
      author: upload.name.author, sequence: upload.name.sequence + 7, seen: upload.name.seen,
      .init(hash: upload.name.hash, size: Int64(bytes.count)))
    try await remote.upload(bytes, to: DocumentHierarchy.notes.file(of: boasting))
    let begun = try await c.begin(remote)
    #expect(begun.store == upload.name && begun.findings.count == 1)
  }

  // MARK: Interruptions

  @Test(arguments: FaultyBackend.Fault.allCases)
  func `whatever request of an upload fails, others begin with a whole copy or with the sets`(
    _ fault: FaultyBackend.Fault
  ) async throws {
    var requests = 0
    while true {
      let workplace = try Workplace()
      let (a, b, c) = workplace.devices()
      let remote = MemoryBackend()
      for device in [a, b] { try await device.register(remote) }
      try a.write("one", "text")
      try await a.uploadStore(remote)
      try a.write("two", "text")
      let faulty = FaultyBackend(remote, after: requests, fault)
      _ = try? await a.uploadStore(faulty)
      let begun = try await c.begin(remote)
      #expect(begun.store != nil && begun.findings.isEmpty)
      try await a.uploadStore(remote)
      try await c.sync(remote)
      #expect(try c.notes == a.notes, "after \(requests) requests")
      #expect(remote.paths { WholeStoreName($0) }.count <= 2, "after \(requests) requests")
      guard faulty.hasFailed else { break }
      requests += 1
    }
    #expect(requests >= 4)
  }

  @Test func `what an interrupted upload has left is not begun with, and the next upload removes it`()
    async throws
  {
    try await history()
    let partial = PartialUploads(remote)
    await #expect(throws: SyncError.self) { try await a.uploadStore(partial) }
    #expect(stores.count == 1)
    let begun = try await c.begin(remote)
    #expect(begun.store == nil && begun.findings.count == 1)

    try a.write("more", "text")
    let upload = try await a.uploadStore(remote)
    #expect(stores.compactMap(\.name) == [upload.name.name])
  }

  @Test(arguments: FaultyBackend.Fault.allCases)
  func
    `whatever request of a beginning fails, nothing lies in the store's place, and the next attempt goes well`(
      _ fault: FaultyBackend.Fault
    ) async throws
  {
    try await history()
    try await a.uploadStore(remote)
    var requests = 0
    while true {
      let device = Device("device-\(requests)", in: workplace)
      let faulty = FaultyBackend(remote, after: requests, fault)
      let outcome = await Result { try await device.begin(faulty) }
      guard faulty.hasFailed else { break }
      if case .failure = outcome, !FileManager.default.fileExists(atPath: device.path) {
        #expect(try await device.begin(remote).store != nil)
      } else {
        try await device.register(remote)
      }
      try await device.sync(remote)
      #expect(try device.notes == a.notes, "after \(requests) requests")
      let left = try FileManager.default.contentsOfDirectory(
        atPath: URL(filePath: device.path).deletingLastPathComponent().path)
      #expect(!left.contains { $0.contains("joining") || $0.contains("whole-store") })
      requests += 1
    }
    #expect(requests > 5)
  }
}

/// Storage without atomic replacement: of the first large file only a half arrives, then the connection is gone.
private struct PartialUploads: ForwardingBackend {
  let backend: any SyncBackend

  init(_ backend: any SyncBackend) { self.backend = backend }

  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    let bytes = (try? Data(contentsOf: URL(filePath: localPath))) ?? Data()
    try await backend.upload(Array(bytes.prefix(bytes.count / 2)), to: path)
    throw BackendError(.unreachable, path: path)
  }
}
