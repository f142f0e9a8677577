import BackendConformance
import Testing

@Suite struct MemoryBackendTests {
  @Test(arguments: BackendConformance.laws)
  func `memory keeps the laws of storage`(_ law: BackendConformance.Law) async throws {
    try await law.verify { MemoryBackend() }
  }
}
