import Foundation
import ProcessTesting
import Testing

/// Five devices that found, write, synchronise and are killed at once, over every kind of storage: `Tests/Interop/chaos`.
///
/// One after the other, for each keeps the machine busy. `Tools/test --long` asks for many rounds and seeds.
@Suite(.serialized) struct ChaosTests {
  @Test(arguments: [
    "folder", "apache", "lighttpd", "nginx", "rclone", "wsgidav", "ubiquity", "syncthing",
  ])
  func `devices that found, write and are killed at once end equal, and nothing is lost`(
    storage: String
  ) async throws {
    let isLong = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] != nil
    let program = Checkout.root.appending(path: "Tests/Interop/chaos/chaos.py").path
    let programs = Checkout.program("notebook").deletingLastPathComponent().path
    let (seeds, rounds) = isLong ? ("10", "20") : ("1", "2")

    let result = try await Subprocess.run([
      "python3", program, "--programs", programs, "--over", storage, "--seeds", seeds, "--rounds", rounds,
    ])

    if result.ending == .exited(69) { try Test.cancel("\(result.errors)") }
    #expect(result.ending == .exited(0), "\(result.output) \(result.errors)")
  }
}
