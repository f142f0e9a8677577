import Foundation
import ProcessTesting
import Testing

/// The real program on devices that share a folder through a replicator: `Tests/Interop/replicated_folders.py`.
@Suite(.serialized) struct ReplicatedFoldersTests {
  /// So many runs; 30 with `TICDS_LONG_TESTS`.
  private static let runs = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] == nil ? 1 : 15

  @Test(arguments: ["--encrypted", "--plain"])
  func `devices that meet through a folder replicator agree in the end, and nothing is wrong`(
    _ protection: String
  )
    async throws
  {
    let script = Checkout.root.appending(path: "Tests/Interop/replicated_folders.py").path
    let programs = Checkout.program("notebook").deletingLastPathComponent().path
    let result = try await Subprocess.run([
      "python3", script, "--programs", programs, protection, "--runs", "\(Self.runs)", "--seed",
      protection == "--plain" ? "101" : "1",
    ])
    #expect(result.ending == .exited(0), "\(result.errors)")
  }
}
