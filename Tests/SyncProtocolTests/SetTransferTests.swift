import BackendConformance
import Crypto
import Testing

@testable import ChangeTracking
@testable import SyncProtocol

@Suite struct SetTransferTests {
  private let remote = MemoryBackend()

  private func transfer(_ keys: KeyRing?) throws -> SetTransfer {
    SetTransfer(
      backend: remote, hierarchy: .notes,
      protection: try DocumentProtection(
        keys: keys, hierarchy: .notes, own: IntegrityKey(ContentHash(of: [1]))))
  }

  @Test(arguments: [true, false])
  func `a set that is not in the form of its document never leaves the device, nor do those before it`(
    isEncrypted: Bool
  ) async throws {
    let keys = isEncrypted ? KeyRing(try MasterKey.generate()) : nil
    let sets = try transfer(keys)
    let author = AuthorID(bits: 1)
    func set(_ sequence: UInt64, _ bytes: [UInt8]) -> FrozenSet {
      FrozenSet(
        author: author, sequence: sequence, hash: ContentHash(of: bytes), changeCount: 1, bytes: bytes)
    }
    let plain = Array("what a user wrote".utf8)
    let fit = set(1, try sets.seal(plain, author, 1))

    let error = await #expect(throws: SyncError.self) { try await sets.push([fit, set(2, plain)]) }
    #expect(error?.code == .failed)
    #expect(remote.files.isEmpty)
    try await sets.push([fit])
    #expect(remote.files.count == 1)
  }
}
