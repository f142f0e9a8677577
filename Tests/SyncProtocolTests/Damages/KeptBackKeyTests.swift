import Crypto
import Foundation
import Inspection
import Synchronization
import SyncProtocol
import Testing

/// Repairs of an encrypted remote of which a key cannot be had for once: what it seals is not taken for forged.
@Suite struct KeptBackKeyTests {
  /// A remote with two keys, of which only the key files tell.
  private func remote() async throws -> (run: RepairRun, files: [RemotePath]) {
    let stage = try await AttackStage.ready(isEncrypted: true, isFoundedOnce: false)
    let run = try RepairRun(stage, seed: 93)
    for path in run.remote.files where path.hasSuffix(".wrapped") { try run.remote.remove(path) }
    let files = run.remote.files.filter { $0.hasSuffix(".keys") }.compactMap { RemotePath($0) }
    try #require(files.count > 1)
    return (run, files)
  }

  private func expectSame(
    _ plan: RepairPlan, as steady: RepairPlan, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(plan.aside == steady.aside, sourceLocation: sourceLocation)
    #expect(plan.heldUp.isEmpty, sourceLocation: sourceLocation)
  }

  @Test(arguments: FlakyReadings.Mode.allCases)
  func `where key files are read otherwise at times, nothing goes that a steady look leaves`(
    _ mode: FlakyReadings.Mode
  ) async throws {
    let (run, files) = try await remote()
    let steady = try await run.inspector().planRepair()
    for file in files {
      let flaky = OneFlakyFile(base: run.remote.backend, file: file, mode: mode)
      let inspector = run.inspector(flaky)
      guard mode == .odd else {
        expectSame(try await inspector.planRepair(), as: steady)
        continue
      }
      // Which of its readings is the bad one, nothing tells.
      let plan = try await inspector.planRepair()
      #expect(plan.actions.isEmpty)
      #expect(plan.heldUp == [file])
      let told = plan.left.filter { $0.path == file.description }
      #expect(told.count == 1 && told.allSatisfy { $0.message.contains("reads differently each time") })
    }
  }

  @Test(arguments: [true, false])
  func `where all key files read differently each time, that is said, and not that the password is wrong`(
    _ isAlone: Bool
  ) async throws {
    let (run, files) = try await remote()
    let flaky = files.reduce(run.remote.backend as any SyncBackend) {
      OneFlakyFile(base: $0, file: $1, mode: .odd)
    }
    if !isAlone {
      // Of a stranger, who has another password.
      let made = try KeyFile.create(
        password: "another", parameters: .init(cost: 16, blockSize: 8, parallelization: 1))
      let name = "\(made.key.identifier).\(String(repeating: "7", count: 16)).keys"
      try run.remote.write(made.file.bytes, to: "com.example.notes/Encryption/\(name)")
    }
    let plan = try await run.inspector(flaky).planRepair()
    #expect(plan.actions.isEmpty && !plan.heldUp.isEmpty && Set(plan.heldUp).isSubset(of: files))
  }

  @Test(arguments: [BackendError.Code.forbidden, .notFound, .damaged])
  func `where a key file is kept back, nothing is done to what it may open`(_ code: BackendError.Code)
    async throws
  {
    let (run, files) = try await remote()
    for file in files {
      let plan = try await run.inspector(KeepingBack(base: run.remote.backend, file: file, code: code))
        .planRepair()
      #expect(plan.actions.isEmpty, "\(plan.aside)")
      #expect(plan.heldUp == [file])
      #expect(plan.left.contains { $0.code == .unreadable && $0.path == file.description })
    }
  }

  @Test func `a strange key file that is kept back holds no repair up`() async throws {
    let (run, _) = try await remote()
    let steady = try await run.inspector().planRepair()
    let folder = try #require(RemotePath("com.example.notes/Encryption"))
    let digits = String(repeating: "7", count: 16)
    let name = try #require(RemoteName("\(digits).\(digits).keys"))
    try #require(KeyFileName(name) != nil)
    let strange = folder.appending(name)
    try run.remote.write([1, 2, 3], to: strange.description)
    let plan = try await run.inspector(
      KeepingBack(base: run.remote.backend, file: strange, code: .forbidden)
    ).planRepair()
    expectSame(plan, as: steady)
  }

  @Test(arguments: [1, 2])
  func `a key file or record that a listing leaves out once is there all the same`(_ number: Int) async throws
  {
    let (run, files) = try await remote()
    let steady = try await run.inspector().planRepair()
    let records = run.remote.files.filter { $0.hasSuffix(".founding") }.compactMap { RemotePath($0) }
    try #require(records.count > 1)
    let folders = Set((files + records).compactMap(\.parent))
    for path in files + records + folders.sorted() {
      let forgetful = ForgetfulListings(base: run.remote.backend, left: path, number: number)
      expectSame(try await run.inspector(forgetful).planRepair(), as: steady)
    }
  }
}

/// Storage of which one file is read otherwise at times.
private final class OneFlakyFile: WrappingBackend {
  let base: any SyncBackend
  private let file: RemotePath
  private let flaky: FlakyReadings

  init(base: any SyncBackend, file: RemotePath, mode: FlakyReadings.Mode) {
    (self.base, self.file, flaky) = (base, file, FlakyReadings(base, mode, seed: 1))
  }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await (path == file ? flaky : base).download(path, limit: limit)
  }
}

/// Storage that does not hand out one file.
private struct KeepingBack: WrappingBackend {
  let base: any SyncBackend
  let file: RemotePath
  let code: BackendError.Code

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    if path == file { throw BackendError(code, path: path) }
    return try await base.download(path, limit: limit)
  }
}

/// Storage one of whose listings of a folder leaves out an entry.
private final class ForgetfulListings: WrappingBackend {
  let base: any SyncBackend
  private let left: RemotePath
  private let number: Int
  private let count = Mutex(0)

  init(base: any SyncBackend, left: RemotePath, number: Int) {
    (self.base, self.left, self.number) = (base, left, number)
  }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    var listing = try await base.list(folder)
    guard folder == left.parent else { return listing }
    let isForgetful = count.withLock { count in
      count += 1
      return count == number
    }
    if isForgetful { listing.entries.removeAll { $0.name == left.name } }
    return listing
  }
}

extension RepairPlan {
  /// The places of what is put aside.
  fileprivate var aside: Set<RemotePath> {
    Set(actions.filter { $0.change == .putAside }.map(\.path))
  }
}
