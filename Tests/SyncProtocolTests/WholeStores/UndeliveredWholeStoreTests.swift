import BackendConformance
import ChangeTracking
import Foundation
import Testing

@testable import SyncProtocol

/// Whole stores that are listed and that the storage does not deliver, though it answers otherwise.
@Suite struct UndeliveredWholeStoreTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace
  private let (a, b, c): (Device, Device, Device)

  init() async throws {
    workplace = try Workplace()
    (a, b, c) = workplace.devices()
    for device in [a, b] { try await device.register(remote) }
    for number in 1...3 {
      try a.write("note \(number)", "by a")
      for device in [a, b] { try await device.sync(remote) }
    }
  }

  private func file(_ name: WholeStoreName) -> RemotePath { DocumentHierarchy.notes.file(of: name) }

  private func withholding(_ stores: [WholeStoreName]) -> any SyncBackend {
    stores.map(file).reduce(remote as any SyncBackend) { FaultyBackend(withholding: $1, of: $0) }
  }

  private func expectAgreement(_ backend: any SyncBackend) async throws {
    try c.write("by the newcomer", "text")
    for _ in 0..<3 { for device in [c, a, b] { try await device.sync(backend) } }
    #expect(try c.notes.count == 4)
    #expect(try a.notes == c.notes && b.notes == c.notes)
  }

  @Test func `a newcomer begins with the sets where the only whole store is not delivered`() async throws {
    let backend = withholding([try await a.uploadStore(remote).name])
    let begun = try await c.begin(backend)
    #expect(begun.store == nil)
    #expect(begun.findings.contains { "\($0)".contains("does not deliver it") }, "\(begun.findings)")
    try await expectAgreement(backend)
  }

  @Test func `another whole store is taken where the newest is not delivered`() async throws {
    let older = try await b.uploadStore(remote).name
    try a.write("by a", "later")
    for device in [a, b] { try await device.sync(remote) }
    let newest = try await a.uploadStore(remote).name
    let begun = try await c.begin(withholding([newest]))
    #expect(begun.store == older)
  }

  @Test func `where sets were removed and no whole store is delivered, the failure names the file`()
    async throws
  {
    let stores = [try await a.uploadStore(remote).name, try await b.uploadStore(remote).name]
    for _ in 0..<3 { for device in [a, b] { try await device.sync(remote) } }
    _ = try await a.vacuum(remote, grace: 0)
    let error = try #require(await failure { try await c.begin(withholding(stores)) })
    #expect(error.code == .noWholeStore)
    #expect(stores.contains { error.subject.contains("\(file($0))") }, "\(error)")
  }

  @Test func `a storage that answers nothing at all any more is unreachable`() async throws {
    _ = try await a.uploadStore(remote)
    var wasReached = false
    for requests in 0..<40 {
      let newcomer = Device("newcomer-\(requests)", in: workplace)
      let faulty = FaultyBackend(remote, after: requests, .requestLost)
      let error = await failure { try await newcomer.beginStore(faulty) }
      guard let error else { break }
      wasReached = true
      #expect(error.code == .storage && error.backendError?.code == .unreachable, "\(requests): \(error)")
    }
    #expect(wasReached)
  }
}
