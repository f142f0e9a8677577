import BackendConformance
import FileManagerBackend
import TemporaryFolders
import Testing

@Suite struct ConformanceTests {
  @Test(arguments: BackendConformance.laws)
  func `a folder keeps the laws of storage`(_ law: BackendConformance.Law) async throws {
    let folder = try TemporaryFolder()
    try await law.verify { FileManagerBackend(folder: folder.path) }
  }
}
