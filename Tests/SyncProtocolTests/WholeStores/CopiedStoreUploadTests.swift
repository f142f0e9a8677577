import BackendConformance
import Testing

@testable import SyncProtocol

/// Whole stores of stores of which there are copies.
@Suite struct CopiedStoreUploadTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  private var wholeStores: Set<RemotePath> { Set(remote.paths { WholeStoreName($0) }) }

  @Test func `a copy of a store that has not heard of the other removes none of that one's whole stores`()
    async throws
  {
    let (original, copy) = (Device("device-a", in: workplace), Device("device-copy", in: workplace))
    try await original.register(remote)
    try original.write("shared", "text")
    try await original.sync(remote)
    let (backup, heads) = (try original.backUp(), Set(remote.paths { HeadName($0) }))
    try original.write("only there", "text")
    try await original.sync(remote)
    try await original.uploadStore(remote)
    let theirs = wholeStores
    // What tells of the other branch is late.
    for path in remote.paths({ HeadName($0) }) where !heads.contains(path) { try await remote.remove(path) }
    try copy.restore(backup)

    try copy.write("only here", "text")
    try await copy.uploadStore(remote)

    #expect(try copy.author == original.author && theirs.count == 1)
    #expect(wholeStores.count == 2 && wholeStores.isSuperset(of: theirs))
  }
}
