import BackendConformance
import Testing

@testable import SyncProtocol

/// Storage that goes back to before somebody has deleted the document.
@Suite struct DeletionRollbackTests {
  @Test
  func `storage that goes back to before a deletion divides nobody: who was told puts the note of it back`()
    async throws
  {
    let remote = MemoryBackend()
    let workplace = try Workplace()
    let (a, b, c) = workplace.devices()
    for device in [a, b, c] {
      try await device.register(remote, .password("pass"))
      try await device.sync(remote)
    }
    let former = remote.copy()
    try await a.deleteDocument(remote)
    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
    remote.restore(former)
    try await c.sync(remote)
    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
    #expect(remote.paths { DeletionName($0) }.isEmpty, "It is looked for once a day.")

    workplace.clock.advance(25 * 60 * 60 * 1_000)
    #expect(await failure { try await b.sync(remote) }?.code == .documentDeleted)
    #expect(remote.paths { DeletionName($0) }.count == 1)
    let error = await failure { try await c.sync(remote) }
    #expect(error?.code == .documentDeleted)
    #expect(error?.message.contains("Device device-a") == true)
    #expect(remote.paths { DeletionName($0) }.count == 1)
  }
}
