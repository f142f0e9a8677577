import BackendConformance
import Testing

@testable import SyncProtocol

/// Folders that tell names twice, and folders from which nothing can be removed.
@Suite struct OddFolderTests {
  /// Returns every name twice, as drives in user space may while files come and go.
  private struct DoublingBackend: ForwardingBackend {
    let backend: any SyncBackend

    func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
      let listing = try await backend.list(folder)
      return RemoteListing(
        entries: listing.entries + listing.entries.reversed(), foreign: listing.foreign + listing.foreign)
    }
  }

  /// Lets nothing be removed, as a share without the right to.
  private struct KeepingBackend: ForwardingBackend {
    let backend: any SyncBackend

    func remove(_ path: RemotePath) async throws(BackendError) { throw BackendError(.forbidden, path: path) }
  }

  private let remote = MemoryBackend()
  private let a: Device
  private let b: Device

  init() throws {
    let workplace = try Workplace()
    a = Device("device-a", in: workplace)
    b = Device("device-b", in: workplace)
  }

  @Test func `a name that a folder tells twice is one file`() async throws {
    let doubling = DoublingBackend(backend: remote)
    try await a.register(doubling)
    try await b.register(doubling)
    for number in 1...3 {
      try a.write("note \(number)", "text")
      try await a.sync(doubling)
    }
    remote.addForeign("desktop.ini", to: try #require(remote.headFolder))

    let report = try await b.sync(doubling)

    #expect(report.pulledSets == 3)
    #expect(try b.notes == a.notes)
    #expect(report.findings.isEmpty || report.findings == [.foreign(names: ["desktop.ini"])])
  }

  @Test func `a folder in the place of a head is not called a stranger's that may be removed`() async throws {
    for device in [a, b] { try await device.register(remote) }
    try a.write("note", "text")
    try await a.sync(remote)
    let head = try #require(remote.paths { HeadName($0) }.first)
    try await remote.remove(head)
    try await remote.makeFolder(head)

    let findings = try await b.sync(remote).findings

    let name = try #require(head.name).description
    #expect(findings.contains(.covered(count: 1, first: name)), "\(findings)")
    #expect(!findings.contains { if case .foreign = $0 { true } else { false } })
    #expect(try b.notes == a.notes)
  }

  @Test func `where nothing can be removed a push costs no more each time, and it is said`() async throws {
    let keeping = KeepingBackend(backend: remote)
    try await a.register(keeping)
    var requests: [Int] = []
    var report = SyncReport()
    for number in 1...30 {
      try a.write("note \(number)", "text")
      report = try await a.sync(keeping)
      requests.append(report.requests)
    }

    #expect(requests[9] == requests[29], "\(requests)")
    let folder = try #require(remote.headFolder)
    #expect(report.findings.contains { if case .notRemoved(folder, 8...) = $0 { true } else { false } })
  }
}

extension MemoryBackend {
  fileprivate var headFolder: RemotePath? {
    files.keys.first { $0.name.flatMap { HeadName($0) } != nil }?.parent
  }
}
