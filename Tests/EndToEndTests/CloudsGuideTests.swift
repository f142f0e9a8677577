import Foundation
import ProcessTesting
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The commands of `Docs/Guides/Clouds.md`, one after the other, with the real rclone.
@Suite struct CloudsGuideTests {
  @Test func `the commands of the guide to clouds do what it says`() async throws {
    guard try await Subprocess.run(["sh", "-c", "command -v rclone curl openssl"]).ending == .exited(0) else {
      try Test.cancel("rclone, curl or openssl is not installed")
    }
    let sandbox = try Sandbox()
    let home = sandbox.folder.appending(path: "home")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
    let programs = Checkout.program("notebook").deletingLastPathComponent().path
    let path = "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"

    let result = try await Subprocess.run(
      ["bash", "-c", try script()], in: home,
      environment: [
        "HOME": home.path, "PATH": path, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
        "NETRC": "/nonexistent", "XDG_CONFIG_HOME": home.path, "XDG_CACHE_HOME": home.path,
      ])

    try #require(result.ending == .exited(0), "\(result.output) \(result.errors)")
    #expect(result.output.contains("pushed 0, pulled 1, applied 1"))
    #expect(result.output.contains("Written on the first device"))
    #expect(result.output.contains("1 head checked: 0 errors, 0 warnings"))
    let cloud = home.appending(path: "somewhere").path
    let names = try FileManager.default.subpathsOfDirectory(atPath: cloud)
    #expect(names.contains("notes/ticds.notebook/Documents"))
    let secret = names.filter { $0.hasPrefix("secret/") }
    #expect(secret.count > 5)
    #expect(secret.filter { $0.contains("ticds") || $0.contains("Documents") } == [])
  }

  /// The blocks of the guide as one script, with free ports, that ends what it has started.
  private func script() throws -> String {
    let guide = Checkout.root.appending(path: "Docs/Guides/Clouds.md")
    let text = try String(contentsOf: guide, encoding: .utf8)
    var commands = text.components(separatedBy: "```sh\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }.joined()
    for port in ["8080", "8081", "8082"] {
      #expect(commands.contains(port))
      commands.replace(port, with: "\(try freePort())")
    }
    return "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n" + commands
  }

  /// A port that nobody listened on a moment ago.
  private func freePort() throws -> UInt16 {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 ? getsockname(descriptor, address, &size) : -1
      }
    }
    try #require(status == 0)
    return UInt16(bigEndian: address.sin_port)
  }
}
